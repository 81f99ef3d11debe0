import { type Face, startFace } from './support/face.js';

let face: Face;
beforeAll(async () => {
  face = await startFace();
});
afterAll(() => face.close());

const RUN = '/openapi/v1/tasks/run';
const code = ({ status, json }: { status: number; json: { code?: string } }) => [status, json.code];

/** Ends the task somebody waits for, as soon as there is one more than before. */
async function endWhenWaited(before: number, state: 'SUCCEEDED' | 'FAILED', result: string | null): Promise<string> {
  while (face.tasks.waiters === before) await new Promise((resolve) => setImmediate(resolve));
  const { id } = face.tasks.stored.at(-1) as { id: string };
  face.tasks.end(id, state, result);
  return id;
}

describe('a partner runs a task', () => {
  it('and gets it finished', async () => {
    const waiters = face.tasks.waiters;
    const running = face.post(RUN, { handler: 'echo', params: { a: 1 }, expectedDurationMs: 2999 });
    const id = await endWhenWaited(waiters, 'SUCCEEDED', '{"n":12345678901234567890}');
    const answer = await running;
    expect(answer).toMatchObject({ status: 200, json: { id, status: 'SUCCEEDED', params: { a: 1 } } });
    expect(answer.text).toContain('"result":{"n":12345678901234567890}');
    expect(answer.headers.location).toBe(`/openapi/v1/tasks/${id}`);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('and gets it with 200 too when it failed: the work was done', async () => {
    const waiters = face.tasks.waiters;
    const running = face.post(RUN, { handler: 'echo' });
    await endWhenWaited(waiters, 'FAILED', null);
    expect(await running).toMatchObject({ status: 200, json: { status: 'FAILED' } });
  });

  it('that goes on after three seconds, and gets the receipt', async () => {
    const startedAt = performance.now();
    const answer = await face.post(RUN, { handler: 'echo', clientRequestId: 'slow-1' });
    expect(performance.now() - startedAt).toBeGreaterThan(2_900);
    expect(answer).toMatchObject({ status: 202, json: { status: 'PENDING', clientRequestId: 'slow-1' } });
    expect(Object.keys(answer.json)).toEqual(['id', 'clientRequestId', 'handler', 'group', 'status', 'dueAt', 'createdAt']);
    expect(answer.headers.location).toBe(`/openapi/v1/tasks/${answer.json.id}`);
  });

  it('twice, and there is one: the same receipt, or the end it had', async () => {
    const body = { handler: 'echo', clientRequestId: 'again-1' };
    const submitted = await face.post('/openapi/v1/tasks', body);
    face.tasks.end(submitted.json.id, 'SUCCEEDED', '1');
    // The end is already there: nobody has to wait for it.
    const waiting = face.post(RUN, body);
    while (face.tasks.waiterOf(submitted.json.id) === undefined) await new Promise((resolve) => setImmediate(resolve));
    face.tasks.end(submitted.json.id, 'SUCCEEDED', '1');
    const answer = await waiting;
    expect(answer).toMatchObject({ status: 200, json: { id: submitted.json.id, status: 'SUCCEEDED', result: 1 } });
    expect(answer.headers['idempotent-replayed']).toBe('true');
    expect(code(await face.post(RUN, { ...body, priority: 1 }))).toEqual([422, 'idempotency_key_reused']);
  });

  it('and gets its end no longer than its key is valid: the work is done, and nobody else is told', async () => {
    const held = async () => {
      const key = await face.keys.create({ kind: 'partner', appId: face.partner.id, label: 'held' });
      const waiters = face.tasks.waiters;
      const running = face.post(RUN, { handler: 'echo' }, { key });
      while (face.tasks.waiters === waiters) await new Promise((resolve) => setImmediate(resolve));
      const end = async () => {
        const { id } = face.tasks.stored.at(-1) as { id: string };
        face.tasks.end(id, 'SUCCEEDED', '"secret"');
        return running;
      };
      return { accessKey: key.accessKey, end };
    };
    const disabled = await held();
    await face.keys.disable(disabled.accessKey);
    const refused = await disabled.end();
    expect(code(refused)).toEqual([403, 'key_disabled']);
    expect(refused.text).not.toContain('secret');
    expect(refused.headers.location).toBeUndefined();

    const unscoped = await held();
    await face.keys.change(unscoped.accessKey, { scopes: ['tasks:read'] });
    expect(code(await unscoped.end())).toEqual([403, 'insufficient_scope']);
    await face.keys.disable(unscoped.accessKey);

    const removed = await held();
    await face.keys.disable(removed.accessKey);
    await face.keys.remove(removed.accessKey);
    const unknown = await removed.end();
    expect(code(unknown)).toEqual([401, 'auth_failed']);
    expect(unknown.headers.ratelimit).toBeUndefined();
  });

  it('for later, and is not kept waiting for nothing', async () => {
    const waiters = face.tasks.waiters;
    expect(await face.post(RUN, { handler: 'echo', delayMs: 60_000 })).toMatchObject({
      status: 202,
      json: { status: 'SCHEDULED' },
    });
    expect(face.tasks.waiters).toBe(waiters);
  });

  it('that is declared to take too long: 400, and nothing is stored', async () => {
    const before = face.tasks.stored.length;
    const answer = await face.post(RUN, { handler: 'echo', expectedDurationMs: 3000 });
    expect(code(answer)).toEqual([400, 'use_async']);
    expect(answer.json.detail).toContain('/openapi/v1/tasks');
    expect(face.tasks.stored.length).toBe(before);
    expect((await face.post('/openapi/v1/tasks', { handler: 'echo', expectedDurationMs: 3000 })).status).toBe(202);
  });

  it('whose handler took too long of late: 400, but a repeated request is answered', async () => {
    const body = { handler: 'slow-of-late', clientRequestId: 'late-1', delayMs: 60_000 };
    const first = await face.post(RUN, body);
    for (let i = 0; i < 20; i++) face.tasks.tellEnd('slow-of-late', 4_000);
    expect(code(await face.post(RUN, { handler: 'slow-of-late' }))).toEqual([400, 'use_async']);
    const again = await face.post(RUN, body);
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
  });
});
