import { DeletedJobStore } from '../../src/jobs/deleted-job.store.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import type { Job } from '../../src/jobs/job.js';
import { gate } from '../support/gate.js';
import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const MINUTE = 60_000;
const EVERY_MINUTE = { kind: 'every', everyMs: MINUTE };

describe.each(ADAPTERS)('job definitions (%s)', (adapter) => {
  let database: FreshDatabase;
  let w: JobWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    w = await JobWorld.create(database);
  });
  afterAll(() => database?.drop());

  const names = { groupId: 1, partition: 0, appId: APP, by: 'app:test' };

  it('are created once per clientRequestId and once per key', async () => {
    const request = { ...names, key: 'one', clientRequestId: `create-${adapter}`, fingerprint: 'a'.repeat(64) };
    const definition = w.definition({ schedule: EVERY_MINUTE });
    const outcomes = await Promise.all([1, 2, 3].map(() => w.service.create(request, definition)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['created', 'replayed', 'replayed']);
    expect(await w.service.create({ ...request, fingerprint: 'b'.repeat(64) }, definition)).toMatchObject({ outcome: 'reused' });
    expect(await w.service.create({ ...request, clientRequestId: null, fingerprint: null }, definition)).toEqual({
      outcome: 'key_taken',
    });
  });

  it('that were deleted are not created once more by a repeated request, but by one of another id, app or spelling', async () => {
    const request = { ...names, key: 'gone', clientRequestId: 'Gone-1', fingerprint: 'a'.repeat(64) };
    const definition = w.definition({ schedule: EVERY_MINUTE });
    const create = (over: object = {}) => w.service.create({ ...request, ...over }, definition);
    const made = await create();
    if (made.outcome !== 'created') throw new Error(made.outcome);
    await w.service.remove(APP, made.job.id);
    expect(await create()).toEqual({ outcome: 'deleted', deletedJobId: made.job.id });
    expect(await create({ fingerprint: 'b'.repeat(64) })).toEqual({ outcome: 'reused', existingJobId: made.job.id });
    for (const other of [{ clientRequestId: 'gone-1' }, { clientRequestId: 'Gone-2' }, { appId: APP + 1 }]) {
      const another = await create(other);
      if (another.outcome !== 'created') throw new Error(another.outcome);
      await w.service.remove('anybody', another.job.id);
    }
    expect(await create()).toEqual({ outcome: 'deleted', deletedJobId: made.job.id });
  });

  it('leave nothing of a deletion that did not happen', async () => {
    const request = { ...names, key: 'kept', clientRequestId: 'kept', fingerprint: 'a'.repeat(64) };
    const definition = w.definition({ schedule: EVERY_MINUTE });
    const made = await w.service.create(request, definition);
    if (made.outcome !== 'created') throw new Error(made.outcome);
    const failing = w.service.remove(APP, made.job.id, () => Promise.reject(new Error('not noted')));
    await expect(failing).rejects.toThrow('not noted');
    expect(await w.service.create(request, definition)).toMatchObject({ outcome: 'replayed', job: { id: made.job.id } });
  });

  // Embedded, transactions queue: nobody waits at a key.
  if (adapter === 'cluster') {
    it('that somebody is creating for longer than anybody waits are in progress, and the next attempt is told what became of them', async () => {
      const request = { ...names, key: 'held', clientRequestId: 'held', fingerprint: 'a'.repeat(64) };
      const definition = w.definition({ schedule: EVERY_MINUTE });
      const held = gate();
      let isWanted = true;
      const winner = w.service.create(request, definition, async (tx) => {
        held.open();
        while (isWanted) await tx.rows('SELECT SLEEP(0.2)');
      });
      await held.opened;
      expect(await w.service.create({ ...request, key: 'other' }, definition)).toEqual({ outcome: 'in_progress' });
      isWanted = false;
      expect(await winner).toMatchObject({ outcome: 'created' });
      expect(await w.service.create(request, definition)).toMatchObject({ outcome: 'replayed' });
    }, 120_000);

    it('that are created and deleted while the same request waits to create one are not created again by it', async () => {
      const { dialect } = w.backends;
      const request = { ...names, key: 'fast', clientRequestId: 'fast', fingerprint: 'a'.repeat(64) };
      const definition = w.definition({ schedule: EVERY_MINUTE });
      const waiting = async () => {
        const [row] = await dialect.root.rows<{ n: number }>(
          `SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST
           WHERE DB = DATABASE() AND ID <> CONNECTION_ID() AND INFO LIKE 'SELECT%task_groups%FOR UPDATE%'`,
        );
        return Number(row?.n) > 0;
      };
      const late = await dialect.transaction(async (tx) => {
        await tx.rows('SELECT id FROM task_groups WHERE id = ? FOR UPDATE', [request.groupId]);
        const creation = w.service.create(request, definition);
        await waitFor('the creation waits for the group', waiting);
        await new DeletedJobStore().remember(tx, { ...request, id: 'job_1' }, 1);
        return { creation };
      });
      expect(await late.creation).toEqual({ outcome: 'deleted', deletedJobId: 'job_1' });
      expect(await dialect.root.rows("SELECT id FROM jobs WHERE client_request_id = 'fast'")).toEqual([]);
    }, 60_000);
  }

  it('of one key in two groups are two jobs, each fired for itself', async () => {
    const { dialect } = w.backends;
    const store = new GroupStore(dialect);
    await store.ensure(dialect.root, 'twin-group', { maxRunning: 10, maxPending: 10 }, 1);
    const groups = (await store.all(dialect.root)).filter(({ key }) => key === 'twin-group' || key === w.group?.key);
    const jobs: Job[] = [];
    for (const { id: groupId, partition } of groups) {
      const stated = { ...names, groupId, partition, key: 'twin', clientRequestId: null, fingerprint: null };
      const outcome = await w.service.create(stated, w.definition({ schedule: EVERY_MINUTE }));
      if (outcome.outcome !== 'created') throw new Error(outcome.outcome);
      jobs.push(outcome.job);
    }
    w.clock.pass(MINUTE);
    await w.fire(...jobs.map(({ id }) => id));
    const made = await Promise.all(jobs.map(({ id }) => w.tasksOf(id)));
    expect(made.map((tasks) => tasks.map(({ groupId }) => groupId))).toEqual(groups.map(({ id }) => [id]));
    expect(made).toHaveLength(2);
  });

  it('are changed only from the current version, and keep every version', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    const second = w.definition({ schedule: EVERY_MINUTE, handler: 'other' });
    expect(await w.service.update(APP, job.id, 1, second, 'app:me')).toMatchObject({ outcome: 'changed', job: { version: 2 } });
    const stale = await w.service.update(APP, job.id, 1, second, 'app:me');
    expect(stale).toMatchObject({ outcome: 'conflict', current: { version: 2, handler: 'other' } });
    expect(await w.service.restore(APP, job.id, 2, 1, 'app:me')).toMatchObject({
      outcome: 'changed',
      job: { version: 3, handler: 'noop' },
    });
    const versions = await w.service.versions(job.id);
    expect(versions.map(({ version, definition, changedBy }) => [version, definition.handler, changedBy])).toEqual([
      [3, 'noop', 'app:me'],
      [2, 'other', 'app:me'],
      [1, 'noop', 'app:test'],
    ]);
    expect(await w.service.update(APP + 1, job.id, 3, second, 'app:other')).toEqual({ outcome: 'not_found' });
  });

  it('edited while due fire by the new definition; another schedule counts from now', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    w.clock.pass((job.nextFireAt as number) - w.clock.now());
    await w.service.update(APP, job.id, 1, w.definition({ schedule: EVERY_MINUTE, handler: 'other' }), 'app:me');
    await w.fire(job.id);
    expect(await w.tasksOf(job.id)).toMatchObject([{ handler: 'other', fireAt: job.nextFireAt }]);
    w.clock.pass(MINUTE);
    const hourly = w.definition({ schedule: { kind: 'every', everyMs: 60 * MINUTE } });
    const changed = await w.service.update(APP, job.id, 2, hourly, 'app:me');
    await w.fire(job.id);
    expect(await w.tasksOf(job.id)).toHaveLength(1);
    expect(changed).toMatchObject({ job: { nextFireAt: Math.ceil((w.clock.now() + 1) / (60 * MINUTE)) * 60 * MINUTE } });
  });

  it('given another schedule while due keep the fire that is due if the new schedule names it too', async () => {
    const nightly = { kind: 'cron', expression: '0 2 * * *', timeZone: 'UTC' };
    const job = await w.job({ schedule: nightly });
    const due = job.nextFireAt as number;
    w.clock.pass(due - w.clock.now() + 40);
    const spread = w.definition({ schedule: { ...nightly, jitterMs: 60_000 } });
    expect(await w.service.update(APP, job.id, 1, spread, 'app:me')).toMatchObject({ job: { nextFireAt: due } });
    await w.fire(job.id);
    const later = w.definition({ schedule: { ...nightly, expression: '0 3 * * *' } });
    expect(await w.service.update(APP, job.id, 2, later, 'app:me')).toMatchObject({ job: { nextFireAt: due + 60 * MINUTE } });
    await w.service.update(APP, job.id, 3, spread, 'app:me');
    expect((await w.tasksOf(job.id)).map(({ fireAt }) => fireAt)).toEqual([due]);
    expect((await w.find(job.id)).nextFireAt).toBe(due + 24 * 60 * MINUTE);
  });

  it('whose history somebody spoiled show the versions that can be read, and restore no other', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    await w.service.update(APP, job.id, 1, w.definition({ schedule: EVERY_MINUTE, handler: 'second' }), 'app:me');
    const { root } = w.backends.dialect;
    for (const text of ['{', 'null', '{"schedule":{"kind":"every"},"policies":{}}']) {
      await root.run('UPDATE job_versions SET definition_json = ? WHERE job_id = ? AND version = 1', [text, job.id]);
      expect(await w.service.versions(job.id)).toMatchObject([{ version: 2, definition: { handler: 'second' } }]);
      expect(await w.service.restore(APP, job.id, 2, 1, 'app:me')).toEqual({ outcome: 'not_found' });
    }
  });

  it('stated again with the members of the schedule in another order keep the fire that is planned', async () => {
    const startAt = new Date(w.clock.now() - MINUTE).toISOString();
    const job = await w.job({ schedule: { kind: 'after', delayMs: 5_000, startAt } });
    await w.fire(job.id);
    w.clock.pass(1);
    await w.fire(job.id);
    await w.run((await w.tasksOf(job.id))[0]?.id as string);
    const { nextFireAt } = await w.find(job.id);
    w.clock.pass(3_000);
    const again = w.definition({ schedule: { startAt, delayMs: 5_000, kind: 'after' }, description: 'said better' });
    expect(await w.service.update(APP, job.id, 1, again, 'app:me')).toMatchObject({
      job: { version: 2, description: 'said better', nextFireAt },
    });
  });

  it('changed and paused in one go fire nothing of either definition; a stale one of these pauses nothing', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    const other = w.definition({ schedule: EVERY_MINUTE, handler: 'other' });
    expect(await w.service.updatePaused(APP, job.id, 7, other, 'app:me', 'imported')).toMatchObject({ outcome: 'conflict' });
    expect(await w.find(job.id)).toEqual(job);
    const changed = await w.service.updatePaused(APP, job.id, 1, other, 'app:me', 'imported');
    expect(changed).toMatchObject({
      job: { state: 'paused', pauseReason: 'imported', version: 2, handler: 'other', pausedFireAt: job.nextFireAt },
    });
    w.clock.pass(3 * MINUTE);
    await w.fire(job.id);
    expect(await w.tasksOf(job.id)).toEqual([]);
    await w.service.resume(APP, job.id);
    await w.fire(job.id);
    expect(await w.tasksOf(job.id)).toMatchObject([{ handler: 'other' }]);
  });

  it('preview the fires that come', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    const preview = w.service.nextFires(job, 3);
    for (let i = 0; i < 3; i++) {
      w.clock.pass(((await w.find(job.id)).nextFireAt as number) - w.clock.now());
      await w.fire(job.id);
    }
    expect((await w.tasksOf(job.id)).map(({ fireAt }) => fireAt)).toEqual(preview);
  });

  it.each([
    ['fire_once', 5, 1],
    ['fire_all', 5, 1],
    ['skip', 5, 0],
    ['fire_once', 25, 1],
  ] as const)('paused do not fire; resumed with %s after %i minutes make up for %i', async (misfire, minutes, runs) => {
    const job = await w.job({ schedule: EVERY_MINUTE, misfire });
    const paused = await w.service.pause(APP, job.id, 'maintenance');
    expect(paused).toMatchObject({ job: { state: 'paused', pauseReason: 'maintenance', nextFireAt: null, version: 1 } });
    w.clock.pass(minutes * MINUTE);
    await w.fire(job.id);
    expect(await w.tasksOf(job.id)).toEqual([]);
    expect(await w.service.resume(APP, job.id)).toMatchObject({ job: { state: 'active', pauseReason: null } });
    await w.fire(job.id);
    await w.fire(job.id);
    expect(await w.statesOf(job.id)).toEqual(Array(runs).fill('PENDING'));
    expect((await w.find(job.id)).nextFireAt).toBeGreaterThan(w.clock.now());
  });

  it('of an hourly job paused over an old fire make up for nothing beyond the window', async () => {
    const job = await w.job({ schedule: { kind: 'every', everyMs: 60 * MINUTE } });
    await w.service.pause(APP, job.id, null);
    w.clock.pass((job.nextFireAt as number) - w.clock.now() + 30 * MINUTE);
    expect(await w.service.resume(APP, job.id)).toMatchObject({ job: { nextFireAt: (job.nextFireAt as number) + 60 * MINUTE } });
  });

  it('whose last fire was missed while they were paused, beyond the window, say that it did not come', async () => {
    const at = w.clock.now() + MINUTE;
    const once = { kind: 'once', at: new Date(at).toISOString() };
    const cases = [
      ['fire_once', 1_000, ['SKIPPED misfire_window']],
      ['fire_all', 1_000, ['SKIPPED misfire_window']],
      ['skip', 1_000, ['SKIPPED misfire_window']],
      ['skip', 10 * MINUTE, []],
    ] as const;
    const jobs: Job[] = [];
    for (const [misfire, misfireWindowMs] of cases) jobs.push(await w.job({ schedule: once, misfire, misfireWindowMs }));
    for (const { id } of jobs) await w.service.pause(APP, id, null);
    w.clock.pass(3 * MINUTE);
    for (const [i, { id }] of jobs.entries()) {
      await w.service.resume(APP, id);
      await w.fire(id);
      expect([cases[i]?.[0], await w.statesOf(id)]).toEqual([cases[i]?.[0], cases[i]?.[2]]);
      expect((await w.find(id)).nextFireAt).toBeNull();
    }
  });

  it('of the kind `after` go on when resumed, whether a task ended meanwhile or not', async () => {
    const job = await w.job({ schedule: { kind: 'after', delayMs: 1_000 } });
    w.clock.pass(1_000);
    await w.fire(job.id);
    await w.service.pause(APP, job.id, null);
    await w.run((await w.tasksOf(job.id))[0]?.id as string);
    expect(await w.find(job.id)).toMatchObject({ nextFireAt: null, pausedFireAt: w.clock.now() + 1_000 });
    w.clock.pass(5_000);
    await w.service.resume(APP, job.id);
    await w.fire(job.id);
    expect(await w.statesOf(job.id)).toEqual(['SUCCEEDED', 'PENDING']);
  });

  it('are gone when deleted, while their tasks keep the id', async () => {
    const job = await w.job({ schedule: EVERY_MINUTE });
    w.clock.pass((job.nextFireAt as number) - w.clock.now());
    await w.fire(job.id);
    expect(await w.service.remove(APP + 1, job.id)).toBe(false);
    expect(await w.service.remove(APP, job.id)).toBe(true);
    expect(await w.service.find(APP, job.id)).toBeNull();
    expect(await w.service.versions(job.id)).toEqual([]);
    expect(await w.tasksOf(job.id)).toMatchObject([{ jobId: job.id, state: 'PENDING' }]);
  });
});
