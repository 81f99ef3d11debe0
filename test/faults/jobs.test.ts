import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { Installation } from '../support/installation.js';
import { evenlyHeld } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['pay', 'mail', 'report', 'sync', 'render', 'index'];
const JOBS = 20;
const SECONDS = 25;
/** How long the partitions of a dead node may be without one, and that several times for slow machines. */
const TAKEN_OVER_MS = 60_000;

describe('two nodes fire twenty jobs every second', () => {
  let installation: Installation;
  let backends: Backends;
  beforeAll(async () => {
    installation = await Installation.create('cluster', GROUPS);
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    await installation.startWorker({ id: 'w1', slots: 100 });
    backends = await installation.look();
    await evenlyHeld(backends, 2);
  }, 180_000);
  afterAll(() => installation?.remove());

  const fires = async (jobId: string) => {
    const rows = await backends.dialect.root.rows<{ fire_at: number | string; created_at: number | string; state: number }>(
      'SELECT fire_at, created_at, state FROM tasks WHERE job_id = ? ORDER BY fire_at',
      [jobId],
    );
    return rows.map((row) => ({ fireAt: Number(row.fire_at), createdAt: Number(row.created_at) }));
  };

  it('exactly one task for every second of every job, although one node is killed in the middle', async () => {
    const clients = installation.nodes.map(({ url }) => installation.client(url));
    const ids: string[] = [];
    for (let i = 0; i < JOBS; i++) {
      const job = {
        key: `tick-${i}`,
        group: GROUPS[i % GROUPS.length],
        handler: 'noop',
        schedule: { kind: 'every', everyMs: 1_000 },
      };
      // Every fire missed while nobody holds the partition is made up for.
      const { id } = await (clients[i % 2] as (typeof clients)[0]).createJob({
        ...job,
        overlap: 'allow',
        maxParallel: 1_000,
        misfire: 'fire_all',
      } as never);
      ids.push(id);
    }
    await pause((SECONDS * 1_000) / 2);
    await installation.node('n1').process.kill();
    await pause((SECONDS * 1_000) / 2);
    const until = Math.floor(backends.clock.now() / 1_000) * 1_000;
    await waitFor(
      'every job has fired for every second until then',
      async () => (await Promise.all(ids.map(fires))).every((made) => (made.at(-1)?.fireAt ?? 0) >= until),
      TAKEN_OVER_MS,
    ).catch((error) => {
      throw new Error(`${error.message}\n${installation.output}`);
    });
    for (const id of ids) {
      const made = (await fires(id)).filter(({ fireAt }) => fireAt <= until);
      const first = made[0]?.fireAt as number;
      expect(made.length).toBeGreaterThanOrEqual(SECONDS - 2);
      expect(made.map(({ fireAt }) => fireAt)).toEqual(
        Array.from({ length: (until - first) / 1_000 + 1 }, (_, i) => first + i * 1_000),
      );
      expect(made.every(({ fireAt, createdAt }) => createdAt >= fireAt)).toBe(true);
    }
  }, 180_000);
});
