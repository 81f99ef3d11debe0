import { ConsoleJobStore } from '../../../src/admin/jobs/console-job.store.js';
import { STATE_CODE } from '../../../src/decisions/state-codes.js';
import { GroupsService } from '../../../src/jobs/groups.service.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';

describe.each(ADAPTERS)('jobs in the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
  }, 60_000);
  afterAll(() => world?.stop());

  const daily = { kind: 'cron', expression: '30 9 * * MON-FRI', timeZone: 'Asia/Shanghai' };
  const create = (key: string, more: object = {}) =>
    admin.post('/api/jobs', { key, group: 'own', handler: 'noop', schedule: daily, ...more });

  it('keeps params digit for digit', async () => {
    const paramsText = '{"n":9007199254740993,"x":1e400,"":1}';
    const created = await create('exact', { paramsText, tags: ['pay'], owner: 'ops' });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({
      paramsText,
      group: 'own',
      version: 1,
      state: 'active',
      app: null,
      tags: ['pay'],
      handlerServed: false,
    });
    expect((await admin.get(`/api/jobs/${created.json.id}`)).json.paramsText).toBe(paramsText);
    expect((await create('bad', { paramsText: '{' })).json.errors[0].pointer).toBe('/paramsText');
    expect((await create('bad', { params: {} })).json.errors[0].pointer).toBe('/params');
    expect((await create('exact')).json.errors[0]).toMatchObject({ pointer: '/key', code: 'not_unique' });
    expect((await create('bad', { group: 'nowhere' })).json.errors[0].pointer).toBe('/group');
  });

  it('refuses a stale edit with all three versions', async () => {
    const { id } = (await create('edited')).json;
    const edit = (version: number, handler: string) =>
      admin.call('PUT', `/api/jobs/${id}`, { version, handler, schedule: daily, reason: 'why' });
    expect((await edit(1, 'mine')).json).toMatchObject({ version: 2, handler: 'mine' });
    expect((await edit(1, 'theirs')).json).toMatchObject({
      status: 409,
      code: 'version_conflict',
      statedVersion: 1,
      currentVersion: 2,
      base: { handler: 'noop' },
      current: { handler: 'mine' },
    });
    const versions = (await admin.get(`/api/jobs/${id}/versions`)).json.items;
    expect(
      versions.map(({ version, definition }: { version: number; definition: { handler: string } }) => [
        version,
        definition.handler,
      ]),
    ).toEqual([
      [2, 'mine'],
      [1, 'noop'],
    ]);
    expect((await admin.post(`/api/jobs/${id}/versions/1/restore`, { version: 2 })).json).toMatchObject({
      version: 3,
      handler: 'noop',
    });
    const actions = (await admin.get(`/api/audit?objectId=${id}`)).json.items.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['job.restored', 'job.changed', 'job.created']);
  });

  it('pauses, resumes, runs, copies and deletes', async () => {
    const { id } = (await create('steered', { handler: 'nobody-has-it' })).json;
    expect((await admin.post(`/api/jobs/${id}/pause`, { reason: 'migration' })).json).toMatchObject({
      state: 'paused',
      pauseReason: 'migration',
      nextFireAt: null,
    });
    expect((await admin.post(`/api/jobs/${id}/resume`)).json).toMatchObject({ state: 'active', nextFireAt: expect.any(String) });
    const run = await admin.post(`/api/jobs/${id}/trigger`, { paramsText: '[1]', reason: 'now' });
    expect(run.status).toBe(202);
    expect((await admin.get(`/api/jobs/${id}`)).json.recent).toMatchObject([{ id: run.json.taskId }]);
    const copy = await admin.post(`/api/jobs/${id}/copy`, { key: 'copied', group: 'other' });
    expect(copy.json).toMatchObject({
      key: 'copied',
      group: 'other',
      state: 'paused',
      nextFireAt: null,
      handler: 'nobody-has-it',
    });
    expect((await admin.post(`/api/jobs/${copy.json.id}/resume`)).json.nextFireAt).not.toBeNull();
    expect((await admin.call('DELETE', `/api/jobs/${id}?reason=over`)).status).toBe(204);
    expect((await admin.get(`/api/jobs/${id}`)).status).toBe(404);
    const [entry] = (await admin.get(`/api/audit?objectId=${id}`)).json.items;
    expect(entry).toMatchObject({ action: 'job.deleted', reason: 'over', after: null, before: { key: 'steered' } });
  });

  it('edits a job whose time is over, as long as it states that time again', async () => {
    const at = new Date(Date.now() + 6_000).toISOString();
    const { id, schedule } = (await create('over', { handler: 'noop', schedule: { kind: 'once', at } })).json;
    await waitFor('it has fired', async () => (await admin.get(`/api/jobs/${id}`)).json.nextFireAt === null);
    const edit = (more: object) => admin.call('PUT', `/api/jobs/${id}`, { handler: 'noop', schedule, version: 1, ...more });
    expect((await edit({ owner: 'ann' })).json).toMatchObject({ version: 2, owner: 'ann', nextFireAt: null });
    const other = await edit({ version: 2, schedule: { kind: 'once', at: '2020-01-01T00:00:00Z' } });
    expect(other.json).toMatchObject({ errors: [{ pointer: '/schedule/at', code: 'never_fires' }] });
  });

  it('lists by every filter, page by page', async () => {
    for (let n = 0; n < 5; n++)
      await create(`listed-${n}`, { owner: 'lister', tags: [`t_${n}`, '100%'], schedule: { kind: 'manual' } });
    const keys = async (query: string) =>
      (await admin.get(`/api/jobs?${query}`)).json.items.map(({ key }: { key: string }) => key);
    expect(await keys('owner=lister')).toEqual(['listed-4', 'listed-3', 'listed-2', 'listed-1', 'listed-0']);
    expect(await keys('tag=t_3')).toEqual(['listed-3']);
    expect(await keys('tag=100%25&kind=manual')).toHaveLength(5);
    expect(await keys('q=LISTED-2')).toEqual(['listed-2']);
    expect(await keys('q=%25')).toEqual([]);
    expect(await keys('owner=lister&state=paused')).toEqual([]);
    expect(await keys('group=other&owner=lister')).toEqual([]);
    const first = (await admin.get('/api/jobs?owner=lister&limit=3')).json;
    const second = (await admin.get(`/api/jobs?owner=lister&limit=3&cursor=${first.nextCursor}`)).json;
    expect(second).toMatchObject({ nextCursor: null, items: [{ key: 'listed-1' }, { key: 'listed-0' }] });
    expect((await admin.get('/api/jobs?colour=red')).json.errors[0].pointer).toBe('/query/colour');
  });

  it('previews what the scheduler would do, and says what is odd about it', async () => {
    const preview = (schedule: object, more: object = {}) => admin.post('/api/jobs/preview', { schedule, ...more });
    const shown = (await preview({ kind: 'cron', expression: '30 2 8-9 3 *', timeZone: 'America/New_York' }, { count: 3 })).json;
    expect(shown.timeZone).toBe('America/New_York');
    expect(shown.fires).toHaveLength(3);
    for (const fire of shown.fires) expect(fire.local).toMatch(/^\d{4}-03-0[89] 0[23]:/);
    const { id } = (await create('previewed')).json;
    const saved = (await admin.get(`/api/jobs/${id}/next-fires?n=4`)).json;
    const unsaved = (await preview(daily, { count: 4 })).json;
    expect(saved.fires).toEqual(unsaved.fires);
    // Nothing clashes with itself: not what is saved, nor what is edited.
    expect(unsaved.clashes - saved.clashes).toBe(1);
    expect((await preview(daily, { job: id })).json.clashes).toBe(saved.clashes);
    for (const { local, weekday, offset } of saved.fires) {
      expect(local).toMatch(/ 09:30:00$/);
      expect(['Sat', 'Sun']).not.toContain(weekday);
      expect(offset).toBe('+08:00');
    }
    expect((await preview({ kind: 'cron', expression: '* * * * * *' })).json.badges).toContain('every_second');
    expect((await preview({ kind: 'cron', expression: '0 15 10 ? * 6#3', cronDialect: 'quartz' })).json).toMatchObject({
      schedule: { expression: expect.stringMatching(/FRI#3/i) },
      notes: [{ code: 'quartz_rewritten' }],
    });
    expect((await preview({ kind: 'cron', expression: '0 99 * * *' })).json.errors[0].pointer).toMatch(/^\/schedule/);
    expect((await preview({ kind: 'once', at: '2999-01-01T00:00:00Z' })).json.badges).toContain('ends');
    for (const untimed of [{ kind: 'event', name: 'paid' }, { kind: 'upstream' }, { kind: 'manual' }])
      expect((await preview(untimed)).json).toMatchObject({ fires: [], badges: [] });
  });

  it('finds those whose latest task failed, those without a task, and those that should have fired', async () => {
    const [ok, failing, untouched, paused] = await Promise.all(
      ['v-ok', 'v-failing', 'v-untouched', 'v-paused'].map(
        async (key) => (await create(key, { tags: ['views'] })).json.id as string,
      ),
    );
    const { root } = world.app.get(SqlDialect);
    const ended = async (job: string | undefined, state: 'FAILED' | 'SUCCEEDED') => {
      const { taskId } = (await admin.post(`/api/jobs/${job}/trigger`, { force: true })).json;
      await root.run('UPDATE tasks SET state = ? WHERE id = ?', [STATE_CODE[state], taskId]);
    };
    await ended(ok, 'FAILED');
    await ended(ok, 'SUCCEEDED');
    await ended(failing, 'SUCCEEDED');
    await ended(failing, 'FAILED');
    await admin.post(`/api/jobs/${paused}/pause`);
    const viewed = async (view: string) =>
      (await admin.get(`/api/jobs?tag=views&view=${view}`)).json.items.map(({ id }: { id: string }) => id);
    expect(await viewed('failing')).toEqual([failing]);
    expect((await viewed('never_ran')).sort()).toEqual([untouched, paused].sort());
    expect(await viewed('late')).toEqual([]);
    const exported = await admin.get('/api/jobs/export?tag=views&view=failing&format=ndjson');
    expect(JSON.parse(exported.text).id).toBe(failing);
    // Every fire that is to come, looked at from a day on which it should long have come.
    const groupIds = [world.app.get(GroupsService).byKey('own')?.id as number];
    const dueBefore = Date.now() + 366 * 24 * 3_600_000;
    const late = await world.app.get(ConsoleJobStore).list(root, { groupIds, tag: 'views', dueBefore, limit: 100 });
    expect(late.map(({ id }) => id).sort()).toEqual([ok, failing, untouched].sort());
  });
});
