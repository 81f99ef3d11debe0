import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { Installation } from '../support/installation.js';
import { tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';

const SATURATED = { NODE_OPTIONS: `--require ${join(__dirname, '..', 'support', 'saturated-loop.cjs')}` };
const JOBS = 20;
const SECONDS = 15;
/** A slot may be two seconds off; five times that for slow machines. */
const LATE_MS = 10_000;

describe('a node whose event loop is busy four fifths of the time', () => {
  let installation: Installation;
  let backends: Backends;
  beforeAll(async () => {
    installation = await Installation.create('cluster', ['default']);
    await installation.startNode('n1', SATURATED);
    await installation.startWorker({ id: 'w1', slots: 100 });
    backends = await installation.look();
  }, 180_000);
  afterAll(() => installation?.remove());

  const fires = () =>
    backends.dialect.root.rows<{ job_id: string; fire_at: number | string; created_at: number | string }>(
      'SELECT job_id, fire_at, created_at FROM tasks ORDER BY job_id, fire_at',
    );

  it('fires every second of every job once, none of them bunched with others or far from its second', async () => {
    const client = installation.client();
    const rules = { overlap: 'allow', maxParallel: 1_000, misfire: 'fire_all' };
    const ids: string[] = [];
    for (let i = 0; i < JOBS; i++) {
      const job = { key: `tick-${i}`, handler: 'noop', schedule: { kind: 'every', everyMs: 1_000 }, ...rules };
      ids.push((await client.createJob(job as never)).id);
    }
    await pause(SECONDS * 1_000);
    for (const id of ids) await client.pauseJob(id, 'enough');
    await waitFor('every task has ended', async () => Object.keys(await tasksByState(backends)).join() === 'SUCCEEDED', 60_000);
    const made = (await fires()).map((row) => ({
      job: row.job_id,
      at: Number(row.fire_at),
      late: Number(row.created_at) - Number(row.fire_at),
    }));
    for (const id of ids) {
      const ofJob = made.filter(({ job }) => job === id).map(({ at }) => at);
      expect(ofJob.length).toBeGreaterThanOrEqual(SECONDS / 2);
      expect(ofJob).toEqual(ofJob.map((_, i) => (ofJob[0] as number) + i * 1_000));
    }
    expect(made.filter(({ late }) => late < 0 || late > LATE_MS)).toEqual([]);
  }, 180_000);
});
