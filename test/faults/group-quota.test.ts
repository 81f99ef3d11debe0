import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { Installation } from '../support/installation.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';

const QUOTAS = { narrow: 3, wide: 11 } as const;
const TASKS = 400;
const IN_FLIGHT = `state IN (${STATE_CODE.DISPATCHED}, ${STATE_CODE.RUNNING})`;

describe('the quota of a group', () => {
  let installation: Installation;
  let backends: Backends;
  beforeAll(async () => {
    installation = await Installation.create('cluster', Object.keys(QUOTAS));
    backends = await installation.look();
    for (const [key, quota] of Object.entries(QUOTAS))
      await backends.dialect.root.run('UPDATE task_groups SET max_running = ? WHERE group_key = ?', [quota, key]);
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    for (const id of ['w1', 'w2']) await installation.startWorker({ id, slots: 20 });
  }, 180_000);
  afterAll(() => installation?.remove());

  const inFlight = async (): Promise<Record<string, number>> => {
    const rows = await backends.dialect.root.rows<{ group_key: string; n: number | string }>(
      `SELECT g.group_key AS group_key, COUNT(*) AS n FROM tasks t INNER JOIN task_groups g ON g.id = t.group_id WHERE t.${IN_FLIGHT} GROUP BY g.group_key`,
    );
    return Object.fromEntries(rows.map(({ group_key, n }) => [group_key, Number(n)]));
  };

  it('is never exceeded by even one while three workers and two nodes run and one of each is killed, and is free afterwards', async () => {
    const doomed = await installation.startWorker({ id: 'w3', slots: 20 });
    const most: Record<string, number> = { narrow: 0, wide: 0 };
    let sampling = true;
    let samples = 0;
    const sampler = (async () => {
      while (sampling) {
        for (const [key, n] of Object.entries(await inFlight())) most[key] = Math.max(most[key] ?? 0, n);
        samples += 1;
      }
    })();
    const client = installation.client(installation.node('n2').url);
    for (const group of Object.keys(QUOTAS)) {
      for (let from = 0; from < TASKS / 2; from += 100) {
        const items = Array.from({ length: 100 }, (_, i) => ({
          handler: 'sleep',
          group,
          params: { ms: 20 },
          clientRequestId: `${group}-${from + i}`,
        }));
        await client.submitBatch(items);
      }
    }
    await waitFor('some have run', async () => (await endedTasks(backends)) > 30, 60_000);
    await doomed.kill();
    await waitFor('more have run', async () => (await endedTasks(backends)) > 60, 60_000);
    await installation.node('n1').process.kill();
    await waitFor('all have ended', async () => (await endedTasks(backends)) === TASKS, 120_000).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
    });
    sampling = false;
    await sampler;
    expect(samples).toBeGreaterThan(100);
    expect(most.narrow).toBeLessThanOrEqual(QUOTAS.narrow);
    expect(most.wide).toBeLessThanOrEqual(QUOTAS.wide);
    expect(await tasksByState(backends)).toEqual({ SUCCEEDED: TASKS });
    expect(await inFlight()).toEqual({});
  }, 300_000);

  it('is whole again after the kills: as many run at once as before', async () => {
    const client = installation.client(installation.node('n2').url);
    const items = Array.from({ length: 30 }, (_, i) => ({
      handler: 'sleep',
      group: 'wide',
      params: { ms: 1_500 },
      clientRequestId: `again-${i}`,
    }));
    await client.submitBatch(items);
    await waitFor('the whole quota is used', async () => (await inFlight()).wide === QUOTAS.wide, 60_000);
    await waitFor('all have ended', async () => (await endedTasks(backends)) === TASKS + 30, 60_000);
  }, 150_000);
});
