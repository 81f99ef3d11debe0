import type { Candidate } from '../../src/decisions/balance/candidate.js';
import { ClaimsService } from '../../src/dispatch/claims.service.js';
import { JobSweep } from '../../src/dispatch/job-sweep.js';
import type { PartitionsService } from '../../src/dispatch/partitions.service.js';
import { UnstoppedService } from '../../src/dispatch/unstopped.service.js';
import type { Group } from '../../src/jobs/group.js';
import type { Job } from '../../src/jobs/job.js';
import type { SystemSettingsService } from '../../src/jobs/system-settings.service.js';
import type { Sql } from '../../src/ports.js';
import type { NamedAttempts } from '../../src/registry/worker.js';
import type { WorkersService } from '../../src/registry/workers.service.js';
import { FORCE_AFTER_MS } from '../../src/tasks/tasks.service.js';
import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const MINUTE = 60_000;

describe.each(ADAPTERS)('an attempt that does not stop (%s)', (adapter) => {
  let database: FreshDatabase;
  let w: JobWorld;
  let unstopped: UnstoppedService;
  /** What the live worker names in its last two beats. */
  let named: string[] = [];
  let standing: 'current' | 'offline' = 'current';
  let partitions: PartitionsService;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    w = await JobWorld.create(database);
    const { dialect } = w.backends;
    partitions = {
      node: 'n1',
      held: () => Array.from({ length: 16 }, (_, i) => i),
      onTaken: () => undefined,
      within: (_: number, work: (tx: Sql, epoch: number) => unknown) => dialect.transaction(async (tx) => work(tx, 1)),
    } as unknown as PartitionsService;
    const workers = {
      standing: () => standing,
      lastBeats: (): NamedAttempts[] => [1, 2].map((seq) => ({ seq, attempts: new Set(named) })),
    } as unknown as WorkersService;
    const { slots, lifecycle, news } = w.world;
    unstopped = new UnstoppedService(dialect, w.world.unstopped, partitions, workers, slots, lifecycle, news, w.clock);
  });
  afterAll(() => database?.drop());
  beforeEach(() => {
    standing = 'current';
    named = [];
  });

  const sweepJobs = () => {
    const { jobs, jobTasks, slots, lifecycle } = w.world;
    return new JobSweep(
      w.backends.dialect,
      partitions,
      jobs,
      jobTasks,
      slots,
      lifecycle,
      w.replacements,
      w.clock,
      w.news,
    ).sweep();
  };
  const endUnstopped = (id: string, lease: number, because: 'timed_out' | 'cancelled') =>
    w.backends.dialect.transaction((tx) =>
      w.world.lifecycle.end(tx, [{ taskId: id, lease, end: { outcome: 'did_not_stop', because } }], 'node:n1'),
    );
  const fireNext = async ({ id }: Job): Promise<string[]> => {
    w.clock.pass(Math.max(0, ((await w.find(id)).nextFireAt as number) - w.clock.now()));
    await w.fire(id);
    return (await w.tasksOf(id)).map((task) => task.id);
  };
  /** A job of which one task did not stop and the next waits for its turn. */
  const stuck = async (): Promise<{ job: Job; first: string; lease: number }> => {
    const job = await w.job({ schedule: { kind: 'every', everyMs: MINUTE }, overlap: 'queue' });
    const [first] = (await fireNext(job)) as [string];
    const lease = await w.world.claim(first);
    await fireNext(job);
    named = [`${first}:${lease}`];
    await endUnstopped(first, lease, 'timed_out');
    return { job, first, lease };
  };
  const groupOf = async (id: string) => {
    const { groupId, partition } = await w.world.find(id);
    return { id: groupId, partition };
  };
  const placesTaken = async (id: string) => {
    unstopped.changed((await groupOf(id)).partition);
    return [...(await unstopped.tasksOf(w.backends.dialect.root, await groupOf(id)))];
  };

  it('ends its task without a retry, and as long as its live worker names it the next task of the job does not start and the quota counts it', async () => {
    const { job, first } = await stuck();
    expect(await w.world.find(first)).toMatchObject({ state: 'TIMED_OUT', reason: 'did_not_stop', retries: 0 });
    for (let round = 0; round < 3; round++) {
      await unstopped.sweep();
      await sweepJobs();
    }
    expect(await w.statesOf(job.id)).toEqual(['TIMED_OUT', 'BLOCKED']);
    expect(await placesTaken(first)).toEqual([first]);
    named = [];
    await unstopped.sweep();
    expect(await w.statesOf(job.id)).toEqual(['TIMED_OUT', 'PENDING']);
    expect(await placesTaken(first)).toEqual([]);
  });

  it('keeps its place no longer than its worker lives', async () => {
    const { job, first } = await stuck();
    standing = 'offline';
    await unstopped.sweep();
    expect(await w.statesOf(job.id)).toEqual(['TIMED_OUT', 'PENDING']);
    expect(await placesTaken(first)).toEqual([]);
  });

  it('is not waited for once a person gives it up, and the timeline tells who did', async () => {
    const { job, first } = await stuck();
    expect(await w.world.tasks.forceCancel(first, 'user:anna')).toMatchObject({ outcome: 'forced' });
    expect(await w.statesOf(job.id)).toEqual(['TIMED_OUT', 'PENDING']);
    expect(await placesTaken(first)).toEqual([]);
    expect((await w.world.find(first)).timeline).toContain('user:anna');
  });

  it('takes no place of its group any more once a person gave it up on another node', async () => {
    const { first } = await stuck();
    expect(await placesTaken(first)).toEqual([first]);
    await w.world.tasks.forceCancel(first, 'user:anna');
    await unstopped.sweep();
    expect([...(await unstopped.tasksOf(w.backends.dialect.root, await groupOf(first)))]).toEqual([]);
  });

  it('holds up no other task of its group when it is retried, whatever the rate of the group lets start', async () => {
    const { tasks, lifecycle, claims, lanes } = w.world;
    const first = await w.world.submit({ priority: 9 });
    const lease = await w.world.claim(first);
    await w.backends.dialect.transaction((tx) =>
      lifecycle.end(tx, [{ taskId: first, lease, end: { outcome: 'did_not_stop', because: 'timed_out' } }], 'node:n1'),
    );
    named = [`${first}:${lease}`];
    await tasks.retry(null, first, 'user:anna');
    const other = { handler: 'held-up', priority: 8 };
    const others = [await w.world.submit(other), await w.world.submit(other)];
    expect((await w.world.find(first)).state).toBe('PENDING');
    const worker = { workerId: 'w1', incarnation: 'I1' };
    const figures = { active: 0, queued: 0, available: 10, slots: 10, avgCostMs: 0, cpuIdlePercent: 100, warmth: 1, weight: 100 };
    const room: Candidate = { ...worker, ...figures, zone: null };
    const workers = {
      handlersServed: () => ['noop', 'held-up'],
      full: () => [],
      hasGroupSlots: () => false,
      candidates: () => [room],
      find: () => worker,
      noteOrdered: () => undefined,
      noteAnswered: () => undefined,
    } as unknown as WorkersService;
    const held = { ...partitions, epochOf: () => 1 } as unknown as PartitionsService;
    const settings = { routing: 'equal_cost' } as SystemSettingsService;
    const claiming = new ClaimsService(held, claims, workers, w.clock, lanes, settings, unstopped);
    unstopped.changed((await groupOf(first)).partition);
    const slow = { ...(w.group as Group), maxDispatchRate: 1 };
    const started: string[] = [];
    for (let second = 0; second < 3; second++) {
      const { orders } = await claiming.claim(slow);
      started.push(...orders.flatMap((order) => order.tasks.map(({ id }) => id)));
      w.clock.pass(1_000);
    }
    expect(started.sort()).toEqual(others.sort());
    named = [];
    await unstopped.sweep();
    const { orders } = await claiming.claim(slow);
    expect(orders.flatMap((order) => order.tasks.map(({ id }) => id))).toEqual([first]);
  });

  it('of a running task can be given up after a cancel and a moment, which ends it CANCELLED; a late result changes nothing', async () => {
    const job = await w.job({ schedule: { kind: 'every', everyMs: MINUTE }, overlap: 'queue' });
    const [first] = (await fireNext(job)) as [string];
    const lease = await w.world.claim(first);
    await fireNext(job);
    const { tasks } = w.world;
    expect(await tasks.forceCancel(first, 'user:anna')).toEqual({ outcome: 'not_asked' });
    await tasks.requestCancel(APP, first, 'app:test');
    expect(await tasks.forceCancel(first, 'user:anna')).toMatchObject({ outcome: 'too_early' });
    w.clock.pass(FORCE_AFTER_MS + 1);
    expect(await tasks.forceCancel(first, 'user:anna')).toMatchObject({ outcome: 'forced' });
    expect(await w.world.find(first)).toMatchObject({ state: 'CANCELLED', reason: 'did_not_stop' });
    expect(await w.statesOf(job.id)).toEqual(['CANCELLED', 'PENDING']);
    const late = { taskId: first, lease, outcome: 'succeeded' as const, startedAt: w.clock.now(), endedAt: w.clock.now() };
    expect(await w.world.lifecycle.settle('w1', [late])).toMatchObject([{ verdict: 'late' }]);
    expect((await w.world.find(first)).state).toBe('CANCELLED');
    expect(await tasks.forceCancel('task_none', 'user:anna')).toEqual({ outcome: 'not_found' });
  });
});
