import { setTimeout as delay } from 'node:timers/promises';
import type { Check } from '../check.js';
import { HEARTBEAT_MS, LEASE_MS } from '../check-centre.js';
import { type CheckRun, Fault } from '../check-run.js';

/** Beats are late for many reasons, a busy machine among them. */
const LATEST_BEAT_MS = 3 * HEARTBEAT_MS;

export const REPORT_CHECKS: Check[] = [
  {
    title: 'beats in time, numbered, with its figures',
    async run(run) {
      const { centre } = run;
      const from = centre.beats.length;
      await delay(8 * HEARTBEAT_MS);
      const beats = centre.beats.slice(from);
      const faults: string[] = [];
      const gaps = beats.slice(1).map(({ at }, i) => at - (beats[i]?.at ?? at));
      if (beats.length < 4)
        faults.push(`${beats.length} heartbeats in ${(8 * HEARTBEAT_MS) / 1000} s; heartbeatMs was ${HEARTBEAT_MS}`);
      else if (Math.max(...gaps) > LATEST_BEAT_MS)
        faults.push(`${Math.round(Math.max(...gaps))} ms between two heartbeats; heartbeatMs was ${HEARTBEAT_MS}`);
      const seqs = beats.map(({ body }) => body.seq);
      if (seqs.some((seq, i) => i > 0 && seq <= (seqs[i - 1] as number)))
        faults.push(`seq of heartbeats does not rise: ${seqs.join(', ')}`);
      if (beats.some(({ body }) => body.incarnation !== run.identity.incarnation))
        faults.push('a heartbeat names another incarnation');
      if (beats.some(({ body }) => Math.abs(body.sentAt - centre.now()) > 60_000))
        faults.push("sentAt is not by the centre's clock");
      return faults;
    },
  },
  {
    title: 'names what runs in every beat, keeps beating meanwhile, and stops it on cancel',
    async run(run) {
      const { centre } = run;
      const task = run.order(run.slow);
      await run.expect('accepted', task, 'an order it has room for');
      await run.until(() => nameIn(run, task.taskId), 'an attempt that runs is not named in heartbeats');
      const from = centre.beats.length;
      await delay(5 * HEARTBEAT_MS);
      const faults: string[] = [];
      const beats = centre.beats.slice(from);
      if (beats.length < 2) faults.push('heartbeats stop while a handler runs');
      if (!beats.every(({ body }) => body.attempts.some(({ taskId }) => taskId === task.taskId)))
        faults.push('a heartbeat leaves out an attempt that runs: it would be recovered and run elsewhere as well');
      if (!(await run.health()).attempts.some(({ taskId }) => taskId === task.taskId))
        faults.push('GET /health leaves out an attempt that runs');
      const answer = await run.cancel(task);
      if (answer !== 'stopping') faults.push(`the cancel of a running attempt is answered "${answer}" instead of "stopping"`);
      const { outcome } = await run.result(task);
      if (outcome !== 'cancelled') faults.push(`a cancelled attempt is reported "${outcome}" instead of "cancelled"`);
      const again = await run.cancel(task);
      if (again !== 'finished')
        faults.push(`the cancel of an attempt that has ended is answered "${again}" instead of "finished"`);
      await run
        .until(() => !nameIn(run, task.taskId), 'heartbeats still name an attempt whose result was acknowledged')
        .catch((error) => faults.push((error as Error).message));
      return faults;
    },
  },
  {
    title: 'obeys cancels and abandons in heartbeat answers',
    async run(run) {
      const [cancelled, abandoned] = [run.order(run.slow), run.order(run.slow)];
      await run.run([cancelled, abandoned]);
      await run.until(
        () => nameIn(run, cancelled.taskId) && nameIn(run, abandoned.taskId),
        'attempts that run are not named in heartbeats',
      );
      run.centre.nextAnswer = {
        cancel: [{ taskId: cancelled.taskId, lease: cancelled.lease, reason: 'replaced' }],
        abandon: [{ taskId: abandoned.taskId, lease: abandoned.lease }],
      };
      const { outcome } = await run.result(cancelled);
      await run.until(() => !nameIn(run, abandoned.taskId), 'an attempt in "abandon" of a heartbeat answer goes on');
      const faults =
        outcome === 'cancelled'
          ? []
          : [`an attempt told to stop with "replaced" is reported "${outcome}" instead of "cancelled"`];
      if (run.centre.resultsOf(abandoned.taskId).length > 0) faults.push('an abandoned attempt is reported all the same');
      return faults;
    },
  },
  {
    title: 'ends an attempt at its time limit and reports timed_out',
    async run(run) {
      const task = run.order(run.slow, { timeoutMs: 500 });
      await run.expect('accepted', task, 'an order');
      const { outcome } = await run.result(task);
      return outcome === 'timed_out' ? [] : [`an attempt beyond its timeoutMs is reported "${outcome}" instead of "timed_out"`];
    },
  },
  {
    title: 'sends a result again until it is acknowledged, and then never again',
    async run(run) {
      const { centre } = run;
      const task = run.order(run.quick);
      centre.mood.results = 'unavailable';
      try {
        await run.expect('accepted', task, 'an order');
        await delay(HEARTBEAT_MS);
        centre.mood.results = 'no_acks';
        await run.until(
          () => centre.resultsOf(task.taskId).length >= 2,
          'a result without an ack in the answer is not sent again',
        );
      } finally {
        centre.mood.results = 'serve';
      }
      const count = () => centre.resultsOf(task.taskId).length;
      const unacknowledged = count();
      await run.until(() => count() > unacknowledged, 'a result is not sent again once the centre is back');
      await delay(2 * HEARTBEAT_MS);
      const settled = count();
      await delay(6 * HEARTBEAT_MS);
      return count() > settled ? ['a result that was acknowledged is sent again'] : [];
    },
  },
  {
    title: 'registers again, as the same incarnation, when the centre does not know it',
    async run(run) {
      const { centre } = run;
      const count = centre.registrations.length;
      centre.mood.heartbeat = 'unknown';
      try {
        await run.until(
          () => centre.registrations.length > count,
          'a heartbeat answered 404 not_found does not make it register again',
        );
      } finally {
        centre.mood.heartbeat = 'serve';
      }
      const again = centre.worker?.incarnation;
      if (again !== run.identity.incarnation)
        throw new Fault('it registers again as another incarnation: what it runs would be recovered');
      return [];
    },
  },
  {
    title: 'fences itself when the centre falls silent for leaseMs, and takes orders again after an answered beat',
    async run(run) {
      const { centre } = run;
      const task = run.order(run.slow);
      await run.expect('accepted', task, 'an order');
      await run.until(() => nameIn(run, task.taskId), 'an attempt that runs is not named in heartbeats');
      centre.mood.heartbeat = 'silent';
      const faults: string[] = [];
      try {
        await delay(LEASE_MS + 1000);
        const [outcome] = await run.outcomes([run.order(run.quick)]);
        if (outcome !== 'no_lease')
          faults.push(
            `${LEASE_MS + 1000} ms after the last answered heartbeat (leaseMs ${LEASE_MS}) an order is answered "${outcome}" instead of "no_lease"`,
          );
        const result = centre.resultsOf(task.taskId)[0] ?? (await run.result(task).catch(() => undefined));
        if (result === undefined)
          faults.push('what runs is not aborted when the centre was silent for leaseMs: it may run elsewhere as well');
        else if (result.outcome !== 'drained')
          faults.push(`an attempt that was fenced off is reported "${result.outcome}" instead of "drained"`);
      } finally {
        centre.mood.heartbeat = 'serve';
      }
      const beats = centre.beats.length;
      await run.until(() => centre.beats.length > beats + 1, 'heartbeats do not come back after a silence');
      await delay(HEARTBEAT_MS);
      const [later] = await run.outcomes([run.order(run.quick)]);
      if (later !== 'accepted') faults.push(`an order after the silence is answered "${later}" instead of "accepted"`);
      return faults;
    },
  },
  {
    title: 'runs on when the centre answers 503',
    async run(run) {
      const { centre } = run;
      const task = run.order(run.slow);
      await run.expect('accepted', task, 'an order');
      centre.mood.heartbeat = 'unavailable';
      try {
        await delay(LEASE_MS + 1500);
      } finally {
        centre.mood.heartbeat = 'serve';
      }
      const aborted = centre.resultsOf(task.taskId).length > 0;
      await run.cancel(task);
      await run.result(task);
      return aborted ? ['an attempt is aborted although the centre did answer (503): nobody was there to give it away'] : [];
    },
  },
];

/** Whether the latest beat names it. */
function nameIn(run: CheckRun, taskId: string): boolean {
  return run.centre.beats.at(-1)?.body.attempts.some((each) => each.taskId === taskId) ?? false;
}
