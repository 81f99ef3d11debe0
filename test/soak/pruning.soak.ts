import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { ChallengeStore } from '../../src/callbacks/challenge.store.js';
import { OldDeliveries } from '../../src/callbacks/old-deliveries.js';
import { OldDeliveryStore } from '../../src/callbacks/old-delivery.store.js';
import { AttemptLogStore } from '../../src/tasks/attempt-log.store.js';
import { OldTasks } from '../../src/tasks/old-tasks.js';
import { OldTasksStore } from '../../src/tasks/old-tasks.store.js';
import { Installation } from '../support/installation.js';
import { lockFigures } from '../support/lock-figures.js';
import { PrivateDatabase } from '../support/private-database.js';
import { evenlyHeld, tasksByState } from '../support/progress.js';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { waitFor } from '../support/wait-for.js';
import { percentile } from './soak-table.js';

/** The rule is about ten minutes: SOAK_PRUNING_MINUTES=10. */
const MINUTES = Number(process.env.SOAK_PRUNING_MINUTES ?? 2);
const SUBMITTERS = 50;
const PAUSE_MS = 400;
const WORKERS = 5;
/** Tasks are kept for so long after their end, and looked for without a pause. */
const KEPT_MS = 5_000;
/** One of so many has a callback. */
const TOLD = 5;

describe('fifty submitters, five workers, and old tasks removed all the while', () => {
  let database: PrivateDatabase;
  let installation: Installation;
  let receiver: Receiver;
  let backends: Backends;
  let old: OldTasks;

  beforeAll(async () => {
    database = await PrivateDatabase.start();
    receiver = await Receiver.listen();
    installation = await Installation.create('cluster', ['default'], 1_000, database.url);
    backends = await installation.look();
    const { dialect } = backends;
    const deliveries = new OldDeliveries(dialect, new OldDeliveryStore(), new ChallengeStore(dialect));
    old = new OldTasks(dialect, new OldTasksStore(dialect), new AttemptLogStore(dialect), deliveries);
    for (const id of ['n1', 'n2']) await installation.startNode(id, LOOPBACK_CALLBACKS);
    for (let n = 1; n <= WORKERS; n++) await installation.startWorker({ id: `w${n}`, slots: 20 });
    await evenlyHeld(backends, 2);
  }, 180_000);
  afterAll(async () => {
    await receiver?.close();
    await installation?.remove();
    await database?.remove();
  });

  it(
    'no submit fails, every task is run and told of once, and nothing of them is left',
    async () => {
      const clients = installation.nodes.map(({ url }) => installation.client(url, 0));
      const until = performance.now() + MINUTES * 60_000;
      const took: number[] = [];
      const failed: unknown[] = [];
      let asked = 0;
      let toTell = 0;
      const submitter = async (n: number): Promise<void> => {
        await pause((n * PAUSE_MS) / SUBMITTERS);
        while (performance.now() < until) {
          const told = asked++ % TOLD === 0;
          const more = told ? { callbackUrl: receiver.url('/end') } : {};
          const startedAt = performance.now();
          try {
            await clients[n % clients.length]?.submit('noop', { n: asked }, more);
            took.push(performance.now() - startedAt);
            if (told) toTell += 1;
          } catch (error) {
            failed.push(error);
          }
          await pause(PAUSE_MS);
        }
      };
      let removed = 0;
      let over = false;
      const pruning = (async () => {
        while (!over) {
          for await (const count of old.remove(Date.now() - KEPT_MS)) removed += count;
          await pause(100);
        }
      })();
      await Promise.all(Array.from({ length: SUBMITTERS }, (_, n) => submitter(n)));
      await waitFor(
        'all have ended and are removed',
        async () => Object.keys(await tasksByState(backends)).length === 0,
        120_000,
      );
      over = true;
      await pruning;
      const { deadlocks, waits } = await lockFigures(backends);
      process.stderr.write(
        `${MINUTES} min: ${took.length} submits, p50 ${percentile(took, 0.5)} ms, p99 ${percentile(took, 0.99)} ms; ` +
          `${removed} tasks removed meanwhile; ${deadlocks} deadlocks met and retried, ${waits} waits for a lock\n`,
      );
      expect(failed).toEqual([]);
      expect(removed).toBe(took.length);
      await waitFor('all are told', () => receiver.received.length >= toTell, 60_000);
      const ids = receiver.received.map(({ event }) => event.data.taskId);
      expect(new Set(ids).size).toBe(toTell);
      const left = async (table: string) => backends.dialect.root.rows(`SELECT task_id FROM ${table} LIMIT 1`);
      for (const table of ['attempts', 'webhook_events', 'webhook_deliveries'])
        expect([table, await left(table)]).toEqual([table, []]);
    },
    MINUTES * 60_000 + 300_000,
  );
});
