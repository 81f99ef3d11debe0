import type { Backends } from '../../src/backends/backends.js';
import { Installation } from '../support/installation.js';
import { seedJobs } from '../support/seeded-jobs.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const JOBS = 1_000;
const GROUPS = ['pay', 'mail', 'report', 'sync'];

describe.each(ADAPTERS)('a thousand jobs that are due in the same second (%s)', (adapter) => {
  let installation: Installation;
  let backends: Backends;
  beforeAll(async () => {
    installation = await Installation.create(adapter, GROUPS);
    backends = await installation.look();
  }, 120_000);
  afterAll(() => installation?.remove());

  it('have one task each for it, and none that is not due has any', async () => {
    const second = Math.floor(backends.clock.now() / 1_000) * 1_000 + 6_000;
    const at = new Date(second).toISOString();
    await seedJobs(backends, GROUPS, JOBS, () => ({ schedule: { kind: 'once', at }, nextFireAt: second }));
    await seedJobs(backends, GROUPS, JOBS, (i) => ({
      schedule: { kind: 'every', everyMs: 3_600_000 },
      nextFireAt: second + 3_600_000 + i,
    }));
    await installation.startNode('n1');
    if (adapter === 'cluster') await installation.startNode('n2');
    await installation.startWorker({ id: 'w1', slots: 100 });
    const made = () =>
      backends.dialect.root.rows<{ job_id: string; fire_at: number | string }>(
        'SELECT job_id, fire_at FROM tasks WHERE job_id IS NOT NULL',
      );
    await waitFor('each has fired', async () => (await made()).length >= JOBS, 60_000);
    await waitFor(
      'each has run',
      async () => {
        const [row] = await backends.dialect.root.rows<{ n: number | string }>('SELECT COUNT(*) AS n FROM tasks WHERE state = 7');
        return Number(row?.n) === JOBS;
      },
      60_000,
    );
    const tasks = await made();
    expect(tasks).toHaveLength(JOBS);
    expect(new Set(tasks.map(({ job_id }) => job_id)).size).toBe(JOBS);
    expect(new Set(tasks.map(({ fire_at }) => Number(fire_at)))).toEqual(new Set([second]));
  }, 180_000);
});
