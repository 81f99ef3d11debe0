import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { CountingServer } from '../support/counting-server.js';
import { freePort } from '../support/free-port.js';
import { Installation } from '../support/installation.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';
import { fireDelays } from './lateness.js';
import { printSoak, type SoakRow } from './soak-table.js';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 3);
const JOBS = 20;
const KILL_EVERY_MS = 20_000;
const GROUPS = ['a', 'b', 'c', 'd', 'e'];
/** The partitions of a dead node are without one for so long at most, and that again for slow machines. */
const TAKEN_OVER_MS = 60_000;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

interface Fire {
  id: string;
  job: string;
  fireAt: number;
  createdAt: number;
}

describe('three nodes fire twenty jobs every second, one node killed every 20 seconds', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;
  const ports: number[] = [];

  beforeAll(async () => {
    server = await CountingServer.start(20);
    installation = await Installation.create('cluster', GROUPS);
    backends = await installation.look();
    for (let n = 0; n < 3; n++) ports.push(await freePort());
    await Promise.all(ports.map((_, n) => startNode(n)));
    const centre = ports.map((port) => `http://127.0.0.1:${port}`);
    for (const id of ['w1', 'w2', 'w3']) await installation.startWorker({ id, slots: 20, centre });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const startNode = (n: number) => installation.startNode(`n${n}`, { PORT: String(ports[n]) });
  const alive = () => installation.nodes.filter(({ process }) => !process.hasEnded);

  async function fires(): Promise<Fire[]> {
    const found = await backends.dialect.root.rows<{
      id: string;
      job: string;
      fire_at: number | string;
      created_at: number | string;
    }>('SELECT id, job_id AS job, fire_at, created_at FROM tasks WHERE fire_at IS NOT NULL ORDER BY job_id, fire_at');
    return found.map(({ id, job, fire_at, created_at }) => ({
      id,
      job,
      fireAt: Number(fire_at),
      createdAt: Number(created_at),
    }));
  }

  it(
    'makes exactly one task for every second of every job, and runs each once',
    async () => {
      const client = installation.client();
      const jobs: string[] = [];
      for (let i = 0; i < JOBS; i++) {
        const { id } = await client.createJob({
          key: `tick-${i}`,
          group: GROUPS[i % GROUPS.length],
          handler: 'http',
          params: { url: server.url(`/tick/${i}`) },
          schedule: { kind: 'every', everyMs: 1_000 },
          // Each fire missed while nobody holds the partition is made up for.
          overlap: 'allow',
          maxParallel: 1_000,
          misfire: 'fire_all',
        } as never);
        jobs.push(id);
      }
      const until = performance.now() + MINUTES * 60_000;
      for (let n = 0; performance.now() + KILL_EVERY_MS < until; n = (n + 1) % 3) {
        await pause(KILL_EVERY_MS);
        await alive()
          .find(({ id }) => id === `n${n}`)
          ?.process.kill();
        await startNode(n);
      }
      const last = Math.floor(backends.clock.now() / 1_000) * 1_000;
      await waitFor(
        'every job has fired for every second until then',
        async () => {
          const latest = new Map((await fires()).map(({ job, fireAt }) => [job, fireAt]));
          return jobs.every((job) => (latest.get(job) ?? 0) >= last);
        },
        TAKEN_OVER_MS,
      );
      const steady = installation.client(alive()[0]?.url);
      for (const job of jobs) await steady.pauseJob(job, 'the soak is over');
      const made = await fires();
      await waitFor('every task has ended', async () => (await endedTasks(backends)) === made.length, 120_000).catch(
        async (error) => {
          throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
        },
      );

      let planned = 0;
      for (const job of jobs) {
        const ofJob = made.filter((fire) => fire.job === job);
        const [first, final] = [ofJob[0]?.fireAt as number, ofJob.at(-1)?.fireAt as number];
        planned += (final - first) / 1_000 + 1;
        expect(ofJob.map(({ fireAt }) => fireAt)).toEqual(
          Array.from({ length: (final - first) / 1_000 + 1 }, (_, i) => first + i * 1_000),
        );
        expect(ofJob.every(({ fireAt, createdAt }) => createdAt >= fireAt)).toBe(true);
      }
      const runs = made.map(({ id }) => server.callsOfTask.get(id) ?? 0);
      const row = {
        scenario: '20 jobs every second, 3 nodes, kill -9 every 20 s (lateness of fires)',
        planned,
        executed: runs.filter((n) => n > 0).length,
        doubled: runs.filter((n) => n > 1).length,
        lost: runs.filter((n) => n === 0).length,
        lateness: await fireDelays(backends),
      };
      rows.push(row);
      expect(row).toMatchObject({ executed: planned, doubled: 0, lost: 0 });
      expect(await tasksByState(backends)).toEqual({ SUCCEEDED: planned });
    },
    MINUTES * 60_000 + 500_000,
  );
});
