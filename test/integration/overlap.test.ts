import { isDeepStrictEqual } from 'node:util';
import type { Overlap } from '../../src/decisions/overlap.js';
import { JobSweep } from '../../src/dispatch/job-sweep.js';
import type { PartitionsService } from '../../src/dispatch/partitions.service.js';
import type { Job } from '../../src/jobs/job.js';
import type { Sql } from '../../src/ports.js';
import type { TaskRecord } from '../../src/tasks/task.js';
import { JobWorld } from '../support/job-world.js';
import { RecordingSql } from '../support/recording-sql.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const MINUTE = 60_000;
const BY_HAND = { params: null, force: false, clientRequestId: null, fingerprint: null, actor: 'app:me' };

describe.each(ADAPTERS)('the overlap of a job (%s)', (adapter) => {
  let database: FreshDatabase;
  let w: JobWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    w = await JobWorld.create(database);
  });
  afterAll(() => database?.drop());

  const job = (overlap: Overlap, more: object = {}) => w.job({ schedule: { kind: 'every', everyMs: MINUTE }, overlap, ...more });
  /** The next fire of the job, at its time; returns the ids of its tasks, oldest fire first. */
  const fireNext = async ({ id }: Job): Promise<string[]> => {
    w.clock.pass(Math.max(0, ((await w.find(id)).nextFireAt as number) - w.clock.now()));
    await w.fire(id);
    return (await w.tasksOf(id)).map((task) => task.id);
  };
  const newSweep = (held = Array.from({ length: 16 }, (_, i) => i)) => {
    const { dialect } = w.backends;
    const partitions = {
      node: 'n1',
      held: () => held,
      epochOf: () => 1,
      within: (_: number, work: (tx: Sql, epoch: number) => unknown) => dialect.transaction(async (tx) => work(tx, 1)),
    } as unknown as PartitionsService;
    const { jobs, jobTasks, slots, lifecycle } = w.world;
    return new JobSweep(dialect, partitions, jobs, jobTasks, slots, lifecycle, w.replacements, w.clock, w.news);
  };
  const sweep = () => newSweep().sweep();

  it('`skip` records what it leaves out, also while the earlier task waits for a retry', async () => {
    const made = await job('skip', {
      policies: { priority: 5, timeoutMs: 0, retry: { kind: 'fixed', maxRetries: 3, delayMs: 600_000 } },
    });
    const [first] = await fireNext(made);
    await w.run(first as string, 'failed');
    await fireNext(made);
    expect(await w.statesOf(made.id)).toEqual(['RETRYING', 'SKIPPED overlap']);
    await w.world.tasks.requestCancel(APP, first as string, 'app:test');
    await fireNext(made);
    expect(await w.statesOf(made.id)).toEqual(['CANCELLED', 'SKIPPED overlap', 'PENDING']);
  });

  it('`allow` starts up to maxParallel', async () => {
    const made = await job('allow', { maxParallel: 2 });
    for (let i = 0; i < 3; i++) await fireNext(made);
    expect(await w.statesOf(made.id)).toEqual(['PENDING', 'PENDING', 'SKIPPED overlap']);
  });

  it('`queue` runs one at a time, in order, each freed in the transaction of the end before it', async () => {
    const made = await job('queue', {
      policies: { priority: 5, timeoutMs: 0, retry: { kind: 'fixed', maxRetries: 1, delayMs: 1_000 } },
    });
    let ids: string[] = [];
    for (let i = 0; i < 3; i++) ids = await fireNext(made);
    expect(await w.statesOf(made.id)).toEqual(['PENDING', 'BLOCKED', 'BLOCKED']);
    await w.run(ids[0] as string, 'failed');
    expect(await w.statesOf(made.id)).toEqual(['RETRYING', 'BLOCKED', 'BLOCKED']);
    w.clock.pass(2_000);
    const { dialect } = w.backends;
    await dialect.transaction((tx) => w.world.lifecycle.promote(tx, [ids[0] as string], 'node:n1'));
    await w.run(ids[0] as string, 'failed');
    expect(await w.statesOf(made.id)).toEqual(['FAILED', 'PENDING', 'BLOCKED']);
    await w.run(ids[1] as string);
    expect(await w.statesOf(made.id)).toEqual(['FAILED', 'SUCCEEDED', 'PENDING']);
    await w.run(ids[2] as string);
    expect((await w.world.jobTasks.occupants(dialect.root, [made.id])).get(made.id)).toEqual([]);
  });

  it('frees what waits at once when an edit lets more go at a time, and replaces at once by a new rule; nobody waits for a sweep', async () => {
    const made = await job('queue');
    for (let i = 0; i < 4; i++) await fireNext(made);
    expect(await w.statesOf(made.id)).toEqual(['PENDING', 'BLOCKED', 'BLOCKED', 'BLOCKED']);
    // One that holds nothing finds nothing by looking: what it does it was told.
    const told = newSweep([]);
    told.start();
    const edited = async (overlap: Overlap, maxParallel: number) => {
      const { version, schedule } = await w.find(made.id);
      await w.service.update(APP, made.id, version, w.definition({ schedule, overlap, maxParallel }), 'app:me');
    };
    const becomes = (states: string[]) => waitFor(`${states}`, async () => isDeepStrictEqual(await w.statesOf(made.id), states));
    await edited('allow', 2);
    await becomes(['PENDING', 'PENDING', 'BLOCKED', 'BLOCKED']);
    await edited('allow', 3);
    await becomes(['PENDING', 'PENDING', 'PENDING', 'BLOCKED']);
    await edited('replace', 3);
    await becomes(['CANCELLED', 'CANCELLED', 'CANCELLED', 'PENDING']);
    await told.stop();
  });

  it('reads as many rows for the turn of one of two hundred waiting tasks as for the turn of one of two', async () => {
    const rows: Record<number, number> = {};
    for (const waiting of [2, 200]) {
      const made = await job('queue');
      const [first] = (await fireNext(made)) as [string];
      for (let i = 0; i < waiting; i++) await w.runs.run(APP, made.id, BY_HAND);
      await w.run(first);
      const second = (await w.tasksOf(made.id)).find(({ state }) => state === 'PENDING') as TaskRecord;
      rows[waiting] = await w.backends.dialect.transaction(async (tx) => {
        const recording = new RecordingSql(tx);
        await w.world.slots.release(recording, [{ before: second, after: second }], w.clock.now(), 'node:n1');
        return recording.rowsRead;
      });
    }
    expect(rows[200]).toBe(rows[2]);
  });

  it('`queue` passes the turn on when a waiting or pending task is cancelled', async () => {
    const made = await job('queue');
    let ids: string[] = [];
    for (let i = 0; i < 3; i++) ids = await fireNext(made);
    await w.world.tasks.requestCancel(APP, ids[1] as string, 'app:test');
    expect(await w.statesOf(made.id)).toEqual(['PENDING', 'CANCELLED', 'BLOCKED']);
    await w.world.tasks.requestCancel(APP, ids[0] as string, 'app:test');
    expect(await w.statesOf(made.id)).toEqual(['CANCELLED', 'CANCELLED', 'PENDING']);
  });

  it('`replace` cancels what runs; the new one waits until it has stopped', async () => {
    const made = await job('replace');
    const [first] = await fireNext(made);
    const lease = await w.world.claim(first as string);
    await fireNext(made);
    await w.replacements.cancelReplaced([made], 'node:n1');
    expect(await w.statesOf(made.id)).toEqual(['DISPATCHED', 'BLOCKED']);
    expect(await w.world.find(first as string)).toMatchObject({ cancelAskedAt: w.clock.now() });
    await fireNext(made);
    await w.replacements.cancelReplaced([made], 'node:n1');
    expect(await w.statesOf(made.id)).toEqual(['DISPATCHED', 'CANCELLED', 'BLOCKED']);
    await w.end(first as string, lease, 'cancelled');
    expect(await w.statesOf(made.id)).toEqual(['CANCELLED', 'CANCELLED', 'PENDING']);
    // Who waits for the job takes neither for a failure.
    expect(await w.world.find(first as string)).toMatchObject({ state: 'CANCELLED', reason: 'replaced' });
  });

  it('the sweep does what a process that died left undone', async () => {
    const [queued, replaced] = [await job('queue'), await job('replace')];
    const after = await w.job({ schedule: { kind: 'after', delayMs: 5_000 } });
    for (let i = 0; i < 2; i++) for (const made of [queued, replaced]) await fireNext(made);
    await fireNext(after);
    const [ended] = await w.tasksOf(queued.id);
    const [run] = await w.tasksOf(after.id);
    for (const task of [ended, run]) await w.backends.dialect.root.run('UPDATE tasks SET state = 7 WHERE id = ?', [task?.id]);
    await sweep();
    expect(await w.statesOf(queued.id)).toEqual(['SUCCEEDED', 'PENDING']);
    expect(await w.statesOf(replaced.id)).toEqual(['CANCELLED', 'PENDING']);
    expect((await w.find(after.id)).nextFireAt).toBe(w.clock.now() + 5_000);
  });

  it('the sweep looks at every other job although the database refuses what it writes of one', async () => {
    const { dialect } = w.backends;
    const made = [await job('queue', { handler: 'refused' }), await job('queue'), await job('queue')];
    for (let i = 0; i < 2; i++) for (const each of made) await fireNext(each);
    for (const { id } of made)
      await dialect.root.run('UPDATE tasks SET state = 7 WHERE id = ?', [(await w.tasksOf(id))[0]?.id as string]);
    const refused = "handler = 'refused' AND state = 3";
    if (dialect.name === 'sqlite')
      await dialect.root.run(
        `CREATE TRIGGER refusing BEFORE UPDATE ON tasks WHEN NEW.${refused.replace('AND ', 'AND NEW.')} BEGIN SELECT RAISE(ABORT, 'no'); END`,
      );
    else await dialect.root.run(`ALTER TABLE tasks ADD CONSTRAINT refusing CHECK (NOT (${refused}))`);
    await sweep();
    expect(await Promise.all(made.map(({ id }) => w.statesOf(id)))).toEqual([
      ['SUCCEEDED', 'BLOCKED'],
      ['SUCCEEDED', 'PENDING'],
      ['SUCCEEDED', 'PENDING'],
    ]);
    if (dialect.name === 'sqlite') await dialect.root.run('DROP TRIGGER refusing');
    else await dialect.root.run('ALTER TABLE tasks DROP CONSTRAINT refusing');
    await sweep();
    expect(await w.statesOf((made[0] as Job).id)).toEqual(['SUCCEEDED', 'PENDING']);
  });

  it('lets what waits for a deleted job have its turn', async () => {
    const made = await job('queue');
    let ids: string[] = [];
    for (let i = 0; i < 2; i++) ids = await fireNext(made);
    expect(await w.service.remove(APP, made.id)).toBe(true);
    await w.run(ids[0] as string);
    expect(await w.statesOf(made.id)).toEqual(['SUCCEEDED', 'PENDING']);
  });

  describe('running it now', () => {
    const run = (id: string, more: object = {}) =>
      w.runs.run(APP, id, { params: null, force: false, clientRequestId: null, fingerprint: null, actor: 'app:test', ...more });

    it('obeys the overlap unless forced, and changes nothing of the job', async () => {
      const made = await job('skip');
      await run(made.id, { params: '{"n":2}' });
      await run(made.id);
      await run(made.id, { force: true });
      const tasks = await w.tasksOf(made.id);
      expect(tasks.map(({ state }) => state)).toEqual(['PENDING', 'SKIPPED', 'PENDING']);
      expect(tasks.map(({ params, fireAt }) => [params, fireAt])).toEqual([
        ['{"n":2}', null],
        ['{"n":1}', null],
        ['{"n":1}', null],
      ]);
      expect(await w.find(made.id)).toEqual(made);
    });

    it('of a job of the kind `after` is a task like its others: a fire that meets it is left out, and its end plans the next', async () => {
      const made = await w.job({ schedule: { kind: 'after', delayMs: 5_000 }, overlap: 'skip' });
      await run(made.id);
      expect((await w.find(made.id)).nextFireAt).toBe(made.nextFireAt);
      await fireNext(made);
      const [byHand] = (await w.tasksOf(made.id)).filter(({ state }) => state === 'PENDING');
      expect((await w.statesOf(made.id)).sort()).toEqual(['PENDING', 'SKIPPED overlap']);
      expect((await w.find(made.id)).nextFireAt).toBeNull();
      w.clock.pass(1_000);
      await w.run(byHand?.id as string);
      expect((await w.find(made.id)).nextFireAt).toBe(w.clock.now() + 5_000);
    });

    it('is one run for one clientRequestId', async () => {
      const made = await job('allow');
      const once = { clientRequestId: `now-${adapter}`, fingerprint: 'a'.repeat(64) };
      const outcomes = await Promise.all([run(made.id, once), run(made.id, once), run(made.id, once)]);
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'replayed', 'replayed']);
      expect(await run(made.id, { ...once, fingerprint: 'b'.repeat(64) })).toMatchObject({ outcome: 'reused' });
      expect(await w.tasksOf(made.id)).toHaveLength(1);
    });
  });
});
