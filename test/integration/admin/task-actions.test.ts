import { AppsService } from '../../../src/auth/apps.service.js';
import { STATE_CODE } from '../../../src/decisions/state-codes.js';
import type { Group } from '../../../src/jobs/group.js';
import { GroupsService } from '../../../src/jobs/groups.service.js';
import { SqlDialect } from '../../../src/ports.js';
import { AttemptLogStore } from '../../../src/tasks/attempt-log.store.js';
import type { NewTask } from '../../../src/tasks/task.js';
import { FORCE_AFTER_MS, TasksService } from '../../../src/tasks/tasks.service.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';

describe.each(ADAPTERS)('what operators do to tasks (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let appId: number;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    appId = (await world.app.get(AppsService).create({ name: 'a', defaultGroup: 'own', groups: ['own', 'other'] })).id;
  }, 60_000);
  afterAll(() => world?.stop());

  async function submit(more: Partial<NewTask> = {}): Promise<string> {
    const group = world.app.get(GroupsService).byKey('own') as Group;
    const names = { appId, clientRequestId: null, fingerprint: null, group, handler: 'h', params: '{"n":9007199254740993}' };
    const policies = {
      priority: 7,
      timeoutMs: 4_000,
      runAt: null,
      delayMs: 0,
      options: {},
      metadata: { k: 'v' },
      callbackUrl: null,
    };
    const [outcome] = await world.app.get(TasksService).submit([{ ...names, ...policies, actor: 'app:a', ...more }]);
    if (outcome?.outcome !== 'accepted') throw new Error(`was ${outcome?.outcome}`);
    return outcome.task.id;
  }
  /** As it would be after it had lived. */
  const put = (id: string, columns: Record<string, unknown>) => {
    const names = Object.keys(columns);
    const set = names.map((name) => `${name} = ?`).join(', ');
    return world.app
      .get(SqlDialect)
      .root.run(`UPDATE tasks SET ${set}, version = version + 1 WHERE id = ?`, [...Object.values(columns), id]);
  };
  const failed = { state: STATE_CODE.FAILED, ended_at: Date.now(), worker_id: 'w', worker_incarnation: 'i', lease: 1 };
  const running = {
    state: STATE_CODE.RUNNING,
    started_at: Date.now(),
    claimed_at: Date.now(),
    worker_id: 'w',
    worker_incarnation: 'i',
    lease: 1,
  };
  const lastEntry = async (id: string) => (await admin.get(`/api/audit?objectType=task&objectId=${id}`)).json.items[0];

  it('makes another attempt of the same task and keeps the earlier one', async () => {
    const id = await submit();
    expect((await admin.post(`/api/tasks/${id}/retry`)).json).toMatchObject({
      code: 'task_not_retryable',
      currentStatus: 'PENDING',
    });
    await put(id, failed);
    const answer = await admin.post(`/api/tasks/${id}/retry`, { reason: 'fixed' });
    expect(answer.json).toMatchObject({ id, state: 'PENDING', attempt: 2, attempts: [{ attempt: 1, outcome: 'failed' }] });
    expect(answer.json.timeline.at(-1)).toMatchObject({ actor: 'user:admin', reason: 'retried_by_operator' });
    expect(await lastEntry(id)).toMatchObject({
      id: answer.headers.get('audit-id'),
      action: 'task.retried',
      reason: 'fixed',
      before: { state: 'FAILED', attempt: 1 },
      after: { state: 'PENDING', attempt: 2 },
    });
  });

  it('gives up an attempt only after it was asked to stop and had its time to', async () => {
    const id = await submit();
    await put(id, running);
    const force = () => admin.post(`/api/tasks/${id}/cancel`, { force: true });
    expect((await force()).json).toMatchObject({ status: 409, code: 'state_conflict', waitMs: null });
    const asked = await admin.post(`/api/tasks/${id}/cancel`);
    expect(asked.status).toBe(202);
    const { askedAt, forceFrom } = asked.json.cancel;
    expect(Date.parse(forceFrom) - Date.parse(askedAt)).toBe(FORCE_AFTER_MS);
    const early = (await force()).json;
    expect(early).toMatchObject({ status: 409, code: 'state_conflict' });
    expect(early.waitMs).toBeGreaterThan(0);
    await put(id, { cancel_asked_at: Date.now() - FORCE_AFTER_MS - 60_000 });
    expect((await force()).json).toMatchObject({ state: 'CANCELLED', reason: 'did_not_stop', cancel: null });
    expect(await lastEntry(id)).toMatchObject({ action: 'task.force_cancelled', after: { state: 'CANCELLED' } });
  });

  it('makes a new task like it, with the same params or others, digit for digit', async () => {
    const id = await submit();
    const same = await admin.post(`/api/tasks/${id}/run-again`, { reason: 'once more' });
    expect(same.status).toBe(201);
    expect(same.json.taskId).not.toBe(id);
    expect((await admin.get(`/api/tasks/${same.json.taskId}`)).json).toMatchObject({
      paramsText: '{"n":9007199254740993}',
      handler: 'h',
      priority: 7,
      timeoutMs: 4_000,
      metadata: { k: 'v' },
      actor: 'user:admin',
      app: { name: 'a' },
    });
    expect(await lastEntry(id)).toMatchObject({ action: 'task.run_again', after: { taskId: same.json.taskId, ownParams: true } });
    const other = await admin.post(`/api/tasks/${id}/run-again`, { paramsText: '{"n":12345678901234567890}' });
    expect((await admin.get(`/api/tasks/${other.json.taskId}`)).json.paramsText).toBe('{"n":12345678901234567890}');
    expect((await admin.post(`/api/tasks/${id}/run-again`, { paramsText: '{' })).json.errors[0].pointer).toBe('/paramsText');
  });

  it('runs the job again for a task of a job', async () => {
    const stated = { key: 'again', group: 'own', handler: 'h', schedule: { kind: 'manual' }, overlap: 'allow', maxParallel: 5 };
    const job = (await admin.post('/api/jobs', stated)).json;
    const { taskId } = (await admin.post(`/api/jobs/${job.id}/trigger`, { paramsText: '[1]' })).json;
    const again = (await admin.post(`/api/tasks/${taskId}/run-again`)).json;
    const view = (await admin.get(`/api/tasks/${again.taskId}`)).json;
    expect(view).toMatchObject({ job: { id: job.id, key: 'again' }, trigger: 'manual', paramsText: '[1]' });
    expect((await admin.get('/api/tasks?trigger=manual')).json.items.map(({ id }: { id: string }) => id)).toEqual([
      again.taskId,
      taskId,
    ]);
  });

  it('shows shards with their task, and not in lists of tasks', async () => {
    const id = await submit({ shards: 3 });
    const parent = () => admin.get(`/api/tasks/${id}`);
    const divided = await waitFor('it is divided', async () => {
      const { json } = await parent();
      return json.state === 'RUNNING' ? json : null;
    });
    expect(divided).toMatchObject({ shards: { total: 3, done: 0, failed: 0, running: 0, pending: 3 }, progress: 0 });
    const shards = (await admin.get(`/api/tasks?parentId=${id}`)).json.items;
    expect(shards).toHaveLength(3);
    for (const shard of shards) expect(shard).toMatchObject({ parentId: id, trigger: 'shard', shard: { total: 3 } });
    const listed = (await admin.get('/api/tasks?limit=200')).json.items;
    expect(listed.filter(({ parentId }: { parentId: string | null }) => parentId !== null)).toEqual([]);
    expect(listed.find((task: { id: string }) => task.id === id)).toMatchObject({ shards: { total: 3, pending: 3 } });
    expect((await admin.get('/api/tasks/counts?handler=h&trigger=shard')).json.total.count).toBe(3);
    expect((await admin.post(`/api/tasks/${shards[0].id}/run-again`)).json.code).toBe('state_conflict');
    const explained = (await admin.get(`/api/tasks/${id}/explain`)).json;
    expect(explained.verdict).toEqual({ kind: 'resolves_itself', check: 'shards', reason: 'waiting_for_shards' });
  });

  it('shows what a task waits for and what waits for it, and lists its flow', async () => {
    const first = await submit();
    const second = await submit({ dependsOn: [first] });
    expect((await admin.get(`/api/tasks/${first}`)).json).toMatchObject({
      upstreams: [],
      downstreams: [{ id: second, state: 'BLOCKED' }],
    });
    const waiting = (await admin.get(`/api/tasks/${second}`)).json;
    expect(waiting).toMatchObject({ upstreams: [{ id: first, group: 'own', handler: 'h' }], downstreams: [] });
    expect((await admin.get(`/api/tasks?flowId=${waiting.flowId}`)).json.items.map(({ id }: { id: string }) => id)).toEqual([
      second,
      first,
    ]);
    const { checks, verdict } = (await admin.get(`/api/tasks/${second}/explain`)).json;
    expect(verdict).toEqual({ kind: 'resolves_itself', check: 'upstreams', reason: 'waiting_for_upstream' });
    expect(checks.find(({ check }: { check: string }) => check === 'upstreams').evidence).toEqual({
      outstanding: 1,
      failed: 0,
      waitingFor: [first],
    });
  });

  it('explains that nobody has the tags, or that the rate of the group is reached', async () => {
    const tagged = await submit({ options: { workerTags: ['gpu'], workerZone: 'z1' } });
    const { checks } = (await admin.get(`/api/tasks/${tagged}/explain`)).json;
    expect(checks.find(({ check }: { check: string }) => check === 'workers')).toMatchObject({
      result: 'blocks',
      reason: 'no_worker',
      evidence: { filter: 0, tags: ['gpu'], zone: 'z1', worker: null },
    });
    expect((await admin.get(`/api/tasks/${tagged}`)).json.workerFilter).toEqual({ tags: ['gpu'], zone: 'z1' });
  });

  it('reads logs forwards, from the end, by level and by text', async () => {
    const id = await submit();
    const store = world.app.get(AttemptLogStore, { strict: false });
    const line = (seq: number) => ({
      seq,
      at: Date.now(),
      level: seq % 10 === 0 ? ('error' as const) : ('info' as const),
      message: `Line ${seq}`,
    });
    const { root } = world.app.get(SqlDialect);
    for (const attempt of [1, 2])
      for (let from = 1; from < 100; from += 25)
        await store.insert(
          root,
          [{ taskId: id, attempt, lines: Array.from({ length: 25 }, (_, i) => line(from + i)) }],
          Date.now(),
        );
    const read = async (query: string) => (await admin.get(`/api/tasks/${id}/logs?${query}`)).json;
    const places = ({ lines }: { lines: { attempt: number; seq: number }[] }) =>
      lines.map(({ attempt, seq }) => attempt * 1_000 + seq);
    const all = [1, 2].flatMap((attempt) => Array.from({ length: 100 }, (_, i) => attempt * 1_000 + i + 1));
    const forwards: number[] = [];
    for (let cursor = ''; forwards.length < 200; ) {
      const page = await read(`limit=30${cursor}`);
      forwards.push(...places(page));
      expect(page.nextCursor).not.toBeNull();
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(forwards).toEqual(all);
    const backwards: number[] = [];
    for (let query: string | null = 'tail=true'; query !== null; ) {
      const page: { before: string | null; lines: { attempt: number; seq: number }[] } = await read(`${query}&limit=30`);
      backwards.unshift(...places(page));
      query = page.before && `before=${page.before}`;
    }
    expect(backwards).toEqual(all);
    expect(places(await read('attempt=1&tail=true&limit=3'))).toEqual([1_098, 1_099, 1_100]);
    expect(places(await read('level=warn&attempt=2'))).toEqual([
      2_010, 2_020, 2_030, 2_040, 2_050, 2_060, 2_070, 2_080, 2_090, 2_100,
    ]);
    expect(places(await read('q=line%20100'))).toEqual([1_100, 2_100]);
    expect(places(await read(`pattern=${encodeURIComponent('^line (9[89]|1\\d\\d)$')}`))).toEqual([
      1_098, 1_099, 1_100, 2_098, 2_099, 2_100,
    ]);
    expect((await read(`pattern=${encodeURIComponent('(?=a)')}`)).errors[0]).toMatchObject({
      pointer: '/query/pattern',
      code: 'bad_format',
    });
    const file = async (query: string) => (await admin.get(`/api/tasks/${id}/logs/file?${query}`)).text.trim().split('\n');
    expect((await file('')).map((text) => text.split(' ', 1)[0])).toEqual(
      all.map((place) => `${Math.floor(place / 1_000)}.${place % 1_000}`),
    );
    expect(await file('attempt=2&level=error&q=line%20100')).toEqual([
      expect.stringMatching(/^2\.100 \d{4}-.*Z ERROR Line 100$/),
    ]);
    await put(id, { state: STATE_CODE.SUCCEEDED, ended_at: Date.now() });
    expect((await read('limit=1000')).nextCursor).toBeNull();
    expect((await read('cursor=1.1&tail=true')).errors[0].pointer).toBe('/query/cursor');
  });

  it('retries in bulk what had failed at the freeze, and only that', async () => {
    const handler = 'bulk-retry';
    const ids = await Promise.all(Array.from({ length: 5 }, () => submit({ handler })));
    for (const id of ids) await put(id, failed);
    await put(ids[4] as string, { state: STATE_CODE.SUCCEEDED });
    const stated = { kind: 'tasks.retry', filter: { handler, state: ['FAILED', 'SUCCEEDED'] } };
    expect((await admin.post('/api/bulk/preview', stated)).json).toMatchObject({
      eligible: { count: 4 },
      skipped: { SUCCEEDED: 1 },
    });
    const later = await submit({ handler });
    const { json } = await admin.post('/api/bulk', { ...stated, reason: 'fixed' });
    await put(later, { ...failed, ended_at: Date.now() + 60_000 });
    const view = await waitFor('it has ended', async () => {
      const { json: now } = await admin.get(`/api/bulk/${json.id}`);
      return now.endedAt === null ? null : now;
    });
    expect(view).toMatchObject({ state: 'done', done: 4, failed: 0, skipped: 0 });
    for (const id of ids.slice(0, 4))
      expect((await admin.get(`/api/tasks/${id}`)).json).toMatchObject({ state: 'PENDING', attempt: 2 });
    expect((await admin.get(`/api/tasks/${later}`)).json.state).toBe('FAILED');
    const log = (await admin.get(`/api/audit?bulk=${json.id}&action=task.retried`)).json.items;
    expect(log).toHaveLength(4);
  });
});
