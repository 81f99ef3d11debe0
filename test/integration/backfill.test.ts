import { Backfiller } from '../../src/dispatch/backfiller.js';
import type { PartitionsService } from '../../src/dispatch/partitions.service.js';
import { BackfillsService } from '../../src/jobs/backfills.service.js';
import { JobBackfillStore } from '../../src/jobs/job-backfill.store.js';
import { JobNews } from '../../src/jobs/job-news.js';
import type { Sql } from '../../src/ports.js';
import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const NO_REQUEST = { clientRequestId: null, fingerprint: null, by: 'user:ann' };

describe.each(ADAPTERS)('a backfill of a job (%s)', (adapter) => {
  let database: FreshDatabase;
  let world: JobWorld;
  let backfills: BackfillsService;
  let store: JobBackfillStore;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    world = await JobWorld.create(database);
    const { dialect, signals } = world.backends;
    store = new JobBackfillStore(dialect);
    backfills = new BackfillsService(dialect, world.world.jobs, store, world.clock, new JobNews(signals));
  });
  afterAll(() => database.drop());

  /** A node that believes it holds every partition. `commits`: false dies before each commit. */
  const backfiller = (commits = true) => {
    const { dialect, signals } = world.backends;
    const partitions = {
      held: () => Array.from({ length: 16 }, (_, i) => i),
      onTaken: () => undefined,
      within: (_: number, work: (tx: Sql) => Promise<unknown>) =>
        dialect.transaction(async (tx) => {
          const done = await work(tx);
          if (!commits) throw new Error('killed');
          return done;
        }),
    };
    const { jobs, jobTasks, news } = world.world;
    return new Backfiller(
      dialect,
      partitions as unknown as PartitionsService,
      store,
      jobs,
      jobTasks,
      world.clock,
      news,
      new JobNews(signals),
    );
  };
  const span = (hours: number) => {
    const untilAt = Math.floor(world.clock.now() / HOUR) * HOUR;
    return { fromAt: untilAt - hours * HOUR, untilAt };
  };
  const minutely = { kind: 'every', everyMs: MINUTE };
  const find = async (id: string) =>
    (await store.find(world.backends.dialect.root, id)) as NonNullable<Awaited<ReturnType<typeof store.find>>>;
  const started = async (...args: Parameters<BackfillsService['start']>) => {
    const outcome = await backfills.start(...args);
    if (!('backfill' in outcome)) throw new Error(outcome.outcome);
    return outcome.backfill;
  };
  /** One step of the node after the other, with every task it made run in between, until there is nothing more to make. */
  const runOut = async (id: string, jobId: string, loop = backfiller()) => {
    for (let round = 0; (await find(id)).state === 'running' && round < 500; round++) {
      await loop.round();
      for (const task of await world.tasksOf(jobId)) if (task.state === 'PENDING') await world.run(task.id);
    }
  };

  it('tells in a dry run exactly the fires it would make tasks for, and writes nothing', async () => {
    const job = await world.job({ schedule: minutely });
    const { fromAt, untilAt } = span(1);
    const preview = await backfills.preview(APP, job.id, { fromAt, untilAt });
    expect(preview).toEqual({ outcome: 'found', fires: Array.from({ length: 60 }, (_, i) => fromAt + i * MINUTE) });
    expect(await world.tasksOf(job.id)).toEqual([]);
    expect(await backfills.ofJob(APP, job.id)).toEqual([]);
    expect(await backfills.preview(APP + 1, job.id, { fromAt, untilAt })).toEqual({ outcome: 'not_found' });
  });

  it('makes one task per fire of the span, in order, never more unfinished than it may have, of the lowest priority', async () => {
    const job = await world.job({ schedule: minutely });
    const backfill = await started(APP, job.id, { ...span(1), maxParallel: 7, ...NO_REQUEST });
    expect(backfill).toMatchObject({ state: 'running', fires: 60, made: 0, maxParallel: 7, priority: 1 });
    const loop = backfiller();
    await loop.round();
    await loop.round();
    expect(await world.statesOf(job.id)).toEqual(Array(7).fill('PENDING'));
    await runOut(backfill.id, job.id, loop);
    const tasks = await world.tasksOf(job.id);
    expect(tasks.map(({ fireAt }) => fireAt)).toEqual(Array.from({ length: 60 }, (_, i) => backfill.fromAt + i * MINUTE));
    expect(new Set(tasks.map(({ priority }) => priority))).toEqual(new Set([1]));
    expect(await find(backfill.id)).toMatchObject({ state: 'done', made: 60 });
  });

  it('never meets the fires of the schedule, nor another backfill of the same span, nor does it take their turn', async () => {
    const job = await world.job({ schedule: minutely, overlap: 'skip' });
    world.clock.pass(10 * MINUTE);
    for (let i = 0; i < 5; i++) {
      world.clock.pass(MINUTE);
      await world.fire(job.id);
      for (const task of await world.tasksOf(job.id)) if (task.state === 'PENDING') await world.run(task.id);
    }
    const real = (await world.tasksOf(job.id)).filter(({ state }) => state === 'SUCCEEDED');
    expect(real.length).toBeGreaterThan(3);
    const fires = real.map(({ fireAt }) => fireAt as number);
    world.clock.pass(1_000);
    const same = { fromAt: Math.min(...fires), untilAt: Math.max(...fires) + 1 };
    for (let i = 0; i < 2; i++) {
      const { id } = await started(APP, job.id, { ...same, ...NO_REQUEST });
      await backfiller().round();
      // One of the backfill is going: the schedule fires beside it.
      world.clock.pass(MINUTE);
      await world.fire(job.id);
      expect((await world.statesOf(job.id)).at(-1)).toBe('PENDING');
      await runOut(id, job.id);
    }
    const made = (await world.tasksOf(job.id)).filter(({ fireAt }) => fireAt === fires[0]);
    expect(made).toHaveLength(3);
  });

  it('goes on where it was, each fire once, however often the node dies in it', async () => {
    const job = await world.job({ schedule: minutely });
    const backfill = await started(APP, job.id, { ...span(2), maxParallel: 50, ...NO_REQUEST });
    for (let i = 0; i < 3; i++) await backfiller(false).round();
    expect(await world.tasksOf(job.id)).toEqual([]);
    await backfiller().round();
    await backfiller(false).round();
    // Two nodes that both believe to be the one.
    await Promise.all([backfiller().round(), backfiller().round()]);
    await runOut(backfill.id, job.id);
    const fires = (await world.tasksOf(job.id)).map(({ fireAt }) => fireAt);
    expect(fires).toEqual(Array.from({ length: 120 }, (_, i) => backfill.fromAt + i * MINUTE));
  });

  it('is one for one clientRequestId', async () => {
    const job = await world.job({ schedule: minutely });
    const request = { ...span(1), clientRequestId: 'again', fingerprint: 'f1', by: 'app:x' };
    const first = await started(APP, job.id, request);
    expect(await backfills.start(APP, job.id, request)).toMatchObject({ outcome: 'replayed', backfill: { id: first.id } });
    expect(await backfills.start(APP, job.id, { ...request, fingerprint: 'f2' })).toEqual({
      outcome: 'reused',
      existingBackfillId: first.id,
    });
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => backfills.start(APP, job.id, { ...request, clientRequestId: 'raced' })),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    await backfills.cancel(APP, job.id, first.id);
  });

  it('keeps the definition it was asked for with, stops when called off, and ends with its job', async () => {
    const job = await world.job({ schedule: minutely, params: '{"v":1}' });
    const { id } = await started(APP, job.id, { ...span(1), maxParallel: 2, ...NO_REQUEST });
    await world.service.update(APP, job.id, 1, world.definition({ schedule: minutely, params: '{"v":2}' }), 'user:ann');
    await backfiller().round();
    expect((await world.tasksOf(job.id)).map(({ id: task }) => task)).toHaveLength(2);
    const [task] = await world.tasksOf(job.id);
    expect((await world.world.find(task?.id as string)).params).toBe('{"v":1}');
    expect(await backfills.cancel(APP, job.id, id)).toMatchObject({ state: 'cancelled', made: 2 });
    for (const made of await world.tasksOf(job.id)) await world.run(made.id);
    await backfiller().round();
    expect(await world.tasksOf(job.id)).toHaveLength(2);
    const other = await started(APP, job.id, { ...span(1), ...NO_REQUEST });
    await world.service.remove(APP, job.id);
    await backfiller().round();
    expect(await find(other.id)).toMatchObject({ state: 'cancelled', made: 0 });
  });

  it('of a job with upstreams waits for none of them: what it makes up for is past', async () => {
    const upstream = await world.job({ schedule: minutely });
    const job = await world.job({ schedule: minutely, upstreams: [upstream.id] });
    const { untilAt } = span(1);
    const { id } = await started(APP, job.id, { fromAt: untilAt - 3 * MINUTE, untilAt, ...NO_REQUEST });
    await backfiller().round();
    expect(await world.statesOf(job.id)).toEqual(['PENDING', 'PENDING', 'PENDING']);
    await runOut(id, job.id);
    for (const task of await world.tasksOf(job.id)) if (task.state === 'PENDING') await world.run(task.id);
    expect(await world.statesOf(job.id)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
    expect(await world.tasksOf(upstream.id)).toEqual([]);
  });

  it('of an upstream lets no fire of the schedule go on, and each of its tasks begins a flow of its own', async () => {
    const upstream = await world.job({ schedule: minutely });
    const waiting = await world.job({ schedule: minutely, upstreams: [upstream.id] });
    const join = await world.job({ schedule: { kind: 'upstream' }, upstreams: [upstream.id] });
    world.clock.pass(MINUTE);
    await world.fire(upstream.id, waiting.id);
    const [real] = await world.tasksOf(upstream.id);
    expect(await world.statesOf(waiting.id)).toEqual(['BLOCKED']);
    const fireAt = real?.fireAt as number;
    await started(APP, upstream.id, { fromAt: fireAt - MINUTE, untilAt: fireAt + 1, ...NO_REQUEST });
    await backfiller().round();
    const made = (await world.tasksOf(upstream.id)).filter(({ id }) => id !== real?.id);
    expect(made.map((task) => task.fireAt)).toEqual([fireAt - MINUTE, fireAt]);
    for (const { id } of made) await world.run(id);
    expect(await world.statesOf(waiting.id)).toEqual(['BLOCKED']);
    expect((await world.tasksOf(join.id)).map(({ flowId }) => flowId).sort()).toEqual(made.map(({ id }) => id).sort());
    await world.run(real?.id as string);
    expect(await world.statesOf(waiting.id)).toEqual(['PENDING']);
    expect(await world.tasksOf(join.id)).toHaveLength(3);
  });

  it('refuses spans it cannot make, naming field and rule', async () => {
    const job = await world.job({ schedule: { kind: 'every', everyMs: 1_000 } });
    const manual = await world.job({ schedule: { kind: 'manual' } });
    const refusal = (id: string, fromAt: number, untilAt: number, more = {}) =>
      backfills.start(APP, id, { fromAt, untilAt, ...NO_REQUEST, ...more }).then(
        () => null,
        (error) => error.extras.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
      );
    const now = world.clock.now();
    expect(await refusal(job.id, now - 20_000_000, now)).toEqual(['/until too_many']);
    expect(await refusal(job.id, now - 5_000, now + 5_000)).toEqual(['/until out_of_range']);
    expect(await refusal(job.id, now, now - 1)).toEqual(['/until out_of_range']);
    expect(await refusal(job.id, now - 5_000, now, { maxParallel: 0, priority: 11 })).toEqual([
      '/priority out_of_range',
      '/maxParallel out_of_range',
    ]);
    expect(await refusal(manual.id, now - 5_000, now)).toEqual([' not_allowed']);
  });
});
