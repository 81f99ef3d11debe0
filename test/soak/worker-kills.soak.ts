import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import type { Process } from '../support/processes.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';
import { startDelays } from './lateness.js';
import { printSoak, type SoakRow } from './soak-table.js';

/** The rule is about half an hour, and about a run of fifteen minutes within it: SOAK_WORKER_MINUTES=30. */
const MINUTES = Number(process.env.SOAK_WORKER_MINUTES ?? 3);
const KILL_EVERY_MS = 20_000;
const PER_SECOND = 5;
const TAKES_MS = 2_000;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

describe('three workers, one of them killed every 20 seconds, and one that is left in peace', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;
  const workers = new Map<string, Process>();

  beforeAll(async () => {
    server = await CountingServer.start(TAKES_MS);
    installation = await Installation.create('cluster', ['busy', 'quiet']);
    backends = await installation.look();
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    for (const id of ['w1', 'w2', 'w3']) await start(id);
    await installation.startWorker({ id: 'long', groups: ['quiet'], slots: 1 });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  async function start(id: string): Promise<void> {
    workers.set(id, await installation.startWorker({ id, groups: ['busy'], slots: 10 }));
  }

  /** Tasks whose handler was called more often than they had attempts. */
  async function calledAgain(): Promise<string[]> {
    const found = await backends.dialect.root.rows<{ id: string; attempts: number | string }>(
      'SELECT id, attempt AS attempts FROM tasks',
    );
    return found.filter(({ id, attempts }) => (server.callsOfTask.get(id) ?? 0) > Number(attempts)).map(({ id }) => id);
  }

  it(
    'lose no task, leave none running without an owner, and run none again that was not cut off; the long one runs once',
    async () => {
      const client = installation.client();
      const until = performance.now() + MINUTES * 60_000;
      const longMs = (MINUTES * 60_000) / 2;
      const long = await client.submit('sleep', { ms: longMs }, { group: 'quiet', timeoutMs: longMs + 60_000 });
      const kills = (async () => {
        for (let n = 1; performance.now() + KILL_EVERY_MS < until; n = (n % 3) + 1) {
          await pause(KILL_EVERY_MS);
          await workers.get(`w${n}`)?.kill();
          await start(`w${n}`);
        }
      })();
      let planned = 0;
      while (performance.now() < until) {
        const items = Array.from({ length: PER_SECOND }, () => {
          planned += 1;
          return {
            handler: 'http',
            group: 'busy',
            params: { url: server.url(`/task/${planned}`) },
            clientRequestId: `task-${planned}`,
          };
        });
        await client.submitBatch(items);
        await pause(1_000);
      }
      await kills;
      await waitFor('every task has ended', async () => (await endedTasks(backends)) === planned + 1, 180_000).catch(
        async (error) => {
          throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
        },
      );
      const { size } = server.calls;
      const again = await calledAgain();
      rows.push({
        scenario: `worker killed every 20 s, ${MINUTES} min`,
        planned,
        executed: size,
        doubled: again.length,
        lost: planned - size,
        lateness: await startDelays(backends),
      });
      process.stderr.write(`cut off by a kill and run again: ${server.repeated.length}\n`);
      expect(again).toEqual([]);
      expect(await tasksByState(backends)).toEqual({ SUCCEEDED: planned + 1 });
      expect(size).toBe(planned);
      expect(server.repeated.length).toBeGreaterThan(0);
      expect(await client.get(long.id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    },
    MINUTES * 60_000 + 400_000,
  );
});
