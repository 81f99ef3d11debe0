import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';
import { fireDelays } from './lateness.js';
import { printSoak, type SoakRow } from './soak-table.js';

/**
 * The rule is about an hour: SOAK_STEADY_MINUTES=60. Whether a fire is skipped depends on the second before it alone, so five minutes
 * show the same kind of mistake, three hundred times instead of three thousand six hundred.
 */
const MINUTES = Number(process.env.SOAK_STEADY_MINUTES ?? 5);
const RUNS_MS = 300;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

describe('a job of every second whose handler takes 300 ms, told to skip what overlaps', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;

  beforeAll(async () => {
    server = await CountingServer.start(RUNS_MS);
    installation = await Installation.create('cluster');
    backends = await installation.look();
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    for (const id of ['w1', 'w2']) await installation.startWorker({ id, slots: 4 });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  /** Where the time went in the tasks that took longest: milliseconds since their fire, and every step. */
  async function slowest(): Promise<string> {
    const found = await backends.dialect.root.rows<Record<string, number | string>>(
      `SELECT fire_at, created_at - fire_at AS created, claimed_at - fire_at AS claimed, started_at - fire_at AS started,
         ended_at - fire_at AS ended, timeline FROM tasks WHERE ended_at IS NOT NULL ORDER BY ended_at - fire_at DESC LIMIT 5`,
    );
    return found.map((row) => JSON.stringify(row)).join('\n');
  }

  it(
    'is never skipped',
    async () => {
      const client = installation.client();
      const { id } = await client.createJob({
        key: 'steady',
        handler: 'http',
        params: { url: server.url('/steady') },
        schedule: { kind: 'every', everyMs: 1_000 },
        overlap: 'skip',
        misfire: 'fire_all',
      } as never);
      await pause(MINUTES * 60_000);
      await client.pauseJob(id, 'the soak is over');
      await waitFor('the last has ended', async () => {
        const { SUCCEEDED = 0, SKIPPED = 0, ...open } = await tasksByState(backends);
        return SUCCEEDED + SKIPPED > 0 && Object.keys(open).length === 0;
      });
      const fires = (
        await backends.dialect.root.rows<{ at: number | string }>('SELECT fire_at AS at FROM tasks ORDER BY fire_at')
      ).map(({ at }) => Number(at));
      const planned = ((fires.at(-1) as number) - (fires[0] as number)) / 1_000 + 1;
      const executed = server.callsOfTask.size;
      const doubled = [...server.callsOfTask.values()].filter((n) => n > 1).length;
      const row = {
        scenario: `1 s job, 300 ms handler, skip, ${MINUTES} min (lateness of fires)`,
        ...{ planned, executed, doubled, lost: planned - executed, lateness: await fireDelays(backends) },
      };
      rows.push(row);
      process.stderr.write(`slowest:\n${await slowest()}\n`);
      expect(row).toMatchObject({ executed: planned, doubled: 0, lost: 0 });
      expect(await tasksByState(backends)).toEqual({ SUCCEEDED: planned });
      expect(server.mostAtOnce).toBe(1);
    },
    MINUTES * 60_000 + 120_000,
  );
});
