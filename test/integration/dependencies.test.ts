import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { FlowSweep } from '../../src/dispatch/flow-sweep.js';
import type { PartitionsService } from '../../src/dispatch/partitions.service.js';
import type { Group } from '../../src/jobs/group.js';
import type { Job } from '../../src/jobs/job.js';
import { newId } from '../../src/platform/ids.js';
import type { Sql } from '../../src/ports.js';
import { TOLD } from '../../src/tasks/period.store.js';
import type { TaskRecord } from '../../src/tasks/task.js';
import { FlowWorld } from '../support/flow-world.js';
import type { StatedJob } from '../support/job-world.js';
import { seedTasks } from '../support/seeded-tasks.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const HOUR = 3_600_000;
const ONCE = { policies: { priority: 5, timeoutMs: 0, retry: { kind: 'none' as const } } };
const HOURLY = { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' };
const QUARTERS = { kind: 'cron', expression: '*/15 * * * *', timeZone: 'UTC' };

describe.each(ADAPTERS)('jobs that wait for jobs (%s)', (adapter) => {
  let database: FreshDatabase;
  let f: FlowWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    f = await FlowWorld.create(database);
  });
  afterAll(() => database?.drop());

  const job = (schedule: object, upstreams: readonly Job[] = [], more: Partial<StatedJob> = {}) =>
    f.w.job({ ...ONCE, schedule, ...(upstreams.length ? { upstreams: upstreams.map(({ id }) => id) } : {}), ...more });
  /** To the next full hour, which is a fire of every schedule here, firing nothing on the way. */
  const toTheHour = () => f.w.clock.pass(HOUR - (f.w.clock.now() % HOUR));
  const fire = (...jobs: Job[]) => f.w.fire(...jobs.map(({ id }) => id));
  const newest = async ({ id }: Job) => (await f.w.tasksOf(id)).at(-1);
  const stateOf = async (made: Job) => (await f.w.statesOf(made.id)).at(-1);
  const update = async (made: Job, upstreams: readonly string[]) => {
    const { id, version, schedule } = await f.w.find(made.id);
    return f.w.service.update(APP, id, version, { ...f.w.definition({ ...ONCE, schedule }), upstreams }, 'app:test');
  };
  const sweep = () => {
    const { dialect } = f.w.backends;
    const partitions = {
      node: 'n1',
      held: () => Array.from({ length: 16 }, (_, i) => i),
      within: (_: number, work: (tx: Sql, epoch: number) => unknown) => dialect.transaction(async (tx) => work(tx, 1)),
    } as unknown as PartitionsService;
    const { flowStore, flows, consequences, lifecycle } = f.w.world;
    return new FlowSweep(dialect, partitions, flowStore, flows, consequences, lifecycle, f.w.clock, f.w.news).sweep();
  };

  it.each([
    ['both in one transaction', (up: Job, down: Job) => fire(up, down)],
    ['the upstream first', (up: Job, down: Job) => fire(up).then(() => fire(down))],
    ['the downstream first', (up: Job, down: Job) => fire(down).then(() => fire(up))],
    ['both at the same moment', (up: Job, down: Job) => Promise.all([fire(up), fire(down)])],
  ])('a fire waits for the upstream fire of its period: %s', async (_, both) => {
    const up = await job(HOURLY);
    const down = await job(HOURLY, [up]);
    for (let hour = 0; hour < 3; hour++) {
      toTheHour();
      await both(up, down);
      expect(await stateOf(down)).toBe('BLOCKED');
      await f.w.run((await newest(up))?.id as string);
      expect(await stateOf(down)).toBe('PENDING');
      expect((await newest(down))?.flowId).toBe((await newest(up))?.id);
      await f.w.run((await newest(down))?.id as string);
    }
  });

  it('goes on at once when its upstream is paused before it fired; nobody waits for a sweep', async () => {
    const { dialect } = f.w.backends;
    const { flowStore, flows, consequences, lifecycle } = f.w.world;
    const partitions = {
      node: 'n1',
      held: () => Array.from({ length: 16 }, (_, i) => i),
      within: (_: number, work: (tx: Sql, epoch: number) => unknown) => dialect.transaction(async (tx) => work(tx, 1)),
    } as unknown as PartitionsService;
    // Its sweep finds nothing: what it does it was told.
    const blind = Object.assign(Object.create(flowStore), { waitingIn: async () => [] }) as typeof flowStore;
    const told = new FlowSweep(dialect, partitions, blind, flows, consequences, lifecycle, f.w.clock, f.w.news);
    told.start();
    const up = await job(HOURLY);
    const [down, other] = [await job(HOURLY, [up]), await job(HOURLY, [up])];
    toTheHour();
    await fire(down, other);
    expect([await stateOf(down), await stateOf(other)]).toEqual(['BLOCKED', 'BLOCKED']);
    await f.w.service.pause(APP, up.id, 'no more');
    await waitFor('both go on', async () => (await stateOf(down)) === 'PENDING' && (await stateOf(other)) === 'PENDING');
    await told.stop();
  });

  it('of a period with hundreds of fires is told of those that decide: what has not succeeded, and the latest', async () => {
    const up = await job({ kind: 'every', everyMs: 1_000 });
    const begin = f.w.clock.now();
    const { dialect } = f.w.backends;
    const fired = (i: number) => ({ job: { id: up.id, fireAt: begin + i } });
    await seedTasks(f.w.world.backends, f.w.group as Group, 600, (i) => ({
      ...fired(i),
      state: i === 300 ? 'PENDING' : 'SKIPPED',
      reason: 'overlap',
    }));
    const where = 'WHERE job_id = ? AND state <> ?';
    await dialect.root.run(`UPDATE tasks SET state = ?, reason = NULL ${where}`, [
      STATE_CODE.SUCCEEDED,
      up.id,
      STATE_CODE.PENDING,
    ]);
    await seedTasks(f.w.world.backends, f.w.group as Group, 200, (i) => ({
      ...fired(600 + i),
      state: 'SKIPPED',
      reason: 'overlap',
    }));
    const tasks = await dialect.root.rows<{ id: string; state: number }>(
      'SELECT id, state FROM tasks WHERE job_id = ? ORDER BY fire_at',
      [up.id],
    );
    const taskId = newId('task');
    await f.w.world.periods.add(dialect.root, [{ taskId, upstreamId: up.id, afterAt: begin - 1, untilAt: begin + 800 }]);
    const facts = await f.w.world.periods.facts(dialect.root, [taskId]);
    const ids = facts.flatMap(({ upstream }) => upstream?.id ?? []);
    expect(ids).toContain(tasks[300]?.id);
    expect(ids.at(-1)).toBe(tasks[599]?.id);
    expect(ids).toHaveLength(TOLD + 1);
    const waiting = [{ id: taskId, jobId: up.id, fireAt: begin + 800 }];
    await dialect.root.run('UPDATE jobs SET next_fire_at = NULL WHERE id = ?', [up.id]);
    const judged = async () => (await f.w.world.verdicts.of(dialect.root, waiting as TaskRecord[])).get(taskId);
    expect(await judged()).toEqual({ verdict: { is: 'outstanding' }, flowId: tasks[599]?.id });
    await dialect.root.run('UPDATE tasks SET state = ? WHERE id = ?', [STATE_CODE.FAILED, tasks[300]?.id]);
    expect(await judged()).toMatchObject({ verdict: { is: 'failed', by: tasks[300]?.id } });
    await dialect.root.run('UPDATE tasks SET state = ? WHERE id = ?', [STATE_CODE.SUCCEEDED, tasks[300]?.id]);
    expect(await judged()).toMatchObject({ verdict: { is: 'done' } });
  });

  it('waits for all four fires of the quarters, and for no other hour', async () => {
    const up = await job(QUARTERS);
    const down = await job(HOURLY, [up]);
    const quarter = async () => {
      f.w.clock.pass(((await f.w.find(up.id)).nextFireAt as number) - f.w.clock.now());
      await fire(up);
    };
    const { nextFireAt } = await f.w.find(down.id);
    while (f.w.clock.now() < (nextFireAt as number)) await quarter();
    const before = await f.w.tasksOf(up.id);
    await fire(down);
    for (const { id } of before) await f.w.run(id);
    await f.w.run((await newest(down))?.id as string);
    for (let i = 0; i < 3; i++) await quarter();
    f.w.clock.pass(((await f.w.find(up.id)).nextFireAt as number) - f.w.clock.now());
    await fire(down);
    const early = (await f.w.tasksOf(up.id)).slice(before.length);
    expect(early).toHaveLength(3);
    for (const { id } of early) await f.w.run(id);
    expect(await stateOf(down)).toBe('BLOCKED');
    await fire(up);
    await quarter();
    const [fourth, nextHour] = (await f.w.tasksOf(up.id)).slice(before.length + 3);
    expect(await stateOf(down)).toBe('BLOCKED');
    await f.w.run(fourth?.id as string);
    expect(await stateOf(down)).toBe('PENDING');
    expect(nextHour?.state).toBe('PENDING');
  });

  it('an upstream without a fire in the period counts as satisfied', async () => {
    const rare = await job({ kind: 'cron', expression: '0 0 1 1 *', timeZone: 'UTC' });
    const manual = await job({ kind: 'manual' });
    const down = await job(HOURLY, [rare, manual]);
    toTheHour();
    await fire(down);
    expect(await stateOf(down)).toBe('PENDING');
  });

  it('after an outage each fire that is made up for waits for that of its own period, and for none that was left out', async () => {
    const all = { misfire: 'fire_all', misfireWindowMs: 6 * HOUR } as const;
    const up = await job(HOURLY, [], all);
    const down = await job(HOURLY, [up], all);
    const left = await job(HOURLY, [], { ...all, misfire: 'skip' });
    const below = await job(HOURLY, [left], all);
    toTheHour();
    f.w.clock.pass(2 * HOUR + 60_000);
    await fire(down, below);
    await fire(up);
    await fire(left);
    expect(await f.w.statesOf(down.id)).toEqual(Array(3).fill('BLOCKED'));
    const ups = await f.w.tasksOf(up.id);
    expect(ups).toHaveLength(3);
    await f.w.backends.dialect.root.run(`UPDATE tasks SET state = ${STATE_CODE.PENDING} WHERE job_id = ?`, [up.id]);
    await f.w.run(ups[1]?.id as string);
    const waiting = () => f.w.tasksOf(down.id).then((tasks) => tasks.map(({ state }) => state === 'BLOCKED'));
    expect(await waiting()).toEqual([true, false, true]);
    await f.w.run(ups[0]?.id as string);
    expect(await waiting()).toEqual([false, false, true]);
    expect(await f.w.tasksOf(left.id)).toEqual([]);
    await sweep();
    expect((await f.w.tasksOf(below.id)).map(({ state }) => state === 'BLOCKED')).toEqual([false, false, false]);
  });

  it('an upstream that fails skips the fire and all below it; its retry lets them run; the next hour is another matter', async () => {
    const up = await job(HOURLY);
    const down = await job(HOURLY, [up]);
    const below = await job({ kind: 'upstream' }, [down]);
    toTheHour();
    await fire(up, down);
    const failed = (await newest(up))?.id as string;
    await f.w.run(failed, 'failed');
    expect([await stateOf(down), await stateOf(below)]).toEqual(['SKIPPED upstream_failed', 'SKIPPED upstream_failed']);
    toTheHour();
    await fire(up, down);
    expect(await stateOf(down)).toBe('BLOCKED');
    await f.w.world.tasks.retry(null, failed, 'user:ann');
    expect(await f.w.statesOf(down.id)).toEqual(['BLOCKED', 'BLOCKED']);
    await f.w.run(failed);
    expect(await f.w.statesOf(down.id)).toEqual(['PENDING', 'BLOCKED']);
    await f.w.run((await f.w.tasksOf(down.id))[0]?.id as string);
    expect(await f.w.statesOf(below.id)).toEqual(['PENDING']);
    const flow = await f.w.world.tasks.list({ appId: APP, flowId: failed, limit: 10 });
    expect(flow.map(({ jobId }) => jobId)).toEqual(expect.arrayContaining([up.id, down.id, below.id]));
    expect(flow).toHaveLength(3);
  });

  it('a fire of the upstream left out by its overlap rule is no fire', async () => {
    const up = await job(HOURLY, [], { overlap: 'skip' });
    toTheHour();
    await fire(up);
    const down = await job(HOURLY, [up]);
    toTheHour();
    await fire(down);
    expect(await stateOf(down)).toBe('BLOCKED');
    await fire(up);
    expect(await stateOf(up)).toBe('SKIPPED overlap');
    expect(await stateOf(down)).toBe('PENDING');
  });

  it('a waiting fire has the turn of its job: the next one queues behind it, in order', async () => {
    const up = await job(HOURLY);
    const down = await job(HOURLY, [up], { overlap: 'queue' });
    toTheHour();
    await fire(up, down);
    const [first] = await f.w.tasksOf(up.id);
    toTheHour();
    await fire(up, down);
    await f.w.run((await newest(up))?.id as string);
    expect(await f.w.statesOf(down.id)).toEqual(['BLOCKED', 'BLOCKED']);
    await f.w.run(first?.id as string);
    expect(await f.w.statesOf(down.id)).toEqual(['PENDING', 'BLOCKED']);
    await f.w.run((await f.w.tasksOf(down.id))[0]?.id as string);
    expect(await f.w.statesOf(down.id)).toEqual(['SUCCEEDED', 'PENDING']);
  });

  it('the sweep lets a fire go on whose upstream was paused before it fired', async () => {
    const up = await job(HOURLY);
    const down = await job(HOURLY, [up]);
    toTheHour();
    await fire(down);
    await f.w.service.pause(APP, up.id, 'repair');
    expect(await stateOf(down)).toBe('BLOCKED');
    await sweep();
    expect(await stateOf(down)).toBe('PENDING');
  });

  it('a join that waits again does not start without its upstream when its job is deleted meanwhile', async () => {
    const up = await job({ kind: 'manual' });
    const join = await job({ kind: 'upstream' }, [up]);
    const first = await f.start(up);
    await f.w.run(first, 'failed');
    expect(await stateOf(join)).toBe('SKIPPED upstream_failed');
    await f.w.world.tasks.retry(APP, first, 'app:test');
    expect(await stateOf(join)).toBe('BLOCKED');
    expect(await f.w.service.remove(APP, join.id)).toBe(true);
    await sweep();
    expect(await stateOf(join)).toBe('BLOCKED');
    expect(await f.w.service.remove(APP, up.id)).toBe(true);
    await sweep();
    expect(await stateOf(join)).toBe('BLOCKED');
    await f.w.run(first);
    await sweep();
    expect(await stateOf(join)).toBe('PENDING');
  });

  it('a hundred fires that are made up for wait for a hundred jobs each', async () => {
    const ups = await Promise.all(Array.from({ length: 100 }, () => job({ kind: 'manual' })));
    const all = { misfire: 'fire_all', misfireWindowMs: 600_000 } as const;
    const down = await job({ kind: 'every', everyMs: 1_000 }, ups, all);
    f.w.clock.pass(100_000);
    await fire(down);
    const tasks = await f.w.tasksOf(down.id);
    expect(tasks.length).toBeGreaterThanOrEqual(100);
    expect(new Set(tasks.map(({ state }) => state)).has('BLOCKED')).toBe(false);
    expect(await f.w.find(down.id)).toMatchObject({ fireFailures: 0, lastFireAt: f.w.clock.now() });
  }, 60_000);

  it('says of a waiting fire that it waits for upstreams, as long as it does', async () => {
    const up = await job(HOURLY);
    const down = await job(HOURLY, [up]);
    toTheHour();
    await fire(up, down);
    const id = (await newest(down))?.id as string;
    expect(await f.w.world.flowStore.waitingAmong(f.w.backends.dialect.root, [id])).toEqual(new Set([id]));
    await f.w.run((await newest(up))?.id as string);
    expect((await f.w.world.flowStore.waitingAmong(f.w.backends.dialect.root, [id])).size).toBe(0);
  });

  describe('edges', () => {
    it('are named by key or id, stored as ids, and kept with the version', async () => {
      const [a, b] = [await job({ kind: 'manual' }), await job({ kind: 'manual' })];
      const c = await job({ kind: 'upstream' }, [], { upstreams: [a.key, b.id, a.id] });
      expect(c.upstreams).toEqual([a.id, b.id]);
      expect((await f.w.service.versions(c.id))[0]?.definition.upstreams).toEqual([a.id, b.id]);
      await expect(update(c, [a.key, 'nobody'])).rejects.toMatchObject({
        code: 'validation_failed',
        extras: { errors: [{ pointer: '/upstreams/1', code: 'unknown_job' }] },
      });
    });

    it('that close a circle are refused with the path', async () => {
      const a = await job({ kind: 'manual' });
      const b = await job({ kind: 'upstream' }, [a]);
      const c = await job({ kind: 'upstream' }, [b]);
      const d = await job({ kind: 'upstream' }, [c]);
      await expect(update(b, [a.id, d.id])).rejects.toMatchObject({
        code: 'dependency_cycle',
        extras: { members: { path: [b.key, d.key, c.key, b.key] } },
      });
      await expect(update(b, [b.key])).rejects.toMatchObject({ extras: { members: { path: [b.key, b.key] } } });
      expect((await f.w.find(b.id)).upstreams).toEqual([a.id]);
    });

    /** Four edits at once, each of which alone is right; the codes of those that were refused. */
    const refusedOfRing = async (before: () => Promise<unknown>) => {
      const root = await job({ kind: 'manual' });
      const ring: Job[] = [];
      for (let i = 0; i < 4; i++) ring.push(await job({ kind: 'upstream' }, [root]));
      await before();
      const outcomes = await Promise.allSettled(ring.map((each, i) => update(each, [root.id, (ring[(i + 1) % 4] as Job).id])));
      return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    };

    it('that close a circle together, asked for at the same moment, are never all made', async () => {
      for (let round = 0; round < 10; round++) expect(await refusedOfRing(async () => undefined)).toEqual(['dependency_cycle']);
    }, 60_000);

    it('that close a circle together are never all made either when somebody deleted the row that keeps them apart', async () => {
      const { root } = f.w.backends.dialect;
      for (let round = 0; round < 5; round++)
        expect(await refusedOfRing(() => root.run('DELETE FROM job_graph'))).toEqual(['dependency_cycle']);
      expect(await root.rows('SELECT id FROM job_graph')).toHaveLength(1);
    }, 60_000);

    it('keep a job that others wait for from being deleted, until they wait no more', async () => {
      const a = await job({ kind: 'manual' });
      const b = await job({ kind: 'upstream' }, [a]);
      await expect(f.w.service.remove(APP, a.id)).rejects.toMatchObject({
        code: 'job_has_dependants',
        extras: { members: { dependants: [b.key] } },
      });
      await f.w.service.remove(APP, b.id);
      expect(await f.w.service.remove(APP, a.id)).toBe(true);
    });

    it('over a thousand jobs are checked within a second', async () => {
      const { dialect } = f.w.backends;
      const ids = Array.from({ length: 1_000 }, (_, i) => `job_${String(i).padStart(26, '0')}`);
      const edges = ids.flatMap((id, i) => [1, 2].flatMap((step) => (i + step < 1_000 ? [[id, ids[i + step] as string]] : [])));
      for (let i = 0; i < edges.length; i += 500) {
        const part = edges.slice(i, i + 500);
        await dialect.root.run(
          `INSERT INTO job_edges (downstream_id, upstream_id) VALUES ${part.map(() => '(?, ?)').join(', ')}`,
          part.flat(),
        );
      }
      const a = await job({ kind: 'manual' });
      await dialect.root.run('INSERT INTO job_edges (downstream_id, upstream_id) VALUES (?, ?)', [a.id, ids[0] as string]);
      const b = await job({ kind: 'upstream' }, [a]);
      expect(b.upstreams).toEqual([a.id]);
    }, 30_000);
  });
});
