import { gzipSync } from 'node:zlib';
import { HandlerDirectory } from '../../../src/openapi/handler-directory.js';
import { type Answer, type Call, type Face, startFace } from './support/face.js';
import type { NoHandlers } from './support/memory-tasks.js';

let face: Face;
beforeAll(async () => {
  face = await startFace();
});
afterAll(() => face.close());
afterEach(() => {
  face.nonces.away = false;
  face.dialect.away = false;
  face.groups.full = false;
  face.tasks.failure = null;
  face.tasks.pendingCallbacks = 0;
  face.tasks.callbackRefusal = null;
});

const TASKS = '/openapi/v1/tasks';
const good = { handler: 'echo', params: { a: 1 } };
const json = JSON.stringify(good);

/** What every refusal has in common. */
function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.json?.code]).toEqual([status, code]);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.headers['cache-control']).toBe('no-store');
  const requestId = answer.headers['x-request-id'];
  expect(requestId).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(answer.json).toMatchObject({ status, requestId, instance: `/requests/${requestId}` });
  for (const member of ['type', 'title', 'detail']) expect(typeof answer.json[member]).toBe('string');
  expect(typeof answer.json.retryable).toBe('boolean');
}

describe('a request that is not well signed', () => {
  const post = (over: Call) => face.post(TASKS, good, over);
  it.each<[string, Call, string]>([
    ['unsigned', { headers: { 'x-ek-access-key': undefined, 'x-ek-signature': undefined } }, 'auth_missing'],
    ['without a nonce', { headers: { 'x-ek-nonce': undefined } }, 'auth_missing'],
    ['with a worker key', { key: { accessKey: 'wk_0123456789abcdef0123', secret: 'x' } }, 'auth_malformed'],
    ['with upper-case hex', { headers: { 'x-ek-signature': `v1=${'A'.repeat(64)}` } }, 'auth_malformed'],
    ['with milliseconds', { headers: { 'x-ek-timestamp': '1767225600000' } }, 'auth_malformed'],
    ['that sends its secret', { headers: { 'x-ek-secret-key': 'sk_test_EXAMPLE' } }, 'auth_malformed'],
    ['signed for another body', { sign: { body: '{}' } }, 'auth_failed'],
    ['signed for another path', { sign: { target: '/openapi/v1/me' } }, 'auth_failed'],
    ['signed for another method', { sign: { method: 'PUT' } }, 'auth_failed'],
    ['by an unknown key', { key: { accessKey: 'ak_test_0123456789abcdef0123', secret: 'x' } }, 'auth_failed'],
  ])('%s is refused', async (_what, over, code) => {
    const answer = await post(over);
    expectProblem(answer, 401, code);
    expect(answer.headers['www-authenticate']).toBe('EK1-HMAC-SHA256 realm="openapi"');
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  });

  it.each([-301, 301])('dated %i s off is told the time', async (offset) => {
    const timestamp = String(Math.floor(face.clock.now() / 1000) + offset);
    const answer = await post({ sign: { timestamp } });
    expectProblem(answer, 401, 'timestamp_out_of_range');
    expect(answer.json.serverTime).toBe(new Date(face.clock.now()).toISOString());
  });

  it('gets the same answer for an unknown key as for a wrong signature, but for the request id', async () => {
    const shape = ({ status, headers, json: body }: Answer) => {
      const { requestId, instance, ...rest } = body;
      const { 'x-request-id': _id, date, ...others } = headers;
      return { status, rest, others };
    };
    const unknown = await post({ key: { accessKey: 'ak_test_0123456789abcdef0123', secret: 'x' } });
    const guessed = await post({ key: { accessKey: face.key.accessKey, secret: 'x' } });
    expect(shape(unknown)).toEqual(shape(guessed));
    const { accessKey } = await face.keys.create({ kind: 'partner', appId: face.partner.id, label: 'disabled' });
    await face.keys.disable(accessKey);
    expect(shape(await post({ key: { accessKey, secret: 'x' } }))).toEqual(shape(unknown));
  });

  it('stores nothing', () => {
    expect(face.tasks.stored).toEqual([]);
    expect(face.nonces.claimed.size).toBe(0);
  });
});

describe('a replay', () => {
  it('of 100 copies at once passes once, and 99 cost no quota', async () => {
    const before = face.tasks.stored.length;
    const takes = face.rates.takes.length;
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => face.post(TASKS, good, { sign: { nonce: 'replayed-nonce-0001' } })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 202)) expectProblem(answer, 401, 'nonce_reused');
    expect(face.tasks.stored.length - before).toBe(1);
    expect(face.rates.takes.slice(takes).filter(([bucket]) => bucket.startsWith('requests'))).toHaveLength(2);
  });
});

describe('what was signed before the process began, where nonces do not outlive one', () => {
  it('may be a replay: it passes only where it does nothing new', async () => {
    const fresh = await startFace();
    fresh.nonces.outlivesProcess = false;
    const now = Math.floor(fresh.clock.now() / 1000);
    const before = { sign: { timestamp: String(now - 1) } };
    expect((await fresh.send(before)).status).toBe(200);
    expectProblem(await fresh.post(TASKS, good, before), 503, 'replay_protection_unavailable');
    expect((await fresh.post(TASKS, { ...good, clientRequestId: 'before-1' }, before)).status).toBe(202);
    expect((await fresh.post(TASKS, good)).status).toBe(202);
    await fresh.close();
  });
});

describe('a body', () => {
  const nested = `${'['.repeat(32)}${']'.repeat(32)}`;
  it.each<[string, string | Buffer, number, string, string | null]>([
    ['that is not JSON', '{"handler":', 400, 'invalid_json', null],
    ['that is empty', '', 400, 'invalid_json', null],
    ['that is an array', '[]', 400, 'invalid_json', null],
    ['that is null', 'null', 400, 'invalid_json', null],
    ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'invalid_json', null],
    ['with a BOM', `\ufeff${json}`, 400, 'invalid_json', null],
    ['nested 33 deep', `{"handler":"echo","params":${nested}}`, 400, 'invalid_json', null],
    ['nested far deeper', `{"params":${'['.repeat(100_000)}`, 400, 'invalid_json', null],
    ['over 256 KiB', `{"handler":"echo","params":"${'x'.repeat(260_000)}${'x'.repeat(4000)}"}`, 413, 'payload_too_large', null],
    ['with an unknown field', '{"handler":"echo","parms":1}', 400, 'validation_failed', '/parms'],
    ['with __proto__', '{"handler":"echo","__proto__":{"admin":true}}', 400, 'validation_failed', '/__proto__'],
    ['with constructor', '{"handler":"echo","constructor":{"prototype":{}}}', 400, 'validation_failed', '/constructor'],
    ['with text for a number', '{"handler":"echo","delayMs":"5"}', 400, 'validation_failed', '/delayMs'],
    ['with NUL in the handler', '{"handler":"a\\u0000"}', 400, 'validation_failed', '/handler'],
    ['with params of 65 KiB', `{"handler":"echo","params":"${'x'.repeat(65 * 1024)}"}`, 400, 'validation_failed', '/params'],
    ['for a group that is not granted', '{"handler":"echo","group":"foreign"}', 400, 'validation_failed', '/group'],
    ['for a group that does not exist', '{"handler":"echo","group":"nothing"}', 400, 'validation_failed', '/group'],
    [
      'for a handler nobody has, if one is required',
      '{"handler":"echo","requireHandler":true}',
      400,
      'validation_failed',
      '/handler',
    ],
  ])('%s is refused and nothing is stored', async (_what, body, status, code, pointer) => {
    const before = face.tasks.stored.length;
    const answer = await face.post(TASKS, body);
    expectProblem(answer, status, code);
    if (pointer) {
      expect(answer.json.errors).toEqual([
        expect.objectContaining({ pointer, code: expect.any(String), message: expect.any(String) }),
      ]);
      expect(answer.json.detail).toContain(pointer);
    }
    if (code === 'payload_too_large') expect(answer.json.maxBytes).toBe(262_144);
    expect(face.tasks.stored.length).toBe(before);
  });

  it('compressed by gzip is refused', async () => {
    const answer = await face.post(TASKS, gzipSync(json), { headers: { 'content-encoding': 'gzip' } });
    expectProblem(answer, 415, 'unsupported_content_encoding');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
    undefined,
  ])('of type %s is refused', async (type) => {
    expectProblem(await face.post(TASKS, json, { headers: { 'content-type': type } }), 415, 'unsupported_media_type');
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])('of type %s is taken', async (type) => {
    expect((await face.post(TASKS, json, { headers: { 'content-type': type } })).status).toBe(202);
  });

  it('of two types is refused, whichever comes first', async () => {
    for (const types of [
      ['application/json', 'text/plain'],
      ['text/plain', 'application/json'],
    ]) {
      const lines = types.map((type) => `content-type: ${type}\r\n`).join('');
      const answer = await face.raw(`POST ${TASKS} HTTP/1.1\r\nhost: a\r\n${lines}content-length: 2\r\n\r\n{}`);
      expectProblem(answer, 415, 'unsupported_media_type');
    }
  });

  it('of the coding Identity is taken', async () => {
    expect((await face.post(TASKS, json, { headers: { 'content-encoding': 'Identity' } })).status).toBe(202);
  });

  it.each(['GET', 'HEAD', 'DELETE'])('is not allowed on %s', async (method) => {
    const answer = await face.send({ method, target: TASKS, body: '{}' });
    if (method === 'HEAD') expect(answer.status).toBe(400);
    else expectProblem(answer, 400, 'body_not_allowed');
  });

  it('must be the one Content-Digest describes', async () => {
    const digest = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';
    expectProblem(await face.post(TASKS, json, { headers: { 'content-digest': digest } }), 400, 'content_digest_mismatch');
  });

  it('may come in chunks', async () => {
    const answer = await face.post(TASKS, json, { headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' } });
    expect(answer.status).toBe(202);
  });
});

describe('a request target', () => {
  it.each([
    '/openapi/v1/tasks/',
    '/openapi//v1/tasks',
    '/openapi/v1/./tasks',
    '/openapi/v1/t%61sks',
    '/openapi/v1/tasks/%zz',
    '/openapi/v1/tasks?q=%2',
  ])('%s is refused as malformed', async (target) => {
    expectProblem(await face.send({ target, sign: { target: TASKS } }), 400, 'invalid_request_target');
  });

  it('is case-sensitive', async () => {
    expectProblem(await face.send({ target: '/openapi/v1/Tasks' }), 404, 'not_found');
  });

  it('with another method names the allowed ones', async () => {
    const answer = await face.send({ method: 'DELETE', target: TASKS });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD, POST');
  });

  it.each([
    ['/openapi/v1/me', '', 'GET, HEAD'],
    ['/openapi/v1/jobs/job_1/pause', '', 'POST'],
    ['/openapi/v1/jobs/job_1/pause', '{}', 'POST'],
  ])('with the method QUERY is answered as with any other that %s does not serve, body: %s', async (target, body, allow) => {
    const answer = await face.send({ method: 'QUERY', target, body });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
  });

  it('with too long a query is 414, and with too large headers 431', async () => {
    expectProblem(
      await face.send({ target: `/openapi/v1/me?a=${'x'.repeat(5000)}`, sign: { target: '/openapi/v1/me' } }),
      414,
      'uri_too_long',
    );
    expectProblem(
      await face.raw(`GET /openapi/v1/me HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
      431,
      'headers_too_large',
    );
  });

  it.each([
    ['no HTTP of ours', 'GET / HTTP/9.9\r\nhost: a\r\n\r\n', 400],
    ['an unknown method', 'BREW /openapi/v1/tasks HTTP/1.1\r\nhost: a\r\n\r\n', 405],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nhost: a:443\r\n\r\n', 405],
    ['no Host', 'GET /openapi/v1/me HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET /openapi/v1/me HTTP/1.1\r\nhost: a\r\nHOST: b\r\nconnection: close\r\n\r\n', 400],
    [
      'a coding inside the chunks',
      'POST /openapi/v1/tasks HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\ncontent-type: application/json\r\n\r\n0\r\n\r\n',
      415,
    ],
    ['an expectation we do not know', 'GET /openapi/v1/me HTTP/1.1\r\nhost: a\r\nexpect: more\r\nconnection: close\r\n\r\n', 401],
    ['an absolute form', 'GET http://a/openapi/v1/tasks HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 401],
  ])('%s is answered in the same form', async (_what, text, status) => {
    const answer = await face.raw(text);
    expectProblem(answer, status, answer.json?.code);
  });
});

describe('query parameters', () => {
  it.each([
    ['/openapi/v1/tasks?limit=0', 'validation_failed', '/query/limit'],
    ['/openapi/v1/tasks?limit=1e2', 'validation_failed', '/query/limit'],
    ['/openapi/v1/tasks?limit=1&limit=1', 'duplicate_parameter', '/query/limit'],
    ['/openapi/v1/tasks?state=PENDING', 'validation_failed', '/query/state'],
    ['/openapi/v1/tasks?constructor=1', 'validation_failed', '/query/constructor'],
    ['/openapi/v1/tasks?status=DONE', 'validation_failed', '/query/status'],
    ['/openapi/v1/tasks?cursor=abc', 'validation_failed', '/query/cursor'],
    ['/openapi/v1/tasks?createdAfter=yesterday', 'validation_failed', '/query/createdAfter'],
    ['/openapi/v1/me?x=1', 'validation_failed', '/query/x'],
  ])('%s', async (target, code, pointer) => {
    const answer = await face.send({ target });
    expectProblem(answer, 400, code);
    expect(answer.json.errors[0].pointer).toBe(pointer);
  });
});

describe('while something is away', () => {
  it('the database: 503 with Retry-After, and not a word about why', async () => {
    face.tasks.failure = Object.assign(new Error('connect ECONNREFUSED secret-host:3306'), { code: 'ECONNREFUSED' });
    const answer = await face.post(TASKS, good);
    expectProblem(answer, 503, 'service_unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.text).not.toContain('secret-host');
  });

  it('the database, before a key is known: 503', async () => {
    face.dialect.away = true;
    expectProblem(await face.send({ key: { accessKey: 'ak_test_neverSeenBefore00', secret: 'x' } }), 503, 'service_unavailable');
  });

  it('the nonce store: reads and submissions with an id pass, the rest waits', async () => {
    face.nonces.away = true;
    expect((await face.send()).status).toBe(200);
    expect((await face.post(TASKS, { ...good, clientRequestId: 'away-1' })).status).toBe(202);
    expect((await face.post(`${TASKS}/batch`, { items: [{ ...good, clientRequestId: 'away-2' }] })).status).toBe(202);
    expectProblem(await face.post(TASKS, good), 503, 'replay_protection_unavailable');
    expectProblem(await face.post(`${TASKS}/batch`, { items: [good] }), 503, 'replay_protection_unavailable');
    expectProblem(
      await face.send({ method: 'POST', target: `${TASKS}/task_0000000000000000000000000/cancel` }),
      503,
      'replay_protection_unavailable',
    );
  });

  it('a way past other transactions: 503 with Retry-After', async () => {
    face.tasks.failure = Object.assign(new Error('Deadlock found when trying to get lock'), { errno: 1213 });
    const answer = await face.post(TASKS, good);
    expectProblem(answer, 503, 'service_unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.text).not.toContain('Deadlock');
  });

  it('our wits: 500, and not a word about why', async () => {
    face.tasks.failure = new TypeError('secret detail of ours');
    const answer = await face.post(TASKS, good);
    expectProblem(answer, 500, 'internal_error');
    expect(answer.text).not.toMatch(/secret|TypeError|stack/);
  });

  it('room in the group: 429, except for what is already there', async () => {
    await face.post(TASKS, { ...good, clientRequestId: 'full-1' });
    face.groups.full = true;
    expectProblem(await face.post(TASKS, { ...good, clientRequestId: 'full-2' }), 429, 'backlog_full');
    expect((await face.post(TASKS, { ...good, clientRequestId: 'full-1' })).headers['idempotent-replayed']).toBe('true');
  });

  it('room in the app: 429, except for what is already there, and again once something has ended', async () => {
    const app = await face.apps.create({ name: 'Narrow', defaultGroup: 'default', limits: { unfinishedTasks: 1 } });
    const key = await face.keys.create({ kind: 'partner', appId: app.id, label: 'a' });
    const submit = (clientRequestId: string) => face.post(TASKS, { handler: 'e', clientRequestId }, { key });
    const first = await submit('narrow-1');
    expect(first.status).toBe(202);
    expectProblem(await submit('narrow-2'), 429, 'concurrency_limited');
    expect((await submit('narrow-1')).headers['idempotent-replayed']).toBe('true');
    face.tasks.end(first.json.id, 'SUCCEEDED');
    expect((await submit('narrow-2')).status).toBe(202);
  });

  it('room for callbacks: 429 for whoever states a callbackUrl, except for what is already there', async () => {
    const told = { ...good, callbackUrl: 'https://hooks.partner.com/x' };
    expect((await face.post(TASKS, { ...told, clientRequestId: 'told-1' })).status).toBe(202);
    face.tasks.pendingCallbacks = 100_000;
    const refused = await face.post(TASKS, { ...told, clientRequestId: 'told-2' });
    expectProblem(refused, 429, 'callbacks_full');
    expect(refused.json.retryable).toBe(true);
    expectProblem(await face.post(`${TASKS}/run`, { ...told, clientRequestId: 'told-3' }), 429, 'callbacks_full');
    expect((await face.post(TASKS, { ...told, clientRequestId: 'told-1' })).headers['idempotent-replayed']).toBe('true');
    expect((await face.post(TASKS, { ...good, clientRequestId: 'untold-1' })).status).toBe(202);
    const items = [
      { ...told, clientRequestId: 'told-2' },
      { ...good, clientRequestId: 'untold-2' },
    ];
    expect((await face.post(`${TASKS}/batch`, { items })).json.results).toMatchObject([
      { outcome: 'rejected', error: { code: 'callbacks_full' } },
      { outcome: 'accepted' },
    ]);
    expect((await face.send()).json).toMatchObject({ callbacks: { pending: 100_000 }, limits: { pendingCallbacks: 100_000 } });
    face.tasks.pendingCallbacks = 99_999;
    expect((await face.post(TASKS, { ...told, clientRequestId: 'told-2' })).status).toBe(202);
  });

  it('what a submission asked for: a repetition still gets its receipt, a new one is refused', async () => {
    const body = { handler: 'alive', requireHandler: true, callbackUrl: 'https://hooks.partner.com/x' };
    const first = await face.post(TASKS, { ...body, clientRequestId: 'moment-1' });
    expect(first.status).toBe(202);
    const again = async (code: string, status: number) => {
      const replay = await face.post(TASKS, { ...body, clientRequestId: 'moment-1' });
      expect([replay.status, replay.text, replay.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
      expectProblem(await face.post(TASKS, { ...body, clientRequestId: 'moment-2' }), status, code);
      expectProblem(await face.post(TASKS, body), status, code);
      expectProblem(await face.post(TASKS, { ...body, priority: 1, clientRequestId: 'moment-1' }), 422, 'idempotency_key_reused');
    };
    face.tasks.callbackRefusal = 'host_not_verified';
    await again('callback_url_not_allowed', 422);
    face.tasks.callbackRefusal = null;
    const handlers = face.app.get(HandlerDirectory) as NoHandlers;
    handlers.alive = 'another';
    await again('validation_failed', 400).finally(() => {
      handlers.alive = 'alive';
    });
  });
});
