import { ADAPTERS } from '../../support/services.js';
import { type Browser, ConsoleWorld } from './support/console-world.js';
import { type SeededTask, seedTasks } from './support/many-tasks.js';

describe.each(ADAPTERS)('the overview of the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let seeded: SeededTask[];
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    seeded = await seedTasks(world, 66);
    for (const [key, everyMs] of [
      ['dense', 60_000],
      ['hourly', 3_600_000],
    ] as const)
      await admin.post('/api/jobs', { key, group: 'own', handler: 'noop', schedule: { kind: 'every', everyMs } });
  }, 60_000);
  afterAll(() => world?.stop());

  it('counts in each tile what its list counts', async () => {
    const { tiles, attention, firstSteps, groups } = (await admin.get('/api/overview')).json;
    for (const name of ['late', 'failedLastHour', 'running', 'waiting']) {
      const { total } = (await admin.get(`/api/tasks/counts?${tiles[name].query}`)).json;
      expect([name, tiles[name].count]).toEqual([name, total.count]);
    }
    const count = (...states: string[]) => seeded.filter(({ state }) => states.includes(state)).length;
    expect(tiles.failedLastHour.count).toBe(count('FAILED', 'TIMED_OUT'));
    expect(tiles.running.count).toBe(count('RUNNING', 'DISPATCHED'));
    expect((await admin.get(`/api/jobs?${tiles.dueSoon.query}`)).json.items).toHaveLength(tiles.dueSoon.count);
    expect(firstSteps).toEqual({ group: true, worker: false, job: true, task: true });
    expect(attention.map(({ kind }: { kind: string }) => kind)).toContain('group_without_worker');
    expect(groups.map(({ key }: { key: string }) => key).sort()).toEqual(['other', 'own']);
  });

  it('condenses in the calendar what fires often', async () => {
    const from = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000);
    const to = new Date(from.getTime() + 24 * 3_600_000);
    const calendar = (await admin.get(`/api/calendar?from=${from.toISOString()}&to=${to.toISOString()}`)).json;
    const of = (key: string) => calendar.jobs.find((job: { key: string }) => job.key === key);
    expect(of('hourly').fires).toHaveLength(24);
    expect(of('dense').fires).toBeNull();
    for (const { count } of of('dense').hours.slice(1, -1)) expect(count).toBe(60);
    expect((await admin.get('/api/calendar?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z')).json.errors[0].pointer).toBe(
      '/query/to',
    );
  });

  it('finds by id, key, request id and name', async () => {
    const { id } = seeded[0] as SeededTask;
    const hits = async (q: string) => (await admin.get(`/api/search?q=${encodeURIComponent(q)}`)).json.hits;
    expect(await hits(id)).toMatchObject([{ type: 'task', id }]);
    expect(await hits('HOURLY')).toMatchObject([{ type: 'job', name: 'hourly' }]);
    const { clientRequestId } = (await admin.get(`/api/tasks/${id}`)).json;
    expect((await hits(clientRequestId))[0]).toMatchObject({ type: 'task', id });
    expect((await hits('seeder'))[0]).toMatchObject({ type: 'app', name: 'seeder' });
    expect(await hits('%')).toEqual([]);
  });
});
