import { setTimeout as delay } from 'node:timers/promises';
import type { Check } from '../check.js';
import { HEARTBEAT_MS } from '../check-centre.js';
import { Fault } from '../check-run.js';
import { WorkerCaller } from '../worker-caller.js';

const DRAIN_MS = 40_000;

/** The last ones: they end the worker. */
export const LEAVING_CHECKS: Check[] = [
  {
    title: 'killed and started again, brings its unacknowledged results along and runs nothing twice',
    async run(run) {
      const { centre, process } = run;
      const task = run.order(run.quick);
      centre.mood.results = 'unavailable';
      await run.expect('accepted', task, 'an order');
      await delay(3 * HEARTBEAT_MS);
      const count = centre.registrations.length;
      const earlier = run.identity.incarnation;
      await process.restart();
      centre.mood.results = 'serve';
      await run.until(
        () => centre.registrations.length > count || process.ended,
        'it does not register after it was killed and started again',
        30_000,
      );
      if (process.ended) throw new Fault(`started again it ends at once: ${process.end}`);
      const { workerId, incarnation, urls } = centre.worker as NonNullable<typeof centre.worker>;
      run.moveTo(new WorkerCaller(urls[0] as string, centre.key, () => centre.now()), { workerId, incarnation });
      const faults: string[] = [];
      if (!(incarnation > earlier))
        faults.push(`the incarnation of a later life (${incarnation}) does not sort after the earlier one (${earlier})`);
      await run
        .result(task)
        .catch(() =>
          faults.push('a result that was not acknowledged is lost when the process is killed: journal it before sending it'),
        );
      const [again] = await run.outcomes([task]);
      if (again !== 'duplicate')
        faults.push(`an order that an earlier life accepted is answered "${again}" instead of "duplicate": it would run twice`);
      return faults;
    },
  },
  {
    title: 'drains on SIGTERM: refuses orders, finishes what runs, keeps beating, deregisters, exits with 0',
    async run(run) {
      const { centre, process } = run;
      const faults: string[] = [];
      const task = run.order(run.slow);
      await run.expect('accepted', task, 'an order');
      await delay(HEARTBEAT_MS);
      process.signal('SIGTERM');
      await run
        .until(() => centre.beats.at(-1)?.body.state === 'draining', 'no heartbeat says state "draining" after SIGTERM')
        .catch((error) => faults.push((error as Error).message));
      if (!process.ended) {
        const [outcome] = await run.outcomes([run.order(run.quick)]).catch(() => ['nothing at all']);
        if (outcome !== 'draining') faults.push(`an order while it drains is answered "${outcome}" instead of "draining"`);
        await run.cancel(task).catch(() => undefined);
      }
      await run.until(() => process.ended, `it has not ended ${DRAIN_MS / 1000} s after SIGTERM`, DRAIN_MS);
      if (process.exitCode !== 0) faults.push(`it leaves with ${process.end} instead of exit code 0`);
      if (centre.resultsOf(task.taskId).length === 0) faults.push('it leaves without reporting an attempt it had accepted');
      if (centre.deregistrations.length === 0) faults.push('it leaves without POST /worker/v1/deregister');
      return faults;
    },
  },
];
