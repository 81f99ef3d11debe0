import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { Installation } from '../support/installation.js';
import { evenlyHeld, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';
import { fireDelays } from './lateness.js';
import { printSoak, type SoakRow } from './soak-table.js';

/** The rule is about an hour: SOAK_MANY_JOBS_MINUTES=60. */
const MINUTES = Number(process.env.SOAK_MANY_JOBS_MINUTES ?? 5);
const GROUPS = ['pay', 'mail', 'report', 'sync', 'render', 'index'];
const JOBS = 500;
const EVERY_MS = 10_000;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

describe('five hundred jobs, each every ten seconds', () => {
  let installation: Installation;
  let backends: Backends;

  beforeAll(async () => {
    installation = await Installation.create('cluster', GROUPS);
    backends = await installation.look();
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    for (const id of ['w1', 'w2']) await installation.startWorker({ id, slots: 100 });
    await evenlyHeld(backends, 2);
  }, 180_000);
  afterAll(() => installation?.remove());

  const firesByJob = async (): Promise<Map<string, number[]>> => {
    const found = await backends.dialect.root.rows<{ job_id: string; at: number | string }>(
      'SELECT job_id, fire_at AS at FROM tasks ORDER BY job_id, fire_at',
    );
    const byJob = new Map<string, number[]>();
    for (const { job_id, at } of found) byJob.set(job_id, [...(byJob.get(job_id) ?? []), Number(at)]);
    return byJob;
  };

  it(
    'miss not one of their fires, make none twice, and run every one once',
    async () => {
      const client = installation.client();
      const ids: string[] = [];
      for (let i = 0; i < JOBS; i++) {
        // Spread over the ten seconds, so that every one of them has fifty fires.
        const anchorAt = new Date((i % 10) * 1_000).toISOString();
        const rules = { schedule: { kind: 'every', everyMs: EVERY_MS, anchorAt }, overlap: 'allow', misfire: 'fire_all' };
        const job = { key: `job-${i}`, group: GROUPS[i % GROUPS.length], handler: 'noop', ...rules, maxParallel: 1_000 };
        ids.push((await client.createJob(job as never)).id);
      }
      await pause(MINUTES * 60_000);
      for (const id of ids) await client.pauseJob(id, 'the soak is over');
      const open = async () => Object.keys(await tasksByState(backends)).filter((state) => state !== 'SUCCEEDED');
      await waitFor('the last has ended', async () => (await open()).length === 0, 60_000);
      const fires = await firesByJob();
      const steps = [...fires.values()].flatMap((at) => at.slice(1).map((next, i) => next - (at[i] as number)));
      const executed = (await tasksByState(backends)).SUCCEEDED ?? 0;
      const lost = steps.reduce((sum, step) => sum + Math.max(0, step / EVERY_MS - 1), 0);
      const doubled = steps.filter((step) => step === 0).length;
      const scenario = `${JOBS} jobs @ 10 s, ${MINUTES} min (lateness of fires)`;
      rows.push({ scenario, planned: executed + lost, executed, doubled, lost, lateness: await fireDelays(backends) });
      expect([...fires.keys()].sort()).toEqual([...ids].sort());
      expect(steps.filter((step) => step !== EVERY_MS)).toEqual([]);
      const fewest = Math.min(...[...fires.values()].map((at) => at.length));
      expect(fewest).toBeGreaterThanOrEqual(Math.floor((MINUTES * 60_000) / EVERY_MS) - 1);
    },
    MINUTES * 60_000 + 300_000,
  );
});
