import { connect } from 'node:net';
import { TaskLogs } from '../../../src/tasks/task-logs.js';
import { gate } from '../../support/gate.js';
import { waitFor as until } from '../../support/wait-for.js';
import { type Face, startFace } from './support/face.js';

let face: Face;
beforeAll(async () => {
  face = await startFace();
});
afterAll(() => face.close());

const TASKS = '/openapi/v1/tasks';

describe('a partner submits a task', () => {
  it('and gets 202, a receipt and its place once it is stored', async () => {
    const answer = await face.post(TASKS, { handler: 'echo', params: { a: 1 }, clientRequestId: 'order-1' });
    expect(answer).toMatchObject({
      status: 202,
      json: { handler: 'echo', group: 'default', status: 'PENDING', clientRequestId: 'order-1' },
    });
    expect(Object.keys(answer.json)).toEqual(['id', 'clientRequestId', 'handler', 'group', 'status', 'dueAt', 'createdAt']);
    expect(answer.headers.location).toBe(`${TASKS}/${answer.json.id}`);
    expect(answer.headers.ratelimit).toMatch(/^"app";r=\d+;t=\d+, "key";r=\d+;t=\d+, "tasks";r=\d+;t=\d+$/);
    expect(answer.headers['ratelimit-policy']).toBe('"app";q=5000;w=5, "key";q=5000;w=5, "tasks";q=5000;w=5');
  });

  it('twice with one id and gets the same bytes, even when the task has ended', async () => {
    const body = { handler: 'echo', clientRequestId: 'order-2', params: [1, 2] };
    const first = await face.post(TASKS, body);
    face.tasks.end(first.json.id, 'FAILED');
    const second = await face.post(TASKS, `{"params":[1.0, 2],"clientRequestId":"order-2","handler":"echo"}`);
    expect([second.status, second.text, second.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
  });

  it('with a used id and other parameters, and is told which task has it', async () => {
    const first = await face.post(TASKS, { handler: 'echo', clientRequestId: 'order-3' });
    const second = await face.post(TASKS, { handler: 'echo', clientRequestId: 'order-3', priority: 5 });
    expect(second).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused', existingTaskId: first.json.id } });
  });

  it('with numbers and text that must come back as they were', async () => {
    const params =
      '{"id":12345678901234567890,"d":0.12345678901234567890,"e":1e400,"z":-0,"s":"\\u0000 😀 \\ud83d","__proto__":{"x":1}}';
    const answer = await face.post(TASKS, `{ "handler" : "echo" , "params" : ${params.replaceAll(',', ' ,\n ')} }`);
    expect(face.tasks.stored.at(-1)?.params).toBe(params);
    expect((await face.send({ target: `${TASKS}/${answer.json.id}` })).text).toContain(`"params":${params}`);
  });

  it('for later, with a delay or an instant', async () => {
    const delayed = await face.post(TASKS, { handler: 'echo', delayMs: 60_000, group: 'reports' });
    expect(delayed.json).toMatchObject({ status: 'SCHEDULED', group: 'reports', dueAt: '2026-03-01T12:01:00.000Z' });
    const planned = await face.post(TASKS, { handler: 'echo', runAt: '2026-03-02T08:00:00+08:00' });
    expect(planned.json.dueAt).toBe('2026-03-02T00:00:00.000Z');
  });

  it('that needs a live worker, and there is one', async () => {
    expect((await face.post(TASKS, { handler: 'alive', requireHandler: true })).status).toBe(202);
  });
});

describe('a batch', () => {
  const item = (id: string, over: object = {}) => ({ handler: 'echo', clientRequestId: id, ...over });

  it('answers each item at its place', async () => {
    const items = [item('b-1'), item('b-2', { priority: 99 }), { handler: 'echo' }, item('b-1'), item('b-1', { priority: 1 }), 7];
    const answer = await face.post(`${TASKS}/batch`, { items });
    expect(answer.status).toBe(202);
    expect(answer.json.summary).toEqual({ accepted: 1, replayed: 1, rejected: 4 });
    const outcomes = answer.json.results.map((result: { index: number; outcome: string; error?: { code: string } }) => [
      result.index,
      result.outcome,
      result.error?.code,
    ]);
    expect(outcomes).toEqual([
      [0, 'accepted', undefined],
      [1, 'rejected', 'validation_failed'],
      [2, 'rejected', 'validation_failed'],
      [3, 'replayed', undefined],
      [4, 'rejected', 'idempotency_key_reused'],
      [5, 'rejected', 'validation_failed'],
    ]);
    expect(answer.json.results[1].error.errors[0].pointer).toBe('/items/1/priority');
    expect(answer.json.results[4].error.existingTaskId).toBe(answer.json.results[0].task.id);
    expect(answer.json.results[3].task).toEqual(answer.json.results[0].task);
  });

  it('keeps the numbers of every item', async () => {
    const items = `[{"handler":"echo","clientRequestId":"n-1","params":9007199254740993},{"handler":"echo","clientRequestId":"n-2","params":1}]`;
    await face.post(`${TASKS}/batch`, `{"items":${items}}`);
    expect(face.tasks.stored.slice(-2).map(({ params }) => params)).toEqual(['9007199254740993', '1']);
  });

  it('may move between single and batch with the same id', async () => {
    const single = await face.post(TASKS, item('moved'));
    const batch = await face.post(`${TASKS}/batch`, { items: [item('moved')] });
    expect(batch.json.results[0]).toMatchObject({ outcome: 'replayed', task: single.json });
  });

  it.each([
    ['without items', {}, 'validation_failed'],
    ['with no item', { items: [] }, 'validation_failed'],
    ['with items that are no list', { items: {} }, 'validation_failed'],
    ['with another member', { items: [item('x-1')], atomic: true }, 'validation_failed'],
    ['of 501', { items: Array.from({ length: 501 }, (_, i) => item(`y-${i}`)) }, 'batch_too_large'],
  ])('%s is refused whole', async (_what, body, code) => {
    const before = face.tasks.stored.length;
    expect(await face.post(`${TASKS}/batch`, body)).toMatchObject({ status: 400, json: { code } });
    expect(face.tasks.stored.length).toBe(before);
  });

  it('may be larger than 256 KiB', async () => {
    const items = Array.from({ length: 20 }, (_, i) => item(`large-${i}`, { params: 'x'.repeat(60_000) }));
    expect((await face.post(`${TASKS}/batch`, { items })).json.summary).toEqual({ accepted: 20, replayed: 0, rejected: 0 });
  });
});

describe('a partner looks at tasks', () => {
  it('and is told when to look again while one has not ended', async () => {
    const { json } = await face.post(TASKS, { handler: 'echo', metadata: { order: '1' } });
    const answer = await face.send({ target: `${TASKS}/${json.id}` });
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json).toMatchObject({
      ...json,
      params: null,
      result: null,
      metadata: { order: '1' },
      attempts: [],
      cancelRequested: false,
    });
    expect(answer.json.timeline).toEqual([
      { seq: 1, from: null, to: 'PENDING', at: '2026-03-01T12:00:00.000Z', actor: `app:${face.partner.publicId}` },
    ]);
  });

  it('and waits for the end', async () => {
    const { json } = await face.post(TASKS, { handler: 'echo' });
    const waiters = face.tasks.waiters;
    const waiting = face.send({ target: `${TASKS}/${json.id}?wait=30` });
    while (face.tasks.waiters === waiters) await new Promise((resolve) => setImmediate(resolve));
    face.tasks.end(json.id, 'SUCCEEDED', '{"n":12345678901234567890}');
    const answer = await waiting;
    expect(answer.json.status).toBe('SUCCEEDED');
    expect(answer.text).toContain('"result":{"n":12345678901234567890}');
    expect(answer.headers['retry-after']).toBeUndefined();
  });

  it('and waits for the end no longer than its key is valid: what it may not read any more it is not told', async () => {
    const held = async (path: string) => {
      const key = await face.keys.create({ kind: 'partner', appId: face.partner.id, label: 'held' });
      const { json } = await face.post(TASKS, { handler: 'echo' });
      const waiters = face.tasks.waiters;
      const waiting = face.send({ target: `${TASKS}/${json.id}${path}?wait=30`, key });
      await until('it is waited for', () => face.tasks.waiters > waiters);
      const end = () => {
        face.tasks.end(json.id, 'SUCCEEDED', '"secret"');
        return waiting;
      };
      return { accessKey: key.accessKey, end };
    };
    const disabled = await held('');
    await face.keys.disable(disabled.accessKey);
    const refused = await disabled.end();
    expect(refused).toMatchObject({ status: 403, json: { code: 'key_disabled' } });
    expect(refused.text).not.toContain('secret');

    const narrowed = await held('');
    await face.keys.change(narrowed.accessKey, { groups: ['reports'] });
    expect(await narrowed.end()).toMatchObject({ status: 404, json: { code: 'task_not_found' } });
    await face.keys.change(narrowed.accessKey, { groups: null, scopes: ['tasks:read', 'tasks:write'] });
    await face.keys.disable(narrowed.accessKey);

    const unscoped = await held('');
    await face.keys.change(unscoped.accessKey, { scopes: ['jobs:read'] });
    expect(await unscoped.end()).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
    await face.keys.disable(unscoped.accessKey);

    const removed = await held('');
    await face.keys.disable(removed.accessKey);
    await face.keys.remove(removed.accessKey);
    const unknown = await removed.end();
    expect(unknown).toMatchObject({ status: 401, json: { code: 'auth_failed' } });
    expect(unknown.headers.ratelimit).toBeUndefined();
  });

  it('page by page, newest first, filtered', async () => {
    for (let i = 0; i < 5; i++) await face.post(TASKS, { handler: 'paged' });
    const first = await face.send({ target: `${TASKS}?handler=paged&limit=3&status=PENDING&status=RUNNING` });
    const second = await face.send({ target: `${TASKS}?limit=3&handler=paged&cursor=${first.json.nextCursor}` });
    const ids = [...first.json.items, ...second.json.items].map(({ id }) => id);
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(second.json.nextCursor).toBeNull();
    expect(Object.keys(first.json.items[0])).not.toEqual(expect.arrayContaining(['params']));
  });

  it("and finds neither another app's task nor one that never was, in the same words", async () => {
    const other = await face.apps.create({ name: 'Other', defaultGroup: 'default' });
    const key = await face.keys.create({ kind: 'partner', appId: other.id, label: 'x' });
    const { json } = await face.post(TASKS, { handler: 'echo' });
    const strip = ({ requestId, instance, ...rest }: Record<string, unknown>) => rest;
    const answers = [
      await face.send({ target: `${TASKS}/${json.id}`, key }),
      await face.send({ target: `${TASKS}/task_0000000000000000000000000A`, key }),
      await face.send({ target: `${TASKS}/nonsense`, key }),
      await face.send({ method: 'POST', target: `${TASKS}/${json.id}/cancel`, key }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, json: { code: 'task_not_found' } });
      expect(strip(answer.json)).toEqual(strip((answers[0] as (typeof answers)[0]).json));
    }
  });

  it('with a key that was granted some groups: what is in the others looks like none', async () => {
    const key = await face.keys.create({ kind: 'partner', appId: face.partner.id, label: 'narrow', groups: ['reports'] });
    const hidden = (await face.post(TASKS, { handler: 'hidden' })).json.id;
    const shown = (await face.post(TASKS, { handler: 'shown', group: 'reports' }, { key })).json.id;
    const list = async (query: string) =>
      (await face.send({ target: `${TASKS}${query}`, key })).json.items.map(({ handler }: { handler: string }) => handler);
    expect(await list('?handler=hidden')).toEqual([]);
    expect(await list('?group=default')).toEqual([]);
    expect(await list('?handler=shown&group=reports')).toEqual(['shown']);
    const groups = (await face.send({ target: `${TASKS}?limit=200`, key })).json.items.map(
      ({ group }: { group: string }) => group,
    );
    expect(new Set(groups)).toEqual(new Set(['reports']));
    for (const call of [
      { target: `${TASKS}/${hidden}` },
      { target: `${TASKS}/${hidden}/logs` },
      { method: 'POST', target: `${TASKS}/${hidden}/cancel` },
      { method: 'POST', target: `${TASKS}/${hidden}/retry` },
    ])
      expect(await face.send({ ...call, key })).toMatchObject({ status: 404, json: { code: 'task_not_found' } });
    expect((await face.post(TASKS, { handler: 'hidden' }, { key })).json.errors).toMatchObject([{ pointer: '/group' }]);
    expect((await face.send({ target: `${TASKS}/${shown}`, key })).status).toBe(200);
    expect((await face.send({ target: `${TASKS}/${hidden}` })).json.status).toBe('PENDING');
    await face.keys.disable(key.accessKey);
  });

  it('and waits no longer than it is there: gone before the first look, or behind others on its connection', async () => {
    const { id } = (await face.post(TASKS, { handler: 'left' })).json;
    const find = jest.spyOn(face.tasks, 'find');
    const waits = jest.spyOn(face.tasks, 'waitForEnd');
    const signals = () => waits.mock.calls.map(([, , signal]) => signal);
    const looked = gate();
    const goOn = gate();
    find.mockImplementationOnce(async (...asked) => {
      looked.open();
      await goOn.opened;
      return face.tasks.find(...asked);
    });
    const poll = () => face.signedText({ target: `${TASKS}/${id}?wait=30` });
    const early = connect(face.port, '127.0.0.1', () => early.write(poll()));
    await looked.opened;
    const before = await face.connections();
    early.destroy();
    await until('the centre knows', async () => (await face.connections()) < before);
    goOn.open();
    await until('it is waited for', () => signals().length === 1);
    expect(signals()[0]?.aborted).toBe(true);

    const together = connect(face.port, '127.0.0.1', () => together.write(Array.from({ length: 12 }, poll).join('')));
    await until('all are waited for', () => signals().length === 13);
    expect(
      signals()
        .slice(1)
        .some(({ aborted }) => aborted),
    ).toBe(false);
    together.destroy();
    await until('none is', () => signals().every(({ aborted }) => aborted));
    jest.restoreAllMocks();
  });

  it('and reads logs no longer than it is there, behind others on its connection too', async () => {
    const { id } = (await face.post(TASKS, { handler: 'left' })).json;
    const signals: AbortSignal[] = [];
    const pageWithin = (_id: string, after: object, _limit: number, _ms: number, signal: AbortSignal) =>
      new Promise((resolve) => {
        signals.push(signal);
        signal.addEventListener('abort', () => resolve({ lines: [], after, done: false }));
      });
    Object.assign(face.app.get(TaskLogs), { pageWithin });
    const poll = () => face.signedText({ target: `${TASKS}/${id}/logs?wait=30` });
    const together = connect(face.port, '127.0.0.1', () => together.write(Array.from({ length: 3 }, poll).join('')));
    await until('all are waited for', () => signals.length === 3);
    together.destroy();
    await until('none is', () => signals.every(({ aborted }) => aborted));
  });

  it('and is answered at once when the node stops', async () => {
    const stopping = await startFace();
    const { id } = (await stopping.post(TASKS, { handler: 'later' })).json;
    const waits = jest.spyOn(stopping.tasks, 'waitForEnd');
    const polling = stopping.send({ target: `${TASKS}/${id}?wait=30` });
    await until('it is waited for', () => waits.mock.calls.length === 1);
    await stopping.close();
    expect(await polling).toMatchObject({ status: 200, json: { id, status: 'PENDING' } });
  }, 20_000);

  it('by HEAD, signed as HEAD', async () => {
    const answer = await face.send({ method: 'HEAD', target: TASKS });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it('and at itself', async () => {
    const { json } = await face.send();
    expect(json).toEqual({
      app: { id: face.partner.publicId, name: 'Demo' },
      accessKey: face.key.accessKey,
      scopes: ['tasks:read', 'tasks:write', 'jobs:read', 'jobs:write', 'webhooks:read', 'webhooks:write'],
      groups: ['default', 'reports'],
      defaultGroup: 'default',
      limits: {
        requestsPerSecond: 1000,
        requestBurst: 5000,
        tasksPerSecond: 1000,
        taskBurst: 5000,
        unfinishedTasks: 100_000,
        pendingCallbacks: 100_000,
      },
      callbacks: { pending: 0 },
      serverTime: '2026-03-01T12:00:00.000Z',
    });
  });
});

describe('a partner cancels a task', () => {
  const cancel = (id: string, body = '') => face.send({ method: 'POST', target: `${TASKS}/${id}/cancel`, body });

  it('that waits: 200, and again 200', async () => {
    const { json } = await face.post(TASKS, { handler: 'echo' });
    expect(await cancel(json.id)).toMatchObject({ status: 200, json: { status: 'CANCELLED' } });
    expect(await cancel(json.id, '{}')).toMatchObject({ status: 200, json: { status: 'CANCELLED' } });
  });

  it('that runs: 202, asked for', async () => {
    const { json } = await face.post(TASKS, { handler: 'echo' });
    face.tasks.end(json.id, 'RUNNING');
    expect(await cancel(json.id)).toMatchObject({ status: 202, json: { status: 'RUNNING', cancelRequested: true } });
  });

  it('that has ended otherwise: 409 with its state', async () => {
    const { json } = await face.post(TASKS, { handler: 'echo' });
    face.tasks.end(json.id, 'SUCCEEDED');
    expect(await cancel(json.id)).toMatchObject({
      status: 409,
      json: { code: 'task_already_terminal', currentStatus: 'SUCCEEDED' },
    });
  });

  it('with parameters it does not take: 400', async () => {
    const { json } = await face.post(TASKS, { handler: 'echo' });
    expect(await cancel(json.id, '{"force":true}')).toMatchObject({ status: 400, json: { errors: [{ pointer: '/force' }] } });
  });
});
