import { AppsService } from '../../../src/auth/apps.service.js';
import { EndpointsService } from '../../../src/callbacks/endpoints.service.js';
import type { Answer, AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';
import { seedTasks } from './support/many-tasks.js';

const JOBS = 230;
const lines = ({ text }: Answer) => text.trim().split('\n');
const rows = (answer: Answer) => lines(answer).map((line) => JSON.parse(line));

describe.each(ADAPTERS)('lists as files (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    const jobs = Array.from({ length: JOBS }, (_, n) => ({
      group: n % 2 ? 'own' : 'other',
      key: `job-${n}`,
      handler: 'noop',
      schedule: n % 10 === 0 ? { kind: 'once', at: `2036-01-01T00:0${n % 30 === 0 ? 0 : n % 8}:00Z` } : { kind: 'manual' },
      owner: n === 7 ? '=HYPERLINK("x")' : 'ops',
      tags: ['a', 'b'],
    }));
    const file = { schema: 'evenkeel.configuration', schemaVersion: 1, groups: [], jobs };
    expect((await admin.post('/api/import', { fileText: JSON.stringify(file) })).json.errors).toEqual([]);
    for (const { id } of (await admin.get('/api/jobs?kind=once&limit=200')).json.items)
      expect((await admin.post(`/api/jobs/${id}/resume`)).json.nextFireAt).toBeTruthy();
    await seedTasks(world, 20);
    const app = await world.app.get(AppsService).create({ name: 'partner', defaultGroup: 'own' });
    const endpoints = world.app.get(EndpointsService, { strict: false });
    // Each is sent a challenge.
    for (let n = 0; n < 4; n++) await endpoints.create(app.id, `https://nowhere.invalid/hook-${n}`, ['task.succeeded']);
  }, 60_000);
  afterAll(() => world?.stop());

  it.each([
    ['jobs', '/api/jobs', 'jobs.exported'],
    ['tasks', '/api/tasks', 'tasks.exported'],
    ['deliveries', '/api/callbacks/deliveries', 'deliveries.exported'],
    ['audit', '/api/audit', 'audit.exported'],
  ])('%s: hold what the list holds, in its order, and are logged', async (name, path, action) => {
    const file = await admin.get(`${path}/export?format=ndjson`);
    expect(file.headers.get('content-type')).toContain('application/x-ndjson');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${name}.ndjson"`);
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = (await admin.get(`${path}?limit=100${cursor}`)).json;
      ids.push(...items.map(({ id }: { id: string }) => id));
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(rows(file).map(({ id }) => id)).toEqual(ids);
    expect(ids.length).toBeGreaterThan(2);
    const [logged] = (await admin.get(`/api/audit?action=${action}`)).json.items;
    expect(logged.actor).toBe('user:admin');
  });

  // biome-ignore lint/suspicious/noExplicitAny: rows of four lists
  type Row = any;
  const never = '9';
  it.each<[string, string, string, (row: Row) => string]>([
    ['/api/jobs', 'key', '/api/jobs', ({ key, id }) => `${key} ${id}`],
    ['/api/jobs', 'group', '/api/jobs', ({ group }) => group],
    ['/api/jobs', 'next', '/api/jobs', ({ nextFireAt }) => nextFireAt ?? never],
    ['/api/jobs', 'next', '/api/jobs?group=other&state=active', ({ nextFireAt, id }) => `${nextFireAt ?? never} ${id}`],
    ['/api/callbacks/deliveries', 'created', '/api/callbacks/deliveries?since=2020-01-01T00:00:00Z', ({ id }) => id],
    ['/api/audit', 'at', '/api/audit', ({ id }) => id],
    ['/api/audit', 'actor', '/api/audit?to=2099-01-01T00:00:00Z', ({ actor, id }) => `${actor} ${id}`],
    ['/api/audit', 'action', '/api/audit?actor=user:admin', ({ action, id }) => `${action} ${id}`],
  ])('%s: by %s, page by page, either way', async (path, sort, address, orderOf) => {
    const all = async (query: string): Promise<Row[]> => {
      const found: Row[] = [];
      for (let cursor = ''; ; ) {
        const { items, nextCursor } = (await admin.get(`${address}${address.includes('?') ? '&' : '?'}${query}${cursor}`)).json;
        found.push(...items);
        if (nextCursor === null) return found;
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
      }
    };
    for (const [stated, way] of [
      [sort, 1],
      [`-${sort}`, -1],
    ] as const) {
      const whole = (await all('limit=200')).map(({ id }) => id).sort();
      const found = await all(`sort=${stated}&limit=${path === '/api/jobs' ? 37 : 3}`);
      expect(found.map(({ id }) => id).sort()).toEqual(whole);
      const values = found.map(orderOf);
      const some = sort === 'next' ? values.filter((value) => !value.startsWith(never)) : values;
      expect(some.length).toBeGreaterThan(2);
      expect(some).toEqual([...some].sort((a, b) => (a === b ? 0 : (a < b ? -1 : 1) * way)));
      expect(values.slice(0, some.length)).toEqual(some);
      const file = await admin.get(`${path}/export?format=ndjson&sort=${stated}`);
      if (path === address && path === '/api/jobs') expect(rows(file).map(({ id }) => id)).toEqual(found.map(({ id }) => id));
    }
    expect((await admin.get(`${path}?sort=nothing`)).json.errors).toMatchObject([{ pointer: '/query/sort' }]);
    const strange = await admin.get(`${path}?sort=${sort}&cursor=strange`);
    expect(strange.json.errors).toMatchObject([{ pointer: '/query/cursor' }]);
  });

  it('of jobs obey the filters, are written in the zone asked for, and hold no formula', async () => {
    const csv = await admin.get('/api/jobs/export?q=job-7&group=own&zone=Asia/Shanghai');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const [head, ...told] = lines(csv);
    expect(head?.split(',').slice(0, 5)).toEqual(['id', 'group', 'key', 'handler', 'state']);
    const { items } = (await admin.get('/api/jobs?q=job-7&group=own&limit=200')).json;
    expect(items.length).toBeGreaterThan(1);
    expect(told).toHaveLength(items.length);
    const [seventh] = told.filter((line) => line.includes(',job-7,'));
    expect(seventh).toContain('Asia/Shanghai');
    expect(seventh).toContain(`"'=HYPERLINK(""x"")"`);
    expect((await admin.get('/api/jobs/export?zone=Nowhere')).status).toBe(400);
  });

  it('of the audit log are NDJSON if no format is stated, and CSV when asked', async () => {
    const [first] = rows(await admin.get('/api/audit/export'));
    expect(first).toMatchObject({ action: 'audit.exported', actor: 'user:admin' });
    const csv = await admin.get('/api/audit/export?format=csv&action=job.imported');
    expect(lines(csv)).toHaveLength(1 + JOBS);
  });

  it('hold nothing of groups the caller may not see', async () => {
    const bob = await world.person(`bob-${adapter}`, 'none', { own: 'viewer' });
    const groups = rows(await bob.get('/api/jobs/export?format=ndjson')).map(({ group }) => group);
    expect(groups).toHaveLength(JOBS / 2);
    expect(new Set(groups)).toEqual(new Set(['own']));
    expect((await bob.get('/api/callbacks/deliveries/export')).status).toBe(403);
  });
});
