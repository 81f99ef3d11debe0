import type { Job } from '../../src/jobs/job.js';
import type { NewTask, TaskRecord } from '../../src/tasks/task.js';
import { FlowWorld } from '../support/flow-world.js';
import type { StatedJob } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const URL = 'https://hooks.example.com/ended';
const DIVIDED = { policies: { priority: 5, timeoutMs: 0, retry: { kind: 'none' as const }, shards: 2 } };

describe.each(ADAPTERS)('a divided task among others (%s)', (adapter) => {
  let database: FreshDatabase;
  let f: FlowWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    f = await FlowWorld.create(database);
  });
  afterAll(() => database?.drop());

  const { stringify } = JSON;
  const within = <T>(work: Parameters<typeof f.w.backends.dialect.transaction<T>>[0]) => f.w.backends.dialect.transaction(work);
  const split = (id: string) => within((tx) => f.w.world.splits.split(tx, id, [], f.w.clock.now(), 'node:n1'));
  const shardsOf = async (parentId: string): Promise<TaskRecord[]> => {
    const shards = await f.w.world.tasks.list({ appId: APP, parentId, limit: 100 });
    return shards.sort((a, b) => (a.shardIndex as number) - (b.shardIndex as number));
  };
  const divided = async (id: string): Promise<[string, string]> => {
    await split(id);
    return (await shardsOf(id)).map((shard) => shard.id) as [string, string];
  };
  /** Ends of the task somebody is told of, in order. */
  const told = async (taskId: string): Promise<string[]> => {
    const rows = await f.w.backends.dialect.root.rows<{ event_type: string }>(
      'SELECT event_type FROM webhook_events WHERE task_id = ? ORDER BY id',
      [taskId],
    );
    return rows.map(({ event_type }) => event_type);
  };
  const retry = (id: string) => f.w.world.tasks.retry(APP, id, 'app:test');
  const newest = async (job: Job | undefined) => (await f.w.tasksOf((job as Job).id)).at(-1) as TaskRecord;
  const graph = (more: Partial<StatedJob> = {}) =>
    f.graph(['a'], { b: ['a'] }, { ...DIVIDED, overlap: 'queue', callbackUrl: URL, ...more });

  it('ends once for all who wait for it, when its last shard does: one turn, one dependant, one callback', async () => {
    const jobs = await graph();
    const id = await f.start(jobs.a);
    const next = await f.start(jobs.a);
    const waiting = await f.w.world.submit({ dependsOn: [id] });
    const [first, second] = await divided(id);
    await f.w.run(first);
    expect(await f.states(jobs)).toEqual({ a: 'RUNNING, BLOCKED', b: '' });
    expect(await f.state(waiting)).toBe('BLOCKED');
    expect([await told(id), await told(first)]).toEqual([[], []]);
    await f.w.run(second);
    expect(await f.states(jobs)).toEqual({ a: 'SUCCEEDED, PENDING', b: 'PENDING' });
    expect([await f.state(next), await f.state(waiting)]).toEqual(['PENDING', 'PENDING']);
    expect([await told(id), await told(first), await told(second)]).toEqual([['task.succeeded'], [], []]);
    expect(await newest(jobs.b)).toMatchObject({ flowId: id, shardTotal: 2, callbackUrl: URL });
  });

  it('a submission that names one of its shards waits for that shard alone, and goes on when it is retried', async () => {
    const id = await f.w.world.submit({ shards: 2, options: { retry: { kind: 'none' } } } as Partial<NewTask>);
    const [first, second] = await divided(id);
    const ofFirst = await f.w.world.submit({ dependsOn: [first] });
    const ofSecond = await f.w.world.submit({ dependsOn: [second] });
    await f.w.run(first);
    expect([await f.state(ofFirst), await f.state(ofSecond)]).toEqual(['PENDING', 'BLOCKED']);
    await f.w.run(second, 'failed');
    expect([await f.state(id), await f.state(ofSecond)]).toEqual(['FAILED', 'SKIPPED upstream_failed']);
    expect(await retry(id)).toMatchObject({ outcome: 'retried' });
    await split(id);
    expect([await f.state(second), await f.state(ofSecond)]).toEqual(['PENDING', 'BLOCKED']);
    await f.w.run(second);
    expect([await f.state(id), await f.state(ofSecond)]).toEqual(['SUCCEEDED', 'PENDING']);
  });

  it('both of whose shards end at the same moment has still one end', async () => {
    const jobs = await graph();
    for (let round = 1; round <= 5; round++) {
      const id = await f.start(jobs.a);
      const shards = await divided(id);
      const leases = await Promise.all(shards.map((shard) => f.w.world.claim(shard)));
      await Promise.all(shards.map((shard, i) => f.w.end(shard, leases[i] as number)));
      expect(await told(id)).toEqual(['task.succeeded']);
      expect(await f.w.tasksOf((jobs.b as Job).id)).toHaveLength(round);
    }
  });

  it('that failed is retried by its failed shards alone, and its flow goes on from there', async () => {
    const jobs = await graph();
    const id = await f.start(jobs.a);
    const [first, second] = await divided(id);
    await f.w.run(first);
    await f.w.run(second, 'failed');
    expect(await f.states(jobs)).toEqual({ a: 'FAILED', b: 'SKIPPED upstream_failed' });
    const skipped = await newest(jobs.b);
    expect([await told(id), await told(skipped.id)]).toEqual([['task.failed'], ['task.skipped']]);
    expect(await retry(id)).toMatchObject({ outcome: 'retried', task: { state: 'PENDING' } });
    expect(await f.states(jobs)).toEqual({ a: 'PENDING', b: 'BLOCKED' });
    const changes = await split(id);
    expect(changes.map(({ after }) => after.id).sort()).toEqual([id, second].sort());
    expect([await f.state(first), await f.state(second)]).toEqual(['SUCCEEDED', 'PENDING']);
    expect(await f.w.world.find(second)).toMatchObject({ attempt: 2, retries: 0 });
    await f.w.run(second);
    expect(await f.states(jobs)).toEqual({ a: 'SUCCEEDED', b: 'PENDING' });
    expect(await told(id)).toEqual(['task.failed', 'task.succeeded']);
    await f.w.world.tasks.requestCancel(APP, skipped.id, 'app:test');
  });

  it('that failed waits for its turn when it is retried while another task of its job goes', async () => {
    const jobs = await graph();
    const id = await f.start(jobs.a);
    for (const shard of await divided(id)) await f.w.run(shard, 'failed');
    const other = await f.start(jobs.a);
    expect(await retry(id)).toMatchObject({ outcome: 'retried', task: { state: 'BLOCKED' } });
    for (const shard of await divided(other)) await f.w.run(shard);
    expect(await f.state(id)).toBe('PENDING');
    await split(id);
    for (const shard of await shardsOf(id)) await f.w.run(shard.id);
    expect(await f.state(id)).toBe('SUCCEEDED');
  });

  it('that was skipped because of an upstream is divided once the retry of that lets it run', async () => {
    const upstream = await f.w.world.submit({ options: { retry: { kind: 'none' } } });
    await f.w.run(upstream, 'failed');
    const id = await f.w.world.submit({ dependsOn: [upstream], shards: 2 });
    expect(await f.state(id)).toBe('SKIPPED upstream_failed');
    expect(await split(id)).toEqual([]);
    await retry(upstream);
    await f.w.run(upstream);
    expect(await f.state(id)).toBe('PENDING');
    for (const shard of await divided(id)) await f.w.run(shard);
    expect(await f.state(id)).toBe('SUCCEEDED');
  });

  it('keeps the place of its job while an attempt of a shard that was ended does not stop', async () => {
    const jobs = await graph();
    const id = await f.start(jobs.a);
    const next = await f.start(jobs.a);
    const [first, second] = await divided(id);
    await f.w.run(first);
    const lease = await f.w.world.claim(second);
    const end = { outcome: 'did_not_stop', because: 'timed_out' } as const;
    await within((tx) => f.w.world.lifecycle.end(tx, [{ taskId: second, lease, end }], 'node:n1'));
    expect(await f.states(jobs)).toMatchObject({ a: 'FAILED, BLOCKED' });
    await within((tx) => f.w.world.slots.review(tx, [(jobs.a as Job).id], f.w.clock.now(), 'node:n1'));
    expect(await f.state(next)).toBe('BLOCKED');
    const freed = await within(async (tx) => {
      const jobIds = await f.w.world.unstopped.release(tx, [second]);
      return f.w.world.slots.review(tx, jobIds, f.w.clock.now(), 'node:n1');
    });
    expect(freed.changes.map(({ after }) => after.id)).toEqual([next]);
    expect(await f.state(next)).toBe('PENDING');
  });

  it('and any other whose ended attempt does not stop can be retried, and takes one place of its job', async () => {
    const [a] = Object.values(await f.graph(['a'], {}, { policies: { priority: 5, timeoutMs: 0 }, overlap: 'queue' })) as [Job];
    const id = await f.start(a);
    const lease = await f.w.world.claim(id);
    const end = { outcome: 'did_not_stop', because: 'timed_out' } as const;
    await within((tx) => f.w.world.lifecycle.end(tx, [{ taskId: id, lease, end }], 'node:n1'));
    expect(await retry(id)).toMatchObject({ outcome: 'retried' });
    const next = await f.start(a);
    await within((tx) => f.w.world.unstopped.release(tx, [id]));
    await within((tx) => f.w.world.slots.review(tx, [a.id], f.w.clock.now(), 'node:n1'));
    expect([await f.state(id), await f.state(next)]).toEqual(['PENDING', 'BLOCKED']);
    await f.w.run(id);
    expect([await f.state(id), await f.state(next)]).toEqual(['SUCCEEDED', 'PENDING']);
  });

  describe('callbacks', () => {
    it('tell once of a task skipped at its birth, as what it depends on had failed', async () => {
      const upstream = await f.w.world.submit({ options: { retry: { kind: 'none' } } });
      await f.w.run(upstream, 'failed');
      const id = await f.w.world.submit({ dependsOn: [upstream], callbackUrl: URL });
      expect(await f.state(id)).toBe('SKIPPED upstream_failed');
      expect(await told(id)).toEqual(['task.skipped']);
    });

    it('tell once of each task a failure skips, all the way down, those made as skipped too', async () => {
      const jobs = await f.graph(['a'], { b: ['a'], c: ['b'] }, { ...DIVIDED, callbackUrl: URL });
      const id = await f.start(jobs.a);
      const waiting = await f.w.world.submit({ dependsOn: [id], callbackUrl: URL });
      for (const shard of await divided(id)) await f.w.run(shard, 'failed');
      const skipped = 'SKIPPED upstream_failed';
      expect(await f.states(jobs)).toEqual({ a: 'FAILED', b: skipped, c: skipped });
      const ids = [(await newest(jobs.b)).id, (await newest(jobs.c)).id, waiting];
      for (const each of ids) expect(await told(each)).toEqual(['task.skipped']);
    });
  });

  describe('a job', () => {
    it('keeps its upstreams, shards and callback in what a version and a copy bring back', async () => {
      const { a, b } = (await graph()) as { a: Job; b: Job };
      const { id } = b;
      const definition = f.w.definition({ schedule: { kind: 'manual' } });
      expect(await f.w.service.update(APP, id, 1, definition, 'user:ann')).toMatchObject({ outcome: 'changed' });
      expect(await f.w.find(id)).not.toMatchObject({ upstreams: [a.id], callbackUrl: URL });
      const restored = await f.w.service.restore(APP, id, 2, 1, 'user:ann');
      const facts = { upstreams: [a.id], callbackUrl: URL, policies: { shards: 2 }, overlap: 'queue' };
      expect(restored).toMatchObject({ outcome: 'changed', job: facts });
      expect(await f.w.find(id)).toMatchObject(facts);
      const names = { key: `copy-of-${id}`.slice(0, 64), groupId: b.groupId, partition: b.partition, appId: APP };
      const copied = await f.w.service.copy(APP, id, { ...names, clientRequestId: null, fingerprint: null, by: 'user:ann' });
      expect(copied).toMatchObject({ outcome: 'created', job: { ...facts, state: 'paused' } });
      const copyId = (copied as { job: Job }).job.id;
      await f.w.service.resume(APP, copyId);
      const root = await f.start(a);
      for (const shard of await divided(root)) await f.w.run(shard);
      for (const job of [id, copyId]) {
        const made = (await f.w.tasksOf(job)).at(-1) as TaskRecord;
        expect(made).toMatchObject({ flowId: root, state: 'PENDING', shardTotal: 2, callbackUrl: URL });
      }
    });

    it('gives its shards what its group states and it does not', async () => {
      const policies = { priority: 8, timeoutMs: 1_234, retry: { kind: 'none' as const }, crashRetries: 0, repeatable: false };
      await f.w.world.groups.update('g', null, { policies });
      try {
        const job = await f.w.job({ schedule: { kind: 'manual' }, policies: { shards: 2, onShardFailure: 'stop' } as never });
        const id = await f.start(job);
        expect(await f.w.world.find(id)).toMatchObject({ priority: 8, timeoutMs: 1_234, options: { onShardFailure: 'stop' } });
        for (const shard of await divided(id)) {
          const { priority, timeoutMs, options } = await f.w.world.find(shard);
          expect({ priority, timeoutMs }).toEqual({ priority: 8, timeoutMs: 1_234 });
          expect(options).toEqual({ retry: { kind: 'none' }, crashRetries: 0, repeatable: false });
          await f.w.run(shard, 'failed');
          expect(await f.state(shard)).toBe('FAILED');
        }
      } finally {
        await f.w.world.groups.update('g', null, { policies: {} });
      }
    });
  });

  it('that asks for certain workers stands in no lane of theirs, and each of its shards does', async () => {
    const options: NewTask['options'] = { workerTags: ['gpu', 'big'] };
    const id = await f.w.world.submit({ handler: 'tagged', shards: 2, options });
    await split(id);
    const rows = await f.w.backends.dialect.root.rows<{ lane: number | string; id: string }>(
      "SELECT id, lane FROM tasks WHERE handler = 'tagged'",
    );
    await f.w.world.lanes.onApplicationBootstrap();
    const lanes = f.w.world.lanes.ofGroup((f.w.group as { id: number }).id).filter(({ handler }) => handler === 'tagged');
    await f.w.world.lanes.onApplicationShutdown();
    expect(lanes.map(({ filter }) => filter)).toEqual([stringify({ workerTags: ['big', 'gpu'] })]);
    const laneOf = new Map(rows.map((row) => [row.id, Number(row.lane)]));
    expect((await shardsOf(id)).map((shard) => laneOf.get(shard.id))).toEqual([lanes[0]?.lane, lanes[0]?.lane]);
    expect(laneOf.get(id)).not.toBe(lanes[0]?.lane);
  });
});
