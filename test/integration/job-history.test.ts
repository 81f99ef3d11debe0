import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const EVERY = { kind: 'every', everyMs: 60_000 };

describe.each(ADAPTERS)('the history of a job (%s)', (adapter) => {
  let database: FreshDatabase;
  let world: JobWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    world = await JobWorld.create(database);
  });
  afterAll(() => database.drop());

  it('keeps every definition, tells one of them, and restores it as the next version', async () => {
    const job = await world.job({ schedule: EVERY, params: '{"v":1}' });
    await world.service.update(APP, job.id, 1, world.definition({ schedule: EVERY, params: '{"v":2}' }), 'user:ann');
    expect((await world.service.versions(job.id)).map(({ version, changedBy }) => [version, changedBy])).toEqual([
      [2, 'user:ann'],
      [1, 'app:test'],
    ]);
    expect(await world.service.definition(job.id, 1)).toMatchObject({ params: '{"v":1}' });
    expect(await world.service.definition(job.id, 9)).toBeNull();
    const restored = await world.service.restore(APP, job.id, 2, 1, 'user:bob');
    expect(restored).toMatchObject({ outcome: 'changed', job: { version: 3, params: '{"v":1}' } });
    expect((await world.service.versions(job.id)).map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(await world.service.restore(APP, job.id, 2, 1, 'user:bob')).toMatchObject({
      outcome: 'conflict',
      current: { version: 3 },
    });
    expect(await world.service.restore(APP, job.id, 3, 9, 'user:bob')).toEqual({ outcome: 'not_found' });
  });

  it('tells a stale edit the version it was made from and the job as it is', async () => {
    const job = await world.job({ schedule: EVERY });
    const definition = world.definition({ schedule: EVERY, description: 'mine' });
    const outcomes = await Promise.all([1, 2, 3].map(() => world.service.update(APP, job.id, 1, definition, 'user:ann')));
    expect(outcomes.filter(({ outcome }) => outcome === 'changed')).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(2);
    expect(outcomes.find(({ outcome }) => outcome === 'conflict')).toMatchObject({
      current: { version: 2, description: 'mine' },
    });
  });

  it('does not move on by fires nor by runs with other params', async () => {
    const job = await world.job({ schedule: EVERY, params: '{"v":1}' });
    const planned = (await world.find(job.id)).nextFireAt;
    await world.runs.run(APP, job.id, {
      params: '{"v":99}',
      force: true,
      clientRequestId: null,
      fingerprint: null,
      actor: 'user:ann',
    });
    expect(await world.find(job.id)).toMatchObject({ version: 1, params: '{"v":1}', nextFireAt: planned });
    world.clock.pass(120_000);
    await world.fire(job.id);
    expect(await world.find(job.id)).toMatchObject({ version: 1, params: '{"v":1}' });
    expect(await world.service.versions(job.id)).toHaveLength(1);
  });

  it('begins anew with a copy, which is paused and of another key', async () => {
    const job = await world.job({ schedule: EVERY, params: '{"v":1}', tags: ['a'] });
    const { groupId, partition } = job;
    const names = { key: 'the-copy', groupId, partition, appId: APP, clientRequestId: null, fingerprint: null, by: 'user:ann' };
    const copied = await world.service.copy(APP, job.id, names);
    expect(copied).toMatchObject({
      outcome: 'created',
      job: {
        key: 'the-copy',
        version: 1,
        state: 'paused',
        pauseReason: 'copied',
        nextFireAt: null,
        params: '{"v":1}',
        tags: ['a'],
      },
    });
    expect(await world.service.copy(APP, job.id, names)).toEqual({ outcome: 'key_taken' });
    expect(await world.service.copy(APP + 1, job.id, { ...names, key: 'other' })).toBeNull();
    const id = (copied as { job: { id: string } }).job.id;
    expect(await world.service.resume(APP, id)).toMatchObject({
      outcome: 'changed',
      job: { state: 'active', nextFireAt: expect.any(Number) },
    });
  });
});
