import type { EvenkeelClient, TaskView } from '@evenkeel/sdk/client';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { CountingServer } from '../support/counting-server.js';
import { FullWorker } from '../support/full-worker.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { steps, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const KEYS = 1_000;
const LIMIT = 12;
const RUNNING = 6;

describe.each(ADAPTERS)('shards on real workers (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  let server: CountingServer;

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create(adapter, ['wide', 'everywhere', 'narrow', 'pinned', 'stopping'], LIMIT);
    await installation.startNode('n1');
    client = installation.client();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const shardsOf = async (parentId: string): Promise<TaskView[]> => {
    const { items } = await client.list({ parentId, limit: 200 });
    const shards = await Promise.all(items.map(({ id }) => client.get(id)));
    return shards.sort((a, b) => (a.shard?.index ?? 0) - (b.shard?.index ?? 0));
  };
  it('stay as they were made while workers join and leave, and each is done by one of them', async () => {
    server.hold();
    const leaving = await installation.startWorker({ id: 'w1', groups: ['wide'], slots: 2 });
    const { id } = await client.submit('http', { url: server.url('/wide') }, { group: 'wide', shards: 16 });
    await waitFor('the first ones run', () => server.total >= 2);
    expect(await client.get(id)).toMatchObject({
      status: 'RUNNING',
      reason: 'waiting_for_shards',
      shards: { total: 16, done: 0 },
    });
    await installation.startWorker({ id: 'w2', groups: ['wide'], slots: 4 });
    const workers = async () => new Set((await shardsOf(id)).map(({ attempts }) => attempts[0]?.worker));
    await waitFor('the one that joined has some', async () => (await workers()).has('w2'), 60_000);
    await leaving.kill();
    server.release();
    const task = await client.wait(id, { timeoutMs: 90_000 });
    expect(task).toMatchObject({ status: 'SUCCEEDED', progress: 1, shards: { total: 16, done: 16, failed: 0 } });
    expect(steps(task)).toEqual(['>PENDING', 'PENDING>RUNNING', 'RUNNING>SUCCEEDED']);
    const shards = await shardsOf(id);
    expect(shards.map(({ shard }) => shard)).toEqual(Array.from({ length: 16 }, (_, index) => ({ index, total: 16 })));
    for (const shard of shards) {
      expect(shard).toMatchObject({ status: 'SUCCEEDED', parentId: id });
      expect(shard.attempts.at(-1)).toMatchObject({ worker: 'w2', outcome: 'succeeded' });
    }
    expect(shards.some(({ attempts }) => attempts[0]?.worker === 'w1')).toBe(true);
  }, 150_000);

  it('never run more at once than the group may, whose quota no divided task uses up', async () => {
    await installation.startWorker({ id: 'w3', groups: ['narrow'], slots: 50 });
    const ids: string[] = [];
    for (let n = 0; n < 8; n++)
      ids.push((await client.submit('shards', { items: KEYS, ms: 50 }, { group: 'narrow', shards: 5 })).id);
    const { root } = (await installation.look()).dialect;
    const seen: number[] = [];
    await waitFor(
      'all have ended',
      async () => {
        const tasks = await Promise.all(ids.map((id) => client.get(id)));
        const [row] = await root.rows<{ n: number | string }>(
          `SELECT COUNT(*) AS n FROM tasks WHERE parent_id IS NOT NULL AND state IN (${STATE_CODE.DISPATCHED}, ${STATE_CODE.RUNNING})`,
        );
        seen.push(Number(row?.n));
        return tasks.every(({ status }) => status === 'SUCCEEDED');
      },
      60_000,
    );
    expect(Math.max(...seen)).toBeLessThanOrEqual(LIMIT);
    const shards = await shardsOf(ids[0] as string);
    const parts = shards.map(({ result }) => result as { owned: number; items: string[] });
    expect(parts.reduce((sum, { owned }) => sum + owned, 0)).toBe(KEYS);
    const items = parts.flatMap((part) => part.items);
    expect(new Set(items).size).toBe(items.length);
  }, 90_000);

  it('of a broadcast wait for a worker, then go to each one once, with shares that make up the whole', async () => {
    const { id } = await client.submit('echo', { flush: true }, { group: 'everywhere', shards: 'broadcast' });
    expect(await client.get(id)).toMatchObject({ status: 'PENDING', reason: 'no_worker', shards: { total: 0 } });
    await installation.startWorker({ id: 'a', groups: ['everywhere'] });
    expect(await client.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'SUCCEEDED', shards: { total: 1 } });
    await installation.startWorker({ id: 'b', groups: ['everywhere'] });
    const gone = await installation.startWorker({ id: 'c', groups: ['everywhere'] });
    const again = await client.submit('echo', {}, { group: 'everywhere', shards: 'broadcast' });
    await client.wait(again.id, { timeoutMs: 30_000 });
    const shards = await shardsOf(again.id);
    expect(shards.map(({ attempts }) => attempts[0]?.worker)).toEqual(['a', 'b', 'c']);
    expect(shards.map(({ shard }) => shard?.share)).toEqual([
      { from: 0, to: 1 / 3 },
      { from: 1 / 3, to: 2 / 3 },
      { from: 2 / 3, to: 1 },
    ]);
    expect(await gone.stop()).toBe(0);
  }, 90_000);

  it('wait for the worker each was made for while that one is full, and go to another when it has left', async () => {
    const full = await FullWorker.register(installation, { id: 'full', group: 'pinned', handler: 'http' });
    try {
      await installation.startWorker({ id: 'free', groups: ['pinned'] });
      const { id } = await client.submit('http', { url: server.url('/pinned') }, { group: 'pinned', shards: 'broadcast' });
      const one = await waitFor('the other one has ended', async () =>
        (await shardsOf(id)).find(({ status }) => status === 'SUCCEEDED'),
      );
      expect(one.attempts[0]?.worker).toBe('free');
      const [own] = (await shardsOf(id)).filter((shard) => shard.id !== one.id) as [TaskView];
      await waitFor('it was refused several times', () => full.refusalsOf(own.id) >= 3);
      expect(['PENDING', 'DISPATCHED']).toContain((await client.get(own.id)).status);
      await full.leave();
      expect(await client.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'SUCCEEDED' });
      expect((await client.get(own.id)).attempts.at(-1)?.worker).toBe('free');
    } finally {
      await full.leave().catch(() => undefined);
    }
  }, 90_000);

  it('stop with the first failure if they shall, also those that run', async () => {
    await installation.startWorker({ id: 'w4', groups: ['stopping'], slots: 10 });
    const options = { group: 'stopping', shards: RUNNING, onShardFailure: 'stop', retry: { kind: 'none' } } as const;
    const { id } = await client.submit('shards', { items: 1, ms: 60_000 }, options);
    await waitFor('some run', async () => ((await client.get(id)).shards?.running ?? 0) === RUNNING);
    const [first] = await shardsOf(id);
    await client.cancel(first?.id as string);
    const task = await client.wait(id, { timeoutMs: 30_000 });
    expect(task).toMatchObject({ status: 'FAILED', reason: 'shard_failed', error: { name: 'ShardFailed' } });
    for (const shard of await shardsOf(id)) expect(shard.status).toBe('CANCELLED');
  }, 60_000);

  it('are cancelled with the whole, and then it is', async () => {
    const { id } = await client.submit('shards', { items: 1, ms: 60_000 }, { group: 'stopping', shards: RUNNING });
    await waitFor('some run', async () => ((await client.get(id)).shards?.running ?? 0) === RUNNING);
    expect(await client.cancel(id)).toMatchObject({ cancelRequested: true });
    const task = await untilTask(client, id, 'CANCELLED');
    expect(task.result).toMatchObject({ total: RUNNING, cancelled: RUNNING });
  }, 60_000);

  it('of a job hold its place until the last of them has ended', async () => {
    const policies = { shards: 3, overlap: 'queue', params: { items: 9, ms: 200 } } as const;
    const job = await client.createJob({
      key: 'sharded',
      group: 'stopping',
      handler: 'shards',
      schedule: { kind: 'manual' },
      ...policies,
    });
    expect(await client.getJob(job.id)).toMatchObject({ shards: 3, onShardFailure: 'continue' });
    const one = await client.triggerJob(job.id);
    const two = await client.triggerJob(job.id);
    expect(two.status).toBe('BLOCKED');
    const first = await client.wait(one.id, { timeoutMs: 30_000 });
    const second = await client.wait(two.id, { timeoutMs: 30_000 });
    for (const task of [first, second]) expect(task).toMatchObject({ status: 'SUCCEEDED', shards: { total: 3, done: 3 } });
    expect(Date.parse(second.startedAt as string)).toBeGreaterThanOrEqual(Date.parse(first.finishedAt as string));
    expect((await client.list({ jobId: job.id })).items.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
  }, 60_000);
});
