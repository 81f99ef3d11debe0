import { TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import type { TaskSearch } from '../../../src/admin/tasks/task-search.js';
import { TaskSearchStore } from '../../../src/admin/tasks/task-search.store.js';
import type { IdOrder } from '../../../src/admin/tasks/task-stretches.js';
import { STATE_CODE } from '../../../src/decisions/state-codes.js';
import { firstIdAt, instantOfId, newId } from '../../../src/platform/ids.js';
import { SqlDialect } from '../../../src/ports.js';
import { TasksService } from '../../../src/tasks/tasks.service.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { RecordingSql } from '../../support/recording-sql.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';
import { type SeededTask, seedCopies, seedTasks } from './support/many-tasks.js';

describe.each(ADAPTERS)('tasks in the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let seeded: SeededTask[];
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    seeded = await seedTasks(world, 132);
  }, 60_000);
  afterAll(() => world?.stop());

  const expected = (fits: (task: SeededTask) => boolean) =>
    seeded
      .filter(fits)
      .map(({ id }) => id)
      .reverse();
  const pages = async (query: string, browser = admin): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = (await browser.get(`/api/tasks?${query}&limit=20${cursor}`)).json;
      ids.push(...items.map(({ id }: { id: string }) => id));
      if (nextCursor === null) return ids;
      cursor = `&cursor=${nextCursor}`;
    }
  };

  it.each<[string, (task: SeededTask) => boolean]>([
    ['', () => true],
    ['state=FAILED', ({ state }) => state === 'FAILED'],
    ['state=FAILED&state=RUNNING&state=PENDING', ({ state }) => ['FAILED', 'RUNNING', 'PENDING'].includes(state)],
    ['group=other', ({ group }) => group === 'other'],
    ['group=own&group=other', () => true],
    ['handler=h3', ({ handler }) => handler === 'h3'],
    [
      'state=SKIPPED&group=own&handler=h1',
      ({ state, group, handler }) => state === 'SKIPPED' && group === 'own' && handler === 'h1',
    ],
    ['trigger=api', () => true],
    ['trigger=manual', () => false],
    ['worker=nobody', () => false],
    ['app=app_01JGEXAMPLE0000000000000000', () => false],
  ])('lists every task that fits "%s" once, newest first', async (query, fits) => {
    expect(await pages(query)).toEqual(expected(fits));
    const { total } = (await admin.get(`/api/tasks/counts?${query}`)).json;
    expect(total).toEqual({ count: expected(fits).length, capped: false });
  });

  const byGroup = (key: string, fits = (_: SeededTask) => true) => expected((task) => task.group === key && fits(task));
  const byState = (states: readonly TaskState[], fits = (_: SeededTask) => true) =>
    states.flatMap((state) => expected((task) => task.state === state && fits(task)));
  it.each<[string, () => string[]]>([
    ['sort=id', () => expected(() => true).reverse()],
    ['sort=-id', () => expected(() => true)],
    ['sort=id&state=FAILED&state=RUNNING', () => byState(['FAILED', 'RUNNING']).sort()],
    ['sort=state', () => byState(TASK_STATES)],
    ['sort=-state', () => byState([...TASK_STATES].reverse())],
    [
      'sort=-state&state=RUNNING&state=FAILED&handler=h3',
      () => byState(['FAILED', 'RUNNING'], ({ handler }) => handler === 'h3'),
    ],
    ['sort=state&group=other', () => byState(TASK_STATES, ({ group }) => group === 'other')],
    ['sort=group', () => [...byGroup('other'), ...byGroup('own')]],
    ['sort=-group', () => [...byGroup('own'), ...byGroup('other')]],
    [
      'sort=group&state=PENDING&state=SKIPPED',
      () => ['other', 'own'].flatMap((key) => byGroup(key, ({ state }) => /PEND|SKIP/.test(state))),
    ],
  ])('lists every task once in the order of "%s", page by page', async (query, ids) => {
    expect(await pages(query)).toEqual(ids());
  });

  it('sorts its files like its pages, and refuses a cursor of another order', async () => {
    const file = await admin.get('/api/tasks/export?format=ndjson&sort=group');
    const lines = file.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(lines).toEqual([...byGroup('other'), ...byGroup('own')]);
    const { nextCursor } = (await admin.get('/api/tasks?sort=state&limit=20')).json;
    const refused = await admin.get(`/api/tasks?sort=group&cursor=${nextCursor}`);
    expect(refused.json).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/query/cursor' }] });
    expect((await admin.get('/api/tasks?sort=duration')).json.errors).toMatchObject([{ pointer: '/query/sort' }]);
  });

  it('says of a total that it is no end of it, where more than it looked at has passed a filter no index serves', async () => {
    const dialect = world.app.get(SqlDialect);
    const total = async (query: string) => (await admin.get(`/api/tasks/counts?${query}`)).json.total;
    const few = expected(({ handler, state }) => handler === 'h3' && state === 'SKIPPED').length;
    expect(await total('handler=h3&state=SKIPPED')).toEqual({ count: few, capped: false });
    await seedCopies(dialect, seeded[0]?.id as string, { handler: 'crowd', state: STATE_CODE.SKIPPED, count: 10_001 });
    try {
      expect((await total('handler=h3&state=SKIPPED')).capped).toBe(true);
      expect((await total('handler=h3')).capped).toBe(true);
      expect((await total('state=FAILED')).capped).toBe(false);
      expect(await total('handler=crowd')).toEqual({ count: 10_000, capped: true });
      expect(await total('state=SKIPPED')).toEqual({ count: 10_000, capped: true });
    } finally {
      await dialect.root.run("DELETE FROM tasks WHERE handler = 'crowd'");
    }
    expect(await total('handler=h3&state=SKIPPED')).toEqual({ count: few, capped: false });
  }, 60_000);

  it('keeps the other filters when it counts by state', async () => {
    const { states } = (await admin.get('/api/tasks/counts?group=other&state=FAILED')).json;
    for (const state of ['FAILED', 'SUCCEEDED', 'PENDING'])
      expect(states[state]).toBe(expected((task) => task.group === 'other' && task.state === state).length);
  });

  it('finds one by its request id, and by the time of its creation', async () => {
    const wanted = seeded[5] as SeededTask;
    const appId = (await admin.get(`/api/tasks/${wanted.id}`)).json.app.id;
    const { clientRequestId } = (await admin.get(`/api/tasks/${wanted.id}`)).json;
    expect(await pages(`clientRequestId=${clientRequestId}`)).toEqual([wanted.id]);
    expect(await pages(`clientRequestId=${clientRequestId}&app=${appId}`)).toEqual([wanted.id]);
    const from = new Date(instantOfId(wanted.id)).toISOString();
    expect(await pages(`from=${from}`)).toContain(wanted.id);
    expect(await pages(`to=${from}`)).not.toContain(wanted.id);
  });

  it('shows only tasks of groups one may see, and of the others nothing at all', async () => {
    const bob = await world.person(`bob-${adapter}`, 'none', { other: 'viewer' });
    expect(await pages('', bob)).toEqual(expected(({ group }) => group === 'other'));
    expect(await pages('group=own', bob)).toEqual([]);
    const hidden = seeded.find(({ group }) => group === 'own') as SeededTask;
    expect((await bob.get(`/api/tasks/${hidden.id}`)).json).toMatchObject({ status: 404, code: 'task_not_found' });
    expect((await bob.post(`/api/tasks/${hidden.id}/cancel`)).status).toBe(403);
    const shown = seeded.find(({ group, state }) => group === 'other' && state === 'PENDING') as SeededTask;
    expect((await bob.post(`/api/tasks/${shown.id}/cancel`)).json).toMatchObject({ status: 403, code: 'permission_denied' });
    expect((await bob.get(`/api/tasks/${shown.id}`)).json.permissions).toEqual(expect.arrayContaining(['tasks.view']));
  });

  it('shows params digit for digit, with the timeline', async () => {
    const { id } = seeded[0] as SeededTask;
    expect((await admin.get(`/api/tasks/${id}`)).json).toMatchObject({
      paramsText: '{"n":9007199254740993}',
      resultText: null,
      actor: 'app:seeder',
      trigger: 'api',
      timeline: [{ seq: 1, from: null, to: 'PENDING' }],
      attempts: [],
    });
  });

  it('cancels with the reason in the log, in the same transaction', async () => {
    const { id } = seeded.find(({ state }) => state === 'SCHEDULED') as SeededTask;
    const answer = await admin.post(`/api/tasks/${id}/cancel`, { reason: 'duplicate' });
    expect(answer.json).toMatchObject({ state: 'CANCELLED', reason: 'cancelled_by_operator' });
    expect(answer.json.timeline.at(-1)).toMatchObject({ to: 'CANCELLED', actor: 'user:admin' });
    const [entry] = (await admin.get(`/api/audit?objectType=task&objectId=${id}`)).json.items;
    expect(entry).toMatchObject({
      id: answer.headers.get('audit-id'),
      action: 'task.cancelled',
      reason: 'duplicate',
      group: expect.any(String),
      before: { state: 'SCHEDULED' },
    });
    const over = seeded.find(({ state }) => state === 'SUCCEEDED') as SeededTask;
    expect((await admin.post(`/api/tasks/${over.id}/cancel`)).json).toMatchObject({
      code: 'task_already_terminal',
      currentStatus: 'SUCCEEDED',
    });
    const running = seeded.find(({ state }) => state === 'RUNNING') as SeededTask;
    expect((await admin.post(`/api/tasks/${running.id}/cancel`)).status).toBe(202);
  });

  it('explains why a task waits', async () => {
    const waiting = seeded.find(({ state, group }) => state === 'PENDING' && group === 'own') as SeededTask;
    const explain = async () => (await admin.get(`/api/tasks/${waiting.id}/explain`)).json;
    expect(await explain()).toMatchObject({
      verdict: { kind: 'needs_you', check: 'workers', reason: 'no_worker' },
      funnel: { online: 0, handler: 0 },
    });
    expect((await explain()).checks.find(({ check }: { check: string }) => check === 'workers')).toMatchObject({
      result: 'blocks',
      reason: 'no_worker',
    });
    await admin.post('/api/groups/own/hold', { reason: 'window', until: new Date(Date.now() + 60_000).toISOString() });
    expect((await explain()).verdict).toEqual({ kind: 'resolves_itself', check: 'group_hold', reason: 'group_hold' });
    await admin.post('/api/groups/own/hold', { reason: 'for good' });
    expect((await explain()).verdict.kind).toBe('needs_you');
    await admin.post('/api/groups/own/release');
    const failed = seeded.find(({ state }) => state === 'FAILED') as SeededTask;
    expect((await admin.get(`/api/tasks/${failed.id}/explain`)).json.verdict).toMatchObject({
      kind: 'needs_you',
      check: 'outcome',
    });
  });

  it('tells of a task that ends while it is read nothing that contradicts its end', async () => {
    const tasks = world.app.get(TasksService);
    const look = tasks.look.bind(tasks);
    const { id } = seeded.findLast(({ state }) => state === 'PENDING') as SeededTask;
    const looking = jest.spyOn(tasks, 'look').mockImplementationOnce(async (asked) => {
      const before = await look(asked);
      expect((await admin.post(`/api/tasks/${id}/cancel`)).status).toBe(200);
      return before;
    });
    const { state, reason, timeline, version } = (await admin.get(`/api/tasks/${id}`)).json;
    looking.mockRestore();
    expect({ state, reason }).toEqual({ state: 'CANCELLED', reason: 'cancelled_by_operator' });
    expect(timeline.at(-1)).toMatchObject({ to: 'CANCELLED', seq: version });
  });

  it('tells of every row of a list why it waits, as the page of the task does', async () => {
    const reasons = async () => {
      const { items } = (await admin.get('/api/tasks?limit=100')).json;
      return items as { id: string; state: TaskState; group: string; reason: string | null; attempt: number | null }[];
    };
    const rows = await reasons();
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(TASK_STATES));
    for (const { id, reason, attempt } of rows)
      expect({ id, ...(await admin.get(`/api/tasks/${id}`)).json }).toMatchObject({ id, reason, attempt });
    const ofState = (state: TaskState) => new Set(rows.filter((row) => row.state === state).map(({ reason }) => reason));
    expect(ofState('PENDING')).toEqual(new Set(['no_worker']));
    expect(ofState('SCHEDULED')).toEqual(new Set(['not_due']));
    expect(ofState('RETRYING')).toEqual(new Set(['retry_backoff']));
    await admin.post('/api/groups/own/hold', { reason: 'for good' });
    const held = (await reasons()).filter(({ state }) => state === 'PENDING');
    expect(new Set(held.map(({ group, reason }) => `${group} ${reason}`))).toEqual(
      new Set(['own group_hold', 'other no_worker']),
    );
    await admin.post('/api/groups/own/release');
  });

  it('asks once for what all groups of a page have going, and once which of its rows wait for upstreams', async () => {
    const { root } = world.app.get(SqlDialect);
    const asked = jest.spyOn(root, 'rows');
    await admin.get('/api/tasks?limit=100');
    const statements = asked.mock.calls.map(([sql]) => sql);
    asked.mockRestore();
    const [going, waits] = [/^SELECT group_id, COUNT\(\*\) AS n FROM tasks/, /FROM task_waits WHERE task_id IN/];
    expect(statements.filter((sql) => going.test(sql))).toHaveLength(1);
    expect(statements.filter((sql) => waits.test(sql))).toHaveLength(1);
  });

  it('counts no attempt of what has not begun', async () => {
    const { items } = (await admin.get('/api/tasks?limit=100')).json;
    const waiting = items.filter(({ state }: { state: TaskState }) => ['SCHEDULED', 'PENDING', 'BLOCKED'].includes(state));
    expect(new Set(waiting.map(({ attempt }: { attempt: number | null }) => attempt))).toEqual(new Set([null]));
    const [{ id }] = waiting;
    const { checks } = (await admin.get(`/api/tasks/${id}/explain`)).json;
    expect(checks.find(({ check }: { check: string }) => check === 'attempts')).toEqual({
      check: 'attempts',
      result: 'not_applicable',
      reason: null,
      evidence: {},
    });
  });

  const searches: [string, TaskSearch][] = [
    ['all', { groupIds: null }],
    ['a window', { groupIds: null, fromId: firstIdAt('task', 1), toId: firstIdAt('task', 4e12) }],
    ['a state', { groupIds: null, states: [STATE_CODE.FAILED] }],
    ['states', { groupIds: null, states: [STATE_CODE.FAILED, STATE_CODE.RUNNING] }],
    ['a group', { groupIds: [1] }],
    ['a job', { groupIds: null, jobId: newId('job') }],
    ['an app', { groupIds: null, appId: 1 }],
    ['a request id', { groupIds: null, clientRequestId: 'x', appIds: [1, 2] }],
    ['params', { groupIds: null, params: [{ path: ['n'], texts: ['9007199254740993'] }] }],
    ['a group of a sorted list', { groupIds: [1], states: [STATE_CODE.FAILED], byGroup: true }],
  ];
  const ways: [string, TaskSearch, IdOrder][] = searches.flatMap(([name, search]) =>
    (['newest', 'oldest'] as const).map((way): [string, TaskSearch, IdOrder] => [name, search, way]),
  );
  it.each(ways)('reads %s from an index in its order: %#', async (_, search, way) => {
    const dialect = world.app.get(SqlDialect);
    for (const before of [undefined, newId('task')]) {
      const { sql, params } = new TaskSearchStore(dialect).stretch(search, before, way);
      if (dialect.name === 'mysql') {
        const plan = await dialect.root.rows<{ table: string; key: string | null; Extra: string | null }>(
          `EXPLAIN ${sql}`,
          params,
        );
        const reads = plan.filter(({ table }) => table === 'tasks');
        expect(reads.length).toBeGreaterThan(0);
        for (const { key, Extra } of reads) {
          expect(key).not.toBeNull();
          if (search.clientRequestId === undefined) expect(Extra ?? '').not.toMatch(/filesort|temporary/);
        }
      } else {
        const plan = await dialect.root.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
        const reads = plan.map(({ detail }) => detail).filter((detail) => /\btasks\b/.test(detail));
        expect(reads.length).toBeGreaterThan(0);
        for (const detail of reads) expect(detail).toMatch(/USING (COVERING )?INDEX/);
        if (search.clientRequestId === undefined && (search.states?.length ?? 0) < 2)
          expect(plan.map(({ detail }) => detail).join()).not.toMatch(/TEMP B-TREE/);
      }
    }
  });

  it.each(searches)('looks at the rows of %s one by one by their ids, in lists and in counts', async (_, search) => {
    const dialect = world.app.get(SqlDialect);
    const sql = new RecordingSql(dialect.root);
    const store = new TaskSearchStore(dialect);
    await store.find(sql, search, undefined, 3);
    await store.count(sql, search);
    const joined = sql.statements.filter((statement) => /JOIN tasks t/.test(statement.sql));
    expect(joined.length).toBeGreaterThan(0);
    for (const { sql: text, params } of joined) {
      const plan = await dialect.root.rows<{ table?: string; type?: string; detail?: string }>(
        `${dialect.name === 'mysql' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'} ${text}`,
        params,
      );
      if (dialect.name === 'mysql')
        expect(plan).toContainEqual(expect.objectContaining({ table: 't', key: 'PRIMARY', type: 'eq_ref' }));
      else
        expect(plan).toContainEqual(
          expect.objectContaining({
            detail: expect.stringMatching(/^SEARCH t USING INDEX \S+ \((state=\? AND )?id=\?\)( LEFT-JOIN)?$/),
          }),
        );
    }
  });
});
