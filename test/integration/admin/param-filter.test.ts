import { lookAtParams, type ParamBudget, type ParamSearch } from '../../../src/admin/tasks/task-params.store.js';
import { planSearch, type TaskSearch } from '../../../src/admin/tasks/task-search.js';
import type { IdOrder } from '../../../src/admin/tasks/task-stretches.js';
import { paramFilters } from '../../../src/decisions/param-filter.js';
import { STATE_CODE } from '../../../src/decisions/state-codes.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { RecordingSql } from '../../support/recording-sql.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';
import { type SeededTask, seedTasks } from './support/many-tasks.js';

const ODD = [
  '{"id":9007199254740993}',
  '{"id":9007199254740992}',
  '{"id":"9007199254740993"}',
  '{"id":1e400}',
  '{"id":1.10,"s":"1.1"}',
  '{"":1}',
  '{"a.b":1,"a":{"b":2}}',
  '{"a\\u002eb":3}',
  '{"q\\"uo%te\'":"x"}',
  '{"order":{"lines":[{"sku":"A-1"},{"sku":"B-2"}]}}',
  '{"s":"say \\"hi\\"\\nline"}',
  '{"s":"\\u4e2d\\u6587"}',
  '{"s":"中文"}',
  '{"s":"MiXed"}',
  '{"s":"%_\' OR 1=1 --"}',
  '{"b":true,"n":null,"e":""}',
  '[1,[2,"three"]]',
  '"id"',
  'null',
  '{"deep":{"id":5},"id":[5],"other":"id:5"}',
];
const of = (...found: number[]) => found.map((n) => ODD[n] as string);
const QUERIES: [query: string, found: string[]][] = [
  ['param.id=9007199254740993', of(0, 2)],
  ['param.id=9007199254740992', of(1)],
  ['param.id=1e400', of(3)],
  ['param.id=1e%2B400', []],
  ['param.id=1.10', of(4)],
  ['param.id=1.1', []],
  ['param.=1', of(5)],
  ['param.a%5C.b=1', of(6)],
  ['param.a.b=2', of(6)],
  ['param.a%5C.b=3', of(7)],
  ['param.q%22uo%25te%27=x', of(8)],
  ['param.order.lines.1.sku=B-2', of(9)],
  ['param.order.lines.0.sku=B-2', []],
  ['param.s=say+%22hi%22%0Aline', of(10)],
  ['param.s=%E4%B8%AD%E6%96%87', of(11, 12)],
  ['param.s=mixed', []],
  ['param.s=MiXed', of(13)],
  ['param.s=%25_%27+OR+1%3D1+--', of(14)],
  ['param.s=%25', []],
  ["param.id'%20OR%201=1", []],
  ['param.b=true', of(15)],
  ['param.n=null', of(15)],
  ['param.e=', of(15)],
  ['param.missing=null', []],
  ['param.0=1', of(16)],
  ['param.1.1=three', of(16)],
  ['param.deep.id=5', of(19)],
  ['param.id=5', []],
  ['param.id=9007199254740992&param.id=1e400', of(1, 3)],
  ['param.id=1.10&param.s=1.1', of(4)],
  ['param.id=1.10&param.s=1.2', []],
];

describe.each(ADAPTERS)('tasks by what their params hold (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let seeded: (SeededTask & { params: string })[];
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    // Every text in every state and in both groups.
    const paramsOf = (n: number) => ODD[Math.floor(n / 22) % ODD.length] as string;
    const tasks = await seedTasks(world, 22 * ODD.length, { paramsOf });
    seeded = tasks.map((task, n) => ({ ...task, params: paramsOf(n) }));
  }, 120_000);
  afterAll(() => world?.stop());

  const expected = (found: readonly string[], fits = (_: SeededTask) => true) =>
    seeded.filter((task) => found.includes(task.params) && fits(task)).map(({ id }) => id);
  const pages = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, json, text } = await admin.get(`/api/tasks?${query}&limit=15${cursor}`);
      if (status !== 200) throw new Error(text);
      ids.push(...json.items.map(({ id }: { id: string }) => id));
      if (json.nextCursor === null) return ids;
      cursor = `&cursor=${json.nextCursor}`;
    }
  };

  it.each(QUERIES)('finds with "%s" exactly what holds it, in lists and in counts', async (query, found) => {
    expect(await pages(query)).toEqual(expected(found).reverse());
    expect((await admin.get(`/api/tasks/counts?${query}`)).json.total).toEqual({ count: expected(found).length, capped: false });
  });

  it('narrows with the other filters, in every order, in files and in groups', async () => {
    const failed = expected(of(0, 2), ({ state, group }) => state === 'FAILED' && group === 'own');
    expect(failed.length).toBeGreaterThan(0);
    const query = 'state=FAILED&group=own&param.id=9007199254740993';
    expect(await pages(query)).toEqual([...failed].reverse());
    expect(await pages(`${query}&sort=id`)).toEqual(failed);
    expect(await pages(`${query}&sort=state`)).toEqual([...failed].reverse());
    const all = expected(of(0, 2));
    for (const sort of ['state', '-group']) expect((await pages(`param.id=9007199254740993&sort=${sort}`)).sort()).toEqual(all);
    const { states, total } = (await admin.get(`/api/tasks/counts?${query}`)).json;
    expect(total).toEqual({ count: failed.length, capped: false });
    expect(states.SUCCEEDED).toBe(expected(of(0, 2), ({ state, group }) => state === 'SUCCEEDED' && group === 'own').length);
    const file = await admin.get(`/api/tasks/export?format=ndjson&${query}`);
    const lines = file.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([...failed].reverse());
    const groups = (await admin.get('/api/tasks/groups?by=group&param.s=MiXed')).json;
    expect(groups).toMatchObject({ counted: expected(of(13)).length, capped: false });
    expect((await admin.get('/api/tasks/export?format=csv&param.id=no-such')).text.trim().split('\n')).toHaveLength(1);
  });

  it('is part of the filter of a bulk operation, from the first count to the last task', async () => {
    const fits = expected(of(14), ({ state }) => state === 'PENDING' || state === 'SCHEDULED');
    expect(fits.length).toBeGreaterThan(0);
    const filter = { state: ['PENDING', 'SCHEDULED'], 'param.s': ["%_' OR 1=1 --"] };
    const preview = (await admin.post('/api/bulk/preview', { kind: 'tasks.cancel', filter })).json;
    expect(preview).toMatchObject({ eligible: { count: fits.length, capped: false }, frozen: filter });
    expect(preview.sample).toHaveLength(Math.min(20, fits.length));
    const { id } = (await admin.post('/api/bulk', { kind: 'tasks.cancel', filter, reason: 'wrong input' })).json;
    const view = await waitFor('the operation has ended', async () => {
      const { json } = await admin.get(`/api/bulk/${id}`);
      return json.endedAt === null ? null : json;
    });
    expect(view).toMatchObject({ state: 'done', done: fits.length, failed: 0, filter });
    const items = (await admin.get(`/api/bulk/${id}/items?limit=200`)).json.items.map((item: { id: string }) => item.id);
    expect(items.sort()).toEqual(fits);
    const left = expected(of(13), ({ state }) => state === 'PENDING');
    expect(await pages('state=PENDING&param.s=MiXed')).toEqual(left.reverse());
  });

  it('says which param breaks which rule', async () => {
    for (const [query, pointer, code] of [
      ['param.a%5C=1', '/query/param.a\\', 'bad_format'],
      [`param.${'k'.repeat(256)}=1`, undefined, 'bad_format'],
      [`param.a=${'v'.repeat(256)}`, '/query/param.a', 'bad_format'],
      ['param.a=%00', '/query/param.a', 'bad_format'],
      ['param=1', '/query/param', 'unknown_field'],
      ['params=1', '/query/params', 'unknown_field'],
      [Array.from({ length: 17 }, (_, n) => `param.a=${n}`).join('&'), '/query/param.a', 'too_many'],
    ] as const) {
      const refused = await admin.get(`/api/tasks?${query}`);
      expect([query, refused.status, refused.json.errors?.length]).toEqual([query, 400, 1]);
      expect(refused.json.errors[0]).toMatchObject({ code, ...(pointer ? { pointer } : {}) });
    }
    const preview = async (kind: string, filter: object) => (await admin.post('/api/bulk/preview', { kind, filter })).json.errors;
    expect(await preview('jobs.pause', { 'param.a/b': ['1'] })).toMatchObject([
      { pointer: '/filter/param.a~1b', code: 'not_allowed' },
    ]);
    expect(await preview('tasks.cancel', { 'param.a\\': ['1'] })).toMatchObject([{ pointer: '/filter/param.a\\' }]);
    expect(await preview('tasks.cancel', { 'param.a': [1] })).toMatchObject([
      { pointer: '/filter/param.a/0', code: 'wrong_type' },
    ]);
    expect(await preview('tasks.cancel', { 'param.a': '1' })).toMatchObject([{ pointer: '/filter/param.a', code: 'wrong_type' }]);
    expect(await preview('tasks.cancel', { 'param.a': [] })).toMatchObject([{ pointer: '/filter/param.a', code: 'required' }]);
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`param.a${n}`, ['1']]));
    expect(await preview('tasks.cancel', many)).toMatchObject([{ pointer: '/filter/param.a16', code: 'too_many' }]);
  });

  it('shows nothing of groups one may not see', async () => {
    const bob = await world.person(`bob-${adapter}`, 'none', { other: 'viewer' });
    const { items } = (await bob.get('/api/tasks?param.s=MiXed&limit=200')).json;
    expect(items.map(({ id }: { id: string }) => id)).toEqual(expected(of(13), ({ group }) => group === 'other').reverse());
  });

  const looked = async (search: TaskSearch, bounds: Partial<ParamBudget>, past?: string, way: IdOrder = 'newest') => {
    const dialect = world.app.get(SqlDialect);
    const sql = new RecordingSql(dialect.root);
    const budget: ParamBudget = { rows: 1e6, bytes: 1e9, atOnce: { rows: 40, bytes: 1e9 }, ...bounds };
    const plan = planSearch(search) as ParamSearch['plan'];
    const ids: string[] = [];
    let searchedTo: string | null = null;
    const asked = { plan, past, way, columns: 't.id AS id', budget };
    for await (const stretch of lookAtParams<{ id: string; params: string }>(dialect.name, sql, asked)) {
      ids.push(...stretch.found.map(({ id }) => id));
      searchedTo = stretch.searchedTo;
    }
    return { ids, searchedTo, budget, statements: sql.statements.length, rowsRead: sql.rowsRead };
  };
  const params = paramFilters([{ path: 'id', text: '9007199254740993' }]);

  it.each<[string, Partial<TaskSearch>, Partial<ParamBudget>]>([
    ['rows', {}, { rows: 100 }],
    ['the length of params', {}, { bytes: 2_000 }],
    ['rows of some states', { states: [STATE_CODE.FAILED, STATE_CODE.RUNNING] }, { rows: 1 }],
    ['rows of a handler', { handler: 'h2' }, { rows: 100 }],
  ])('stops after so many %s, says where, and goes on there', async (_, narrow, bounds) => {
    const search: TaskSearch = { groupIds: null, ...narrow, params };
    for (const way of ['newest', 'oldest'] as const) {
      const all = await looked(search, {}, undefined, way);
      expect(all.searchedTo).toBeNull();
      const ids: string[] = [];
      let stops = 0;
      for (let past: string | undefined; ; stops++) {
        const part = await looked(search, bounds, past, way);
        ids.push(...part.ids);
        if (part.searchedTo === null) break;
        past = part.searchedTo;
      }
      expect(stops).toBeGreaterThan(0);
      expect(ids).toEqual(all.ids);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('takes shorter stretches of longer params, and hands over only what may hold what is looked for', async () => {
    const search: TaskSearch = { groupIds: null, params: paramFilters([{ path: 'nowhere', text: 'no such text' }]) };
    const long = await looked(search, { atOnce: { rows: 4_000, bytes: 1 } });
    const short = await looked(search, { atOnce: { rows: 4_000, bytes: 1e9 } });
    expect(long.statements).toBeGreaterThan(short.statements);
    // One row a statement: the survey. Only texts with an escape must be looked at besides.
    const escaped = seeded.filter(({ params: text }) => text.includes('\\')).length;
    expect(short.rowsRead - short.statements).toBeLessThanOrEqual(escaped);
    expect(short.ids).toEqual([]);
  });
});
