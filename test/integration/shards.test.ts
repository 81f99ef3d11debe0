import type { AttemptResult, ShardsResult, TaskState } from '@evenkeel/sdk/contract';
import type { Participant } from '../../src/decisions/shards.js';
import { advance } from '../../src/tasks/advance.js';
import type { NewTask, TaskRecord } from '../../src/tasks/task.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP, TaskWorld } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

type Outcome = AttemptResult['outcome'];
const NO_RETRY = { retry: { kind: 'none' } } as const;

describe.each(ADAPTERS)('a task with shards (%s)', (adapter) => {
  let database: FreshDatabase;
  let world: TaskWorld;
  /** Another node on the same database, where the adapter allows one. */
  let other: TaskWorld;

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    world = await new TaskWorld(await database.open()).prepare();
    other = adapter === 'cluster' ? await new TaskWorld(await database.open()).prepare() : world;
  });
  afterAll(() => database?.drop());

  const split = (id: string, workers: readonly Participant[] = [], node = world) =>
    node.backends.dialect.transaction((tx) => node.splits.split(tx, id, workers, node.now, 'node:n1'));
  const shardsOf = async (parentId: string): Promise<TaskRecord[]> => {
    const shards = await world.tasks.list({ appId: APP, parentId, limit: 1_000 });
    return shards.sort((a, b) => (a.shardIndex as number) - (b.shardIndex as number));
  };
  const divided = async (count: number, more: Partial<NewTask> = {}) => {
    const id = await world.submit({ shards: count, options: NO_RETRY, ...more });
    await split(id);
    return { id, shards: await shardsOf(id) };
  };
  const resultOf = (taskId: string, lease: number, outcome: Outcome): AttemptResult => ({
    ...{ taskId, lease, outcome, startedAt: world.now, endedAt: world.now },
    ...(outcome === 'succeeded' ? { result: { ok: taskId } } : {}),
    ...(outcome === 'failed' ? { error: { name: 'Error', message: 'boom\nat line 1' } } : {}),
  });
  const run = async ({ id }: { id: string }, outcome: Outcome, node = world) => {
    const lease = await world.claim(id);
    await node.lifecycle.settle('w1', [resultOf(id, lease, outcome)]);
  };
  const progress = async (id: string) => (await world.tasks.shardProgressOf([await world.find(id)])).get(id);
  const within = (work: Parameters<typeof world.backends.dialect.transaction>[0]) => world.backends.dialect.transaction(work);

  describe('dividing', () => {
    it('makes every shard once, however often and wherever it is tried', async () => {
      const id = await world.submit({ shards: 7, params: '{"n":9007199254740993}', metadata: { order: '1' }, priority: 8 });
      expect(await world.find(id)).toMatchObject({ state: 'PENDING', shardTotal: 7 });
      const changes = await Promise.all([split(id), split(id, [], other), split(id), split(id, [], other)]);
      expect(changes.filter((each) => each.length > 0)).toHaveLength(1);
      const shards = await shardsOf(id);
      expect(shards.map(({ shardIndex, shardTotal }) => [shardIndex, shardTotal])).toEqual(
        [0, 1, 2, 3, 4, 5, 6].map((i) => [i, 7]),
      );
      for (const shard of shards)
        expect(await world.find(shard.id)).toMatchObject({
          ...{ state: 'PENDING', parentId: id, params: '{"n":9007199254740993}', metadata: { order: '1' }, priority: 8 },
        });
      expect(await world.find(id)).toMatchObject({ state: 'RUNNING', version: 2 });
      expect(await progress(id)).toEqual({ total: 7, done: 0, failed: 0, running: 0, pending: 7 });
    });

    it('gives params of 64 KiB to each of ten shards', async () => {
      const params = JSON.stringify('x'.repeat(65_000));
      const { shards } = await divided(10, { params });
      for (const { id } of shards) expect((await world.find(id)).params).toBe(params);
    });

    it('makes a thousand shards at once', async () => {
      const { id } = await divided(1_000);
      expect(await progress(id)).toMatchObject({ total: 1_000, pending: 1_000 });
    });

    it('leaves a task alone that is not due, was cancelled, or has no shards', async () => {
      const later = await world.submit({ shards: 3, delayMs: 60_000 });
      const cancelled = await world.submit({ shards: 3 });
      const plain = await world.submit();
      expect(await world.tasks.requestCancel(APP, cancelled, 'app:test')).toMatchObject({ outcome: 'cancelled' });
      for (const id of [later, cancelled, plain]) expect(await split(id)).toEqual([]);
      expect(await progress(cancelled)).toEqual({ total: 3, done: 0, failed: 0, running: 0, pending: 0 });
      expect((await world.find(later)).state).toBe('SCHEDULED');
    });

    it('makes a repeated submit one task with one set of shards', async () => {
      const same = { shards: 3, clientRequestId: 'sharded-1', fingerprint: 'f1' };
      const outcomes = (await Promise.all(Array.from({ length: 20 }, () => world.tasks.submit([world.newTask(same)])))).flat();
      const ids = new Set(outcomes.map((each) => 'task' in each && each.task.id));
      expect(ids.size).toBe(1);
      await split([...ids][0] as string);
      expect(await shardsOf([...ids][0] as string)).toHaveLength(3);
    });

    it('of a broadcast waits for workers, then makes one shard for each with its share', async () => {
      const id = await world.submit({ shards: 'broadcast' });
      expect(await split(id)).toEqual([]);
      expect(await world.find(id)).toMatchObject({ state: 'PENDING', shardTotal: 0 });
      await split(id, [{ workerId: 'b', weight: 3 }, { workerId: 'a' }]);
      await split(id, [{ workerId: 'a' }, { workerId: 'b' }, { workerId: 'c' }]);
      expect(
        (await shardsOf(id)).map(({ pinnedWorkerId, shardTotal, options }) => [pinnedWorkerId, shardTotal, options.share]),
      ).toEqual([
        ['a', 2, { from: 0, to: 0.25 }],
        ['b', 2, { from: 0.25, to: 1 }],
      ]);
      expect((await world.find(id)).shardTotal).toBe(2);
    });
  });

  describe('who sees it', () => {
    it('is counted in any number of groups at once', async () => {
      const groups = Array.from({ length: 1_000 }, (_, i) => 1_000 - i);
      const count = (of: number[]) => world.claims.countInFlight(world.backends.dialect.root, of);
      const found = await count(groups);
      expect(found.size).toBe(groups.length);
      expect(found.get(1)).toBe((await count([1])).get(1));
      expect(await count([])).toEqual(new Map());
    });

    it('is never picked nor counted as running, its shards are', async () => {
      const inFlight = async () => (await world.claims.countInFlight(world.backends.dialect.root, [1])).get(1) ?? 0;
      const before = await inFlight();
      const id = await world.submit({ shards: 2, handler: 'only-divided' });
      expect(await world.heads(['only-divided'])).toEqual([]);
      await split(id);
      const [first, second] = (await shardsOf(id)) as [TaskRecord, TaskRecord];
      // Due together: which of them comes first is nobody's promise.
      expect((await world.heads(['only-divided'])).sort()).toEqual([first.id, second.id].sort());
      expect(await inFlight()).toBe(before);
      expect((await world.claims.inFlight(world.backends.dialect.root, [1])).map((task) => task.id)).not.toContain(id);
      await world.claim(first.id);
      expect(await inFlight()).toBe(before + 1);
    });

    it('is found by those who divide, a broadcast only once its handler is served', async () => {
      const { root } = world.backends.dialect;
      const id = await world.submit({ shards: 2 });
      const broadcast = await world.submit({ shards: 'broadcast', handler: 'rare' });
      expect(
        await world.shards.groupsToSplit(
          root,
          Array.from({ length: 16 }, (_, n) => n),
        ),
      ).toEqual([1]);
      const found = await world.shards.toSplit(root, 1, [], 100);
      expect(found).toContain(id);
      expect(found).not.toContain(broadcast);
      expect(await world.shards.toSplit(root, 1, ['rare'], 100)).toContain(broadcast);
    });

    it('stands in the list without its shards, which are listed when asked for', async () => {
      const { id, shards } = await divided(3);
      const listed = (await world.tasks.list({ appId: APP, limit: 200 })).map((task) => task.id);
      expect(listed).toContain(id);
      for (const shard of shards) expect(listed).not.toContain(shard.id);
      expect(shards).toHaveLength(3);
    });

    it('lets shards that wait for a full worker hold nobody up', async () => {
      const id = await world.submit({ shards: 'broadcast', handler: 'everywhere' });
      await split(id, [{ workerId: 'a' }, { workerId: 'b' }]);
      const [a, b] = (await shardsOf(id)) as [TaskRecord, TaskRecord];
      const pick = async (full: string[]) => {
        const { rows } = await world.claims.pick(world.backends.dialect.root, 1, [], 100, { handlers: ['everywhere'], full });
        return rows.map((row) => row.id).sort();
      };
      expect(await pick([])).toEqual([a.id, b.id].sort());
      expect(await pick(['a'])).toEqual([b.id]);
      expect(await pick(['a', 'b'])).toEqual([]);
    });
  });

  describe('ending', () => {
    const ends: [Outcome[], TaskState, string | null][] = [
      [['succeeded', 'succeeded', 'succeeded'], 'SUCCEEDED', null],
      [['succeeded', 'failed', 'succeeded'], 'FAILED', 'shard_failed'],
      [['failed', 'failed', 'failed'], 'FAILED', 'shard_failed'],
      [['succeeded', 'timed_out', 'succeeded'], 'FAILED', 'shard_failed'],
      [['cancelled', 'succeeded', 'succeeded'], 'FAILED', 'shard_failed'],
    ];

    it.each(ends)('after %j it is %s (%s), and its result tells of every shard', async (outcomes, state, reason) => {
      const { id, shards } = await divided(3);
      for (const [i, outcome] of outcomes.entries()) {
        expect((await world.find(id)).state).toBe('RUNNING');
        expect(await progress(id)).toMatchObject({ done: i, pending: 3 - i });
        await run(shards[i] as TaskRecord, outcome);
      }
      const parent = await world.find(id);
      const unsuccessful = outcomes.filter((outcome) => outcome !== 'succeeded').length;
      expect(parent).toMatchObject({ state, reason });
      expect(parent.endedAt).not.toBeNull();
      expect(await progress(id)).toEqual({ total: 3, done: 3, failed: unsuccessful, running: 0, pending: 0 });
      const result = JSON.parse(parent.result as string) as ShardsResult;
      expect(result).toMatchObject({ total: 3, succeeded: 3 - unsuccessful });
      expect(result.shards.map(({ index, taskId }) => [index, taskId])).toEqual(shards.map((shard, i) => [i, shard.id]));
      for (const [i, shard] of result.shards.entries()) {
        if (outcomes[i] === 'succeeded') expect(shard).toMatchObject({ status: 'SUCCEEDED', result: { ok: shard.taskId } });
        if (outcomes[i] === 'failed') expect(shard).toMatchObject({ status: 'FAILED', error: 'Error: boom' });
      }
      expect(parent.error?.message.startsWith(`${unsuccessful} of 3 shards`) ?? false).toBe(unsuccessful > 0);
    });

    it('lists the first hundred shards only, and leaves out what is long', async () => {
      const { id, shards } = await divided(150);
      const results: AttemptResult[] = [];
      for (const shard of shards) {
        const lease = await world.claim(shard.id);
        results.push({ ...resultOf(shard.id, lease, 'succeeded'), result: shard.shardIndex === 0 ? 'x'.repeat(3_000) : 1 });
      }
      await world.lifecycle.settle('w1', results);
      const result = JSON.parse((await world.find(id)).result as string) as ShardsResult;
      expect(result).toMatchObject({ total: 150, succeeded: 150 });
      expect(result.shards).toHaveLength(100);
      expect(result.shards[0]).toMatchObject({ index: 0, resultOmitted: true });
      expect(result.shards[99]).toMatchObject({ index: 99, result: 1 });
    });

    it('is one write, whatever number of shards ends in one settlement', async () => {
      const { id, shards } = await divided(300);
      const results: AttemptResult[] = [];
      for (const shard of shards) results.push(resultOf(shard.id, await world.claim(shard.id), 'succeeded'));
      const { version } = await world.find(id);
      await world.lifecycle.settle('w1', results.slice(0, 200));
      expect(await world.find(id)).toMatchObject({ state: 'RUNNING', version });
      await world.lifecycle.settle('w1', results.slice(200));
      expect(await world.find(id)).toMatchObject({ state: 'SUCCEEDED', version: version + 1 });
    });

    it('is written exactly once when two nodes end the last two shards at the same time', async () => {
      for (let round = 0; round < 200; round++) {
        const { id, shards } = await divided(2);
        const [a, b] = shards as [TaskRecord, TaskRecord];
        const leases = [await world.claim(a.id), await world.claim(b.id)] as const;
        await Promise.all([
          world.lifecycle.settle('w1', [resultOf(a.id, leases[0], 'succeeded')]),
          other.lifecycle.settle('w1', [resultOf(b.id, leases[1], 'succeeded')]),
        ]);
        expect(await world.find(id)).toMatchObject({ state: 'SUCCEEDED', version: 3 });
      }
    }, 120_000);

    it('waits for a shard that is tried again, and for that shard alone', async () => {
      const { id, shards } = await divided(2, { options: { retry: { kind: 'fixed', maxRetries: 1, delayMs: 0 } } });
      const [a, b] = shards as [TaskRecord, TaskRecord];
      await run(a, 'failed');
      await run(b, 'succeeded');
      expect(await world.find(a.id)).toMatchObject({ state: 'RETRYING', attempt: 2 });
      expect((await world.find(id)).state).toBe('RUNNING');
      await within((tx) => world.lifecycle.promote(tx, [a.id], 'node:n1'));
      await run(a, 'succeeded');
      expect((await world.find(id)).state).toBe('SUCCEEDED');
      expect((await world.find(b.id)).attempt).toBe(1);
    });
  });

  describe('stopping', () => {
    it('with `stop` a shard that failed stops the others, and the task ends when the running ones have', async () => {
      const { id, shards } = await divided(4, { options: { ...NO_RETRY, onShardFailure: 'stop' } });
      const [failing, running, waiting, done] = shards as [TaskRecord, TaskRecord, TaskRecord, TaskRecord];
      await run(done, 'succeeded');
      const lease = await world.claim(running.id);
      await run(failing, 'failed');
      expect(await world.shards.toReview(world.backends.dialect.root, [1])).toContainEqual(expect.objectContaining({ id }));
      const told: string[] = [];
      world.tasks.onCancelAsked((task) => told.push(task.id));
      await world.tasks.stopShards(id, 'shard_failed', 'node:n1');
      await world.tasks.stopShards(id, 'shard_failed', 'node:n1');
      expect(told).toEqual([running.id]);
      expect(await world.find(waiting.id)).toMatchObject({ state: 'CANCELLED', reason: 'shard_failed' });
      expect((await world.find(id)).state).toBe('RUNNING');
      await world.lifecycle.settle('w1', [resultOf(running.id, lease, 'cancelled')]);
      expect(await world.find(id)).toMatchObject({ state: 'FAILED', reason: 'shard_failed', cancelAskedAt: null });
      expect((await world.find(done.id)).state).toBe('SUCCEEDED');
    });

    it('tells the nodes at once that the others must stop, and says nothing of the kind with `continue`', async () => {
      const heard: string[] = [];
      const unsubscribe = world.news.onNews(({ parents }) => heard.push(...parents.map((parent) => parent.id)));
      const stopping = await divided(2, { options: { ...NO_RETRY, onShardFailure: 'stop' } });
      const going = await divided(2);
      await waitFor('their submits were told', () => heard.includes(stopping.id) && heard.includes(going.id));
      heard.length = 0;
      await run(going.shards[0] as TaskRecord, 'failed');
      await run(stopping.shards[0] as TaskRecord, 'failed');
      await waitFor('the failure was told', () => heard.includes(stopping.id));
      unsubscribe();
      expect(heard).not.toContain(going.id);
    });

    it('cancelled while its shards wait, it is cancelled at once with all of them', async () => {
      const { id } = await divided(5);
      expect(await world.tasks.requestCancel(APP, id, 'app:test')).toMatchObject({ outcome: 'cancelled' });
      expect(await world.find(id)).toMatchObject({ state: 'CANCELLED', reason: 'cancel_requested' });
      expect((await shardsOf(id)).map(({ state }) => state)).toEqual(Array(5).fill('CANCELLED'));
    });

    it('cancelled while one shard runs, it ends with that shard, in whichever way it ends', async () => {
      for (const [outcome, state] of [
        ['cancelled', 'CANCELLED'],
        ['failed', 'CANCELLED'],
        ['succeeded', 'CANCELLED'],
      ] as const) {
        const { id, shards } = await divided(3);
        const [running] = shards as [TaskRecord];
        const lease = await world.claim(running.id);
        expect(await world.tasks.requestCancel(APP, id, 'app:test')).toMatchObject({ outcome: 'requested' });
        expect(await world.find(running.id)).toMatchObject({ state: 'DISPATCHED', cancelAskedAt: expect.any(Number) });
        expect((await world.find(id)).state).toBe('RUNNING');
        await world.lifecycle.settle('w1', [resultOf(running.id, lease, outcome)]);
        expect((await world.find(id)).state).toBe(state);
      }
    });

    it('succeeds if every shard succeeded although a cancel was asked for', async () => {
      const { id, shards } = await divided(2);
      const leases: number[] = [];
      for (const shard of shards) leases.push(await world.claim(shard.id));
      await world.tasks.requestCancel(APP, id, 'app:test');
      await world.lifecycle.settle(
        'w1',
        shards.map((shard, i) => resultOf(shard.id, leases[i] as number, 'succeeded')),
      );
      expect((await world.find(id)).state).toBe('SUCCEEDED');
    });

    it('races cancels against the ends of its shards without losing the end', async () => {
      for (let round = 0; round < 40; round++) {
        const { id, shards } = await divided(4);
        const leases: number[] = [];
        for (const shard of shards) leases.push(await world.claim(shard.id));
        await Promise.all([
          other.tasks.requestCancel(APP, id, 'app:test'),
          ...shards.map((shard, i) =>
            (i % 2 ? world : other).lifecycle.settle('w1', [resultOf(shard.id, leases[i] as number, 'cancelled')]),
          ),
        ]);
        expect(['CANCELLED', 'FAILED']).toContain((await world.find(id)).state);
        expect((await shardsOf(id)).map(({ state }) => state)).toEqual(Array(4).fill('CANCELLED'));
      }
    }, 60_000);
  });

  describe('tried again', () => {
    it('opens the shards that did not succeed, keeps the others, and ends by all of them', async () => {
      const { id, shards } = await divided(4);
      const [a, b, c, d] = shards as [TaskRecord, TaskRecord, TaskRecord, TaskRecord];
      await run(a, 'succeeded');
      await run(b, 'failed');
      await run(c, 'timed_out');
      await world.tasks.requestCancel(APP, d.id, 'app:test');
      expect((await world.find(id)).state).toBe('FAILED');
      await reopen(id);
      await split(id);
      expect(await world.find(id)).toMatchObject({ state: 'RUNNING', result: null, error: null, endedAt: null });
      expect((await shardsOf(id)).map(({ state, attempt }) => [state, attempt])).toEqual([
        ['SUCCEEDED', 1],
        ['PENDING', 2],
        ['PENDING', 2],
        ['PENDING', 1],
      ]);
      expect(await world.tasks.attemptsOf(b.id)).toMatchObject([{ attempt: 1, outcome: 'failed' }]);
      for (const shard of [b, c, d]) await run(shard, 'succeeded');
      expect(await world.find(id)).toMatchObject({ state: 'SUCCEEDED' });
      expect((await shardsOf(id)).map(({ shardIndex }) => shardIndex)).toEqual([0, 1, 2, 3]);
    });

    it('with nothing left to open ends at once', async () => {
      const { id, shards } = await divided(2);
      for (const shard of shards) await run(shard, 'succeeded');
      await world.backends.dialect.root.run('UPDATE tasks SET state = 3, ended_at = NULL WHERE id = ?', [id]);
      await split(id);
      expect((await world.find(id)).state).toBe('SUCCEEDED');
    });
  });

  /** As a retry by a person or partner does. */
  async function reopen(id: string): Promise<void> {
    const before = await world.find(id);
    const after = advance(before, 'reopened', { at: world.now, actor: 'app:test', reason: 'retried_by_partner' }) as TaskRecord;
    expect(await world.lifecycle.saveOne({ before, after: { ...after, endedAt: null } }, 'app:test')).toBe(true);
  }
});
