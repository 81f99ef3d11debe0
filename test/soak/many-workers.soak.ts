import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { Installation } from '../support/installation.js';
import { lockFigures } from '../support/lock-figures.js';
import { PrivateDatabase } from '../support/private-database.js';
import { endedTasks, evenlyHeld, tasksByState } from '../support/progress.js';
import { ScriptedWorker } from '../support/scripted-worker.js';
import { waitFor } from '../support/wait-for.js';
import { startDelays } from './lateness.js';
import { percentile } from './soak-table.js';

/** The rule is about ten minutes: SOAK_WORKERS_MINUTES=10. */
const MINUTES = Number(process.env.SOAK_WORKERS_MINUTES ?? 2);
const WORKERS = 500;
const NODES = 3;
/** As the centre asks for. */
const BEAT_MS = 5_000;
const AT_ONCE = 25;

describe('five hundred workers beat to three nodes', () => {
  let database: PrivateDatabase;
  let installation: Installation;
  let backends: Backends;
  const workers: ScriptedWorker[] = [];

  beforeAll(async () => {
    database = await PrivateDatabase.start();
    installation = await Installation.create('cluster', ['default'], 1_000, database.url);
    backends = await installation.look();
    for (let n = 1; n <= NODES; n++) await installation.startNode(`n${n}`);
    await evenlyHeld(backends, NODES);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.vanish()));
    await installation?.remove();
    await database?.remove();
  });

  it(
    'no beat is refused, no statement meets a deadlock or waits for a lock of another, and tasks go on to all of them',
    async () => {
      for (let n = 0; n < WORKERS; n += AT_ONCE) {
        const some = Array.from({ length: AT_ONCE }, (_, i) =>
          ScriptedWorker.register(installation, { id: `w${n + i}`, node: (n + i) % NODES, beatMs: BEAT_MS, quick: true }),
        );
        workers.push(...(await Promise.all(some)));
      }
      const before = await lockFigures(backends);
      await pause(MINUTES * 60_000);
      const after = await lockFigures(backends);
      const taken = workers.reduce((sum, { beatsTaken }) => sum + beatsTaken, 0);
      process.stderr.write(
        `${WORKERS} workers, ${NODES} nodes, ${MINUTES} min: ${taken} beats; ` +
          `${after.deadlocks - before.deadlocks} deadlocks, ${after.waits - before.waits} waits for a lock\n`,
      );
      expect(workers.filter(({ beatsRefused }) => beatsRefused > 0).map(({ script }) => script.id)).toEqual([]);
      // All that were sent; how many that is hangs on the timers of this one process, which beats for all of them.
      const fewest = Math.min(...workers.map(({ beatsTaken }) => beatsTaken));
      expect(fewest).toBeGreaterThan((0.9 * MINUTES * 60_000) / BEAT_MS);
      expect(after).toEqual(before);

      const client = installation.client();
      await client.submitBatch(Array.from({ length: WORKERS }, () => ({ handler: 'noop', params: {} })));
      await waitFor('all have run', async () => (await endedTasks(backends)) === WORKERS, 60_000);
      expect(await tasksByState(backends)).toEqual({ SUCCEEDED: WORKERS });
      const delays = await startDelays(backends);
      process.stderr.write(`${WORKERS} tasks: p50 ${percentile(delays, 0.5)} ms, p99 ${percentile(delays, 0.99)} ms\n`);
      expect(workers.filter(({ orders }) => orders.length > 0).length).toBeGreaterThan(WORKERS / 2);
    },
    MINUTES * 60_000 + 300_000,
  );
});
