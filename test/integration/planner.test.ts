import { setTimeout as pause } from 'node:timers/promises';
import { AuditStore } from '../../src/auth/audit.store.js';
import type { Job } from '../../src/jobs/job.js';
import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const MINUTE = 60_000;
const EVERY_MINUTE = { kind: 'every', everyMs: MINUTE };

describe.each(ADAPTERS)('firing jobs (%s)', (adapter) => {
  let database: FreshDatabase;
  let w: JobWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    w = await JobWorld.create(database);
  });
  afterAll(() => database?.drop());

  const until = (job: Job, beyondMs = 0) => w.clock.pass((job.nextFireAt as number) - w.clock.now() + beyondMs);
  const sql = (text: string, params: unknown[] = []) => w.backends.dialect.root.run(text, params);

  it('makes one task per fire time and moves on, without a new version of the job', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    await w.fire(job.id);
    expect(await w.tasksOf(job.id)).toEqual([]);
    until(job);
    await w.fire(job.id);
    await w.fire(job.id);
    expect(await w.tasksOf(job.id)).toMatchObject([
      { state: 'PENDING', fireAt: job.nextFireAt, scheduledAt: job.nextFireAt, params: '{"n":1}', jobId: job.id },
    ]);
    expect(await w.find(job.id)).toMatchObject({
      version: 1,
      lastFireAt: job.nextFireAt,
      nextFireAt: (job.nextFireAt as number) + MINUTE,
    });
  });

  it('makes one task per fire time although two planners race', async () => {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => w.job({ schedule: EVERY_MINUTE })));
    const ids = jobs.map(({ id }) => id);
    until(jobs[0] as Job);
    const others = [w.anotherPlanner(), w.anotherPlanner()];
    for (let round = 0; round < 3; round++) {
      await Promise.all([w.fire(...ids), ...others.map((other) => other.fire(0, ids)), w.fire(...[...ids].reverse())]);
      w.clock.pass(MINUTE);
    }
    for (const { id } of jobs) {
      const fires = (await w.tasksOf(id)).map(({ fireAt }) => fireAt);
      expect(fires).toHaveLength(3);
      expect(new Set(fires).size).toBe(3);
      expect((await w.find(id)).fireFailures).toBe(0);
    }
  });

  it('loses a compare-and-set to whoever moved the job on', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    const { root } = w.backends.dialect;
    const from = job.nextFireAt as number;
    const advance = { id: job.id, from, next: from + MINUTE, lastFireAt: from };
    expect(await w.world.jobs.advance(root, [advance])).toBe(1);
    expect(await w.world.jobs.advance(root, [advance])).toBe(0);
  });

  it('leaves out a fire that has its task already when a row was set back', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    until(job);
    await w.fire(job.id);
    await sql('UPDATE jobs SET next_fire_at = ? WHERE id = ?', [job.nextFireAt, job.id]);
    await w.fire(job.id);
    expect(await w.statesOf(job.id)).toEqual(['PENDING']);
    expect(await w.find(job.id)).toMatchObject({ fireFailures: 0, nextFireAt: (job.nextFireAt as number) + MINUTE });
  });

  it('fires beside a task that a backfill made for the same time, also when it goes on alone after the round failed', async () => {
    const [job, other] = [await w.job({ schedule: EVERY_MINUTE }), await w.job({ schedule: EVERY_MINUTE })];
    until(job);
    await w.fire(job.id, other.id);
    await sql("UPDATE tasks SET backfill_key = 'another' WHERE job_id = ?", [job.id]);
    for (const { id, nextFireAt } of [job, other]) await sql('UPDATE jobs SET next_fire_at = ? WHERE id = ?', [nextFireAt, id]);
    await w.fire(job.id, other.id);
    expect(await w.statesOf(job.id)).toEqual(['PENDING', 'PENDING']);
    expect(await w.statesOf(other.id)).toEqual(['PENDING']);
  });

  it('has done nothing if it dies between the insert and the move', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    until(job);
    const dies = jest
      .spyOn(w.world.jobs, 'advance')
      .mockRejectedValue(Object.assign(new Error('killed'), { code: 'ECONNRESET' }));
    const unavailable = jest.spyOn(w.backends.dialect, 'isUnavailable').mockReturnValue(true);
    await expect(w.fire(job.id)).rejects.toThrow('killed');
    dies.mockRestore();
    unavailable.mockRestore();
    expect(await w.tasksOf(job.id)).toEqual([]);
    expect(await w.find(job.id)).toMatchObject({ nextFireAt: job.nextFireAt, fireFailures: 0 });
    await w.fire(job.id);
    expect(await w.statesOf(job.id)).toEqual(['PENDING']);
  });

  it('disables jobs with a corrupt row after ten failures, and them alone; an edit repairs them', async () => {
    const spoiled = [
      ['schedule_json', '{"kind":"every"}'],
      ['policies_json', 'null'],
      ['policies_json', '{"retry":"often"}'],
      ['policies_json', '{"routing":"nearest"}'],
      ['policies_json', '{"shards":1000000}'],
      ['metadata_json', '[1]'],
      ['tags_json', '{}'],
      ['upstreams_json', '7'],
      ['overlap', 'perhaps'],
      ['misfire', 'never'],
      ['params', '{"n":'],
    ] as const;
    const good = await w.job({ schedule: EVERY_MINUTE });
    const bad: Job[] = [];
    for (const [column, text] of spoiled) {
      const job = await w.job({ schedule: EVERY_MINUTE });
      await sql(`UPDATE jobs SET ${column} = ? WHERE id = ?`, [text, job.id]);
      bad.push(job);
    }
    until(good);
    const ids = [...bad.map(({ id }) => id), good.id];
    const told = () =>
      Promise.all(bad.map(async ({ id }) => (({ state, fireFailures }) => `${state} ${fireFailures}`)(await w.find(id))));
    for (let i = 0; i < 9; i++) await w.fire(...ids);
    expect(await told()).toEqual(spoiled.map(() => 'active 9'));
    await w.fire(...ids);
    expect(await told()).toEqual(spoiled.map(() => 'disabled 10'));
    expect(await w.statesOf(good.id)).toEqual(['PENDING']);
    const log = new AuditStore(w.backends.dialect);
    for (const { id } of bad) {
      expect(await log.list(w.backends.dialect.root, { objectType: 'job', objectId: id, limit: 9 })).toMatchObject([
        { actor: 'system', action: 'job.disabled', beforeJson: expect.stringContaining('active') },
      ]);
      expect(await w.find(id)).toMatchObject({ nextFireAt: null, pauseReason: expect.stringMatching(/^could not be fired/) });
      expect(await w.tasksOf(id)).toEqual([]);
      const repaired = await w.service.update(APP, id, 1, w.definition({ schedule: EVERY_MINUTE }), 'app:me');
      expect(repaired).toMatchObject({ outcome: 'changed', job: { corrupt: null, version: 2 } });
    }
  });

  it('lets a task whose row somebody spoiled hold up no other, and repeats it only for a person', async () => {
    const later = { delayMs: 1_000, options: { retry: { kind: 'fixed', maxRetries: 3, delayMs: 0 } as const } };
    const [bad, good] = [await w.world.submit(later), await w.world.submit(later)];
    for (const [column, text] of [
      ['options_json', '{'],
      ['metadata_json', 'null'],
      ['error_json', '{"na'],
      ['timeline', '[1,'],
    ])
      await sql(`UPDATE tasks SET ${column} = ? WHERE id = ?`, [text, bad]);
    w.clock.pass(2_000);
    await w.backends.dialect.transaction((tx) => w.world.lifecycle.promote(tx, [bad, good].sort(), 'node:n1'));
    const ends = [bad, good].map(async (id) => ({ taskId: id, lease: await w.world.claim(id), outcome: 'failed' as const }));
    const at = w.clock.now();
    const results = (await Promise.all(ends)).map((end) => ({
      ...end,
      startedAt: at,
      endedAt: at,
      error: { name: 'E', message: 'm' },
    }));
    expect(await w.world.lifecycle.settle('w1', results)).toMatchObject([{ verdict: 'applied' }, { verdict: 'applied' }]);
    expect(await w.world.find(bad)).toMatchObject({ state: 'FAILED', reason: 'not_repeatable' });
    expect(await w.world.find(good)).toMatchObject({ state: 'RETRYING' });
    expect(await w.world.tasks.retry(null, bad, 'user:anna')).toMatchObject({ outcome: 'retried' });
  });

  it('counts a job whose task the database refuses, and fires the others of its batch', async () => {
    const [bad, good] = [await w.job({ schedule: EVERY_MINUTE, handler: 'refused' }), await w.job({ schedule: EVERY_MINUTE })];
    if (w.backends.dialect.name === 'sqlite')
      await sql(
        "CREATE TRIGGER refusing BEFORE INSERT ON tasks WHEN NEW.handler = 'refused' BEGIN SELECT RAISE(ABORT, 'no'); END",
      );
    else await sql("ALTER TABLE tasks ADD CONSTRAINT refusing CHECK (handler <> 'refused')");
    until(bad);
    await w.fire(bad.id, good.id);
    expect(await w.find(bad.id)).toMatchObject({ fireFailures: 1, nextFireAt: bad.nextFireAt });
    expect(await w.statesOf(good.id)).toEqual(['PENDING']);
  });

  it('moves only the due time by the jitter', async () => {
    const job = await w.job({ schedule: { ...EVERY_MINUTE, jitterMs: 30_000 } });
    until(job);
    await w.fire(job.id);
    const [task] = await w.tasksOf(job.id);
    expect(task?.fireAt).toBe(job.nextFireAt);
    expect(task?.dueAt).toBeGreaterThanOrEqual(job.nextFireAt as number);
    expect(task?.dueAt).toBeLessThanOrEqual((job.nextFireAt as number) + 30_000);
  });

  it('fires once, and never again', async () => {
    const job = await w.job({ schedule: { kind: 'once', at: new Date(w.clock.now() + 5_000).toISOString() } });
    until(job);
    await w.fire(job.id);
    expect(await w.find(job.id)).toMatchObject({ nextFireAt: null });
    for (const later of [0, 1, 900, 3_600_000]) {
      w.clock.pass(later);
      await w.fire(job.id);
    }
    expect(await w.statesOf(job.id)).toEqual(['PENDING']);
  });

  it('fires a job of the kind `after` when its task has ended and the delay has passed', async () => {
    const job = await w.job({ schedule: { kind: 'after', delayMs: 10_000 } });
    until(job);
    await w.fire(job.id);
    expect((await w.find(job.id)).nextFireAt).toBeNull();
    w.clock.pass(7_000);
    const [task] = await w.tasksOf(job.id);
    await w.run(task?.id as string);
    expect((await w.find(job.id)).nextFireAt).toBe(w.clock.now() + 10_000);
  });

  describe('after an outage', () => {
    it.each([
      ['fire_once', 3, 1, 0],
      ['fire_once', 9, 1, 0],
      ['fire_once', 30, 1, 1],
      ['skip', 3, 0, 0],
      ['skip', 30, 0, 1],
      ['fire_all', 3, 3, 0],
      ['fire_all', 9, 9, 0],
      ['fire_all', 30, 10, 1],
    ] as const)(
      '%s of a job of every minute, %i minutes long, fires %i and tells of older ones in %i task',
      async (misfire, minutes, fires, told) => {
        const job = await w.job({ schedule: EVERY_MINUTE, misfire });
        until(job, (minutes - 1) * MINUTE + 30_000);
        await w.fire(job.id);
        const tasks = await w.tasksOf(job.id);
        const skipped = tasks.filter(({ state }) => state === 'SKIPPED');
        expect(tasks.length - skipped.length).toBe(fires);
        expect(skipped).toHaveLength(told);
        if (told > 0) {
          expect(skipped[0]?.reason).toBe('misfire_window');
          const { missed, first } = JSON.parse(skipped[0]?.result as string);
          expect(missed).toBe(30 - 10);
          expect(first).toBe(new Date(job.nextFireAt as number).toISOString());
        }
        expect((await w.find(job.id)).nextFireAt).toBeGreaterThan(w.clock.now());
      },
    );

    it('fires `once` within the window and tells of it beyond', async () => {
      const at = new Date(w.clock.now() + 1_000).toISOString();
      const [late, gone] = [await w.job({ schedule: { kind: 'once', at } }), await w.job({ schedule: { kind: 'once', at } })];
      until(late, 9 * MINUTE);
      await w.fire(late.id);
      w.clock.pass(21 * MINUTE);
      await w.fire(gone.id);
      expect(await w.statesOf(late.id)).toEqual(['PENDING']);
      expect(await w.statesOf(gone.id)).toEqual(['SKIPPED misfire_window']);
    });

    it.each([3, 9, 30])('of %i minutes fires `after` once', async (minutes) => {
      const job = await w.job({ schedule: { kind: 'after', delayMs: 1_000 } });
      until(job, minutes * MINUTE);
      await w.fire(job.id);
      expect(await w.tasksOf(job.id)).toHaveLength(1);
    });

    it('makes up for more than one statement may hold', async () => {
      const params = JSON.stringify({ text: `"${'x'.repeat(64 * 1024 - 32)}` });
      const jobs = await Promise.all(
        Array.from({ length: 3 }, () => w.job({ schedule: { kind: 'every', everyMs: 1_000 }, misfire: 'fire_all', params })),
      );
      until(jobs[0] as Job, 100_000);
      // A batch that fails is fired one by one, which tells one by one.
      for (const _ of jobs) expect(await w.fire(...jobs.map(({ id }) => id))).toHaveLength(1);
      for (const { id } of jobs) {
        const tasks = await w.tasksOf(id);
        expect(tasks.length).toBeGreaterThanOrEqual(100);
        expect(tasks[0]?.params).toBe(params);
        expect(await w.find(id)).toMatchObject({ fireFailures: 0, lastFireAt: w.clock.now() });
      }
    }, 60_000);

    it('makes no more in one round than it may hold locks for; what is left is due still and comes in the next', async () => {
      const every = { schedule: { kind: 'every', everyMs: 1_000 }, misfire: 'fire_all' } as const;
      const jobs = await Promise.all(Array.from({ length: 30 }, () => w.job(every)));
      const ids = jobs.map(({ id }) => id);
      until(jobs[0] as Job, 99_000);
      const made = async () => (await Promise.all(ids.map((id) => w.tasksOf(id)))).map(({ length }) => length);
      const [round] = await w.fire(...ids);
      const first = (await made()).filter((count) => count > 0);
      expect(first).toEqual(Array(10).fill(100));
      expect(round?.next.filter(({ dueAt }) => dueAt <= w.clock.now())).toHaveLength(20);
      await w.fire(...ids);
      await w.fire(...ids);
      expect(await made()).toEqual(Array(30).fill(100));
    }, 60_000);

    it('spreads what many jobs make up for', async () => {
      const jobs = await Promise.all(Array.from({ length: 30 }, () => w.job({ schedule: EVERY_MINUTE })));
      until(jobs[0] as Job, 3 * MINUTE + 30_000);
      await w.fire(...jobs.map(({ id }) => id));
      const due = (await Promise.all(jobs.map(({ id }) => w.tasksOf(id)))).flat().map(({ dueAt }) => dueAt);
      expect(due).toHaveLength(30);
      expect(new Set(due).size).toBe(30);
      expect(Math.max(...due) - Math.min(...due)).toBe(29 * 10);
    });
  });
});

describe('a fire that others are in the way of', () => {
  let database: FreshDatabase;
  let w: JobWorld;
  beforeAll(async () => {
    database = await freshDatabase('cluster');
    w = await JobWorld.create(database);
  });
  afterAll(() => database?.drop());

  it('is made once they are gone, and is no failure of the job', async () => {
    const up = await w.job({ schedule: { kind: 'manual' } });
    const down = await w.job({ schedule: EVERY_MINUTE, upstreams: [up.id] });
    w.clock.pass((down.nextFireAt as number) - w.clock.now());
    await w.backends.dialect.transaction(async (tx) => {
      await w.world.jobs.lock(tx, [up.id]);
      let isOver = false;
      const fired = w.fire(down.id).finally(() => {
        isOver = true;
      });
      // Whoever says nothing is cut off, and its locks with it.
      while (!isOver) {
        await tx.rows('SELECT 1 AS one');
        await Promise.race([fired, pause(500)]);
      }
      await fired;
    });
    expect(await w.find(down.id)).toMatchObject({ state: 'active', fireFailures: 0, nextFireAt: down.nextFireAt });
    expect(await w.tasksOf(down.id)).toEqual([]);
    await w.fire(down.id);
    expect((await w.tasksOf(down.id)).map(({ fireAt }) => fireAt)).toEqual([down.nextFireAt]);
  }, 90_000);
});
