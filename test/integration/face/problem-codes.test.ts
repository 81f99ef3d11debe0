import { PROBLEM_CODES, type ProblemCode } from '@evenkeel/sdk/contract';
import { type Answer, type Face, startFace } from './support/face.js';

const TASKS = '/openapi/v1/tasks';
const good = { handler: 'echo' };
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

const raw = (head: string) => face.raw(`${head}\r\nhost: a\r\nconnection: close\r\n\r\n`);
const key = (over: object) => face.keys.create({ kind: 'partner', appId: face.partner.id, label: 'x', ...over });
/** A key of its own for one request; afterwards disabled, so that the next finds room. */
async function withKey(over: object, ask: (key: { accessKey: string; secret: string }) => Promise<Answer>): Promise<Answer> {
  const pair = await key(over);
  try {
    return await ask(pair);
  } finally {
    await face.keys.disable(pair.accessKey);
  }
}

/** One request that is refused so, for each code. */
const REACHED: Partial<Record<ProblemCode, () => Promise<Answer>>> = {
  invalid_request_target: () => face.send({ target: `${TASKS}/`, sign: { target: TASKS } }),
  duplicate_parameter: () => face.send({ target: `${TASKS}?limit=1&limit=2` }),
  body_not_allowed: () => face.send({ target: TASKS, body: '{}' }),
  content_digest_mismatch: () =>
    face.post(TASKS, good, { headers: { 'content-digest': 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:' } }),
  invalid_json: () => face.post(TASKS, '{'),
  validation_failed: () => face.post(TASKS, { handler: 7 }),
  batch_too_large: () => face.post(`${TASKS}/batch`, { items: Array(501).fill(good) }),
  use_async: () => face.post(`${TASKS}/run`, { ...good, expectedDurationMs: 3000 }),
  auth_missing: () => face.send({ headers: { 'x-ek-nonce': undefined } }),
  auth_malformed: () => face.send({ headers: { 'x-ek-nonce': 'short' } }),
  timestamp_out_of_range: () => face.send({ sign: { timestamp: '1700000000' } }),
  auth_failed: () => face.send({ key: { ...face.key, secret: 'x' } }),
  nonce_reused: async () => {
    const sign = { nonce: 'the-same-nonce-again' };
    await face.send({ sign });
    return face.send({ sign });
  },
  key_disabled: async () => {
    const pair = await key({});
    await face.keys.disable(pair.accessKey);
    return face.send({ key: pair });
  },
  key_expired: () => withKey({ expiresAt: face.clock.now() }, (pair) => face.send({ key: pair })),
  ip_not_allowed: () => withKey({ ipAllow: ['203.0.113.0/24'] }, (pair) => face.send({ key: pair })),
  insufficient_scope: () => withKey({ scopes: ['tasks:read'] }, (pair) => face.post(TASKS, good, { key: pair })),
  not_found: () => face.send({ target: '/openapi/v1/nothing' }),
  task_not_found: () => face.send({ target: `${TASKS}/task_0000000000000000000000000A` }),
  method_not_allowed: () => face.send({ method: 'DELETE', target: TASKS }),
  task_already_terminal: async () => {
    const { json } = await face.post(TASKS, good);
    face.tasks.end(json.id, 'SUCCEEDED');
    return face.send({ method: 'POST', target: `${TASKS}/${json.id}/cancel` });
  },
  idempotency_in_progress: async () => {
    face.tasks.outcome = { outcome: 'in_progress' };
    return face.post(TASKS, { ...good, clientRequestId: 'busy-1' }).finally(() => {
      face.tasks.outcome = null;
    });
  },
  idempotency_key_reused: async () => {
    await face.post(TASKS, { ...good, clientRequestId: 'reused-1' });
    return face.post(TASKS, { ...good, clientRequestId: 'reused-1', priority: 1 });
  },
  request_timeout: async () => {
    const hasty = await startFace({ requestWithinMs: 100 });
    const head = `POST ${TASKS} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`;
    return hasty.raw(`${head}{"a":`).finally(() => hasty.close());
  },
  payload_too_large: () => face.post(TASKS, { ...good, params: 'x'.repeat(270_000) }),
  uri_too_long: () => face.send({ target: `/openapi/v1/me?a=${'x'.repeat(5000)}`, sign: { target: '/openapi/v1/me' } }),
  headers_too_large: () => raw(`GET /openapi/v1/me HTTP/1.1\r\nx: ${'y'.repeat(20_000)}`),
  unsupported_media_type: () => face.post(TASKS, good, { headers: { 'content-type': 'text/plain' } }),
  unsupported_content_encoding: () => face.post(TASKS, good, { headers: { 'content-encoding': 'gzip' } }),
  rate_limited: async () => {
    const small = await face.apps.create({
      name: 'Small',
      defaultGroup: 'default',
      limits: { requestsPerSecond: 1, requestBurst: 1 },
    });
    const pair = await face.keys.create({ kind: 'partner', appId: small.id, label: 'x' });
    await face.send({ key: pair });
    return face.send({ key: pair });
  },
  auth_throttled: async () => {
    const guess = { accessKey: 'ak_test_0123456789abcdefGUESS', secret: 'x' };
    for (let i = 0; i < 61; i++) await face.send({ key: guess });
    return face.send({ key: guess });
  },
  backlog_full: () => {
    face.groups.full = true;
    return face.post(TASKS, good);
  },
  callback_url_not_allowed: () => {
    face.tasks.callbackRefusal = 'host_not_verified';
    return face.post(TASKS, { ...good, callbackUrl: 'https://hooks.partner.com/x' });
  },
  callbacks_full: () => {
    face.tasks.pendingCallbacks = 100_000;
    return face.post(TASKS, { ...good, callbackUrl: 'https://hooks.partner.com/x' });
  },
  internal_error: () => {
    face.tasks.failure = new TypeError('a bug');
    return face.post(TASKS, good);
  },
  service_unavailable: () => {
    face.dialect.away = true;
    return face.send({ key: { accessKey: 'ak_test_neverSeenBefore01', secret: 'x' } });
  },
  replay_protection_unavailable: () => {
    face.nonces.away = true;
    return face.post(TASKS, good);
  },
};

/** Reached on real databases, by other tests: their operations are not part of this face with its record in memory. */
const ELSEWHERE: Partial<Record<ProblemCode, string>> = {
  version_conflict: 'test/integration/jobs-api.test.ts',
  invalid_schedule: 'test/integration/jobs-api.test.ts',
  unknown_timezone: 'test/integration/jobs-api.test.ts',
  state_conflict: 'the console, test/integration/admin',
  permission_denied: 'the console, test/integration/admin',
  cross_site_request: 'the console, test/integration/admin',
  worker_id_in_use: 'the worker channel, test/integration/registry',
  task_not_retryable: 'test/integration/flows-api.test.ts',
  dependency_cycle: 'test/integration/dependencies.test.ts',
  job_has_dependants: 'test/integration/dependencies.test.ts',
  concurrency_limited: 'test/integration/face/refusals.test.ts',
};

it.each(PROBLEM_CODES.map((code) => [code]))(
  '%s is reached, in the form and with the headers the contract gives it',
  async (code) => {
    const reach = REACHED[code];
    if (!reach) {
      expect([code, ELSEWHERE[code]]).toEqual([code, expect.any(String)]);
      return;
    }
    const answer = await reach();
    expect([answer.json?.code, answer.json?.status]).toEqual([code, answer.status]);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json.instance).toBe(`/requests/${answer.headers['x-request-id']}`);
    expect(answer.json.type).toMatch(/^\/openapi\/problems\/|^https:\/\/iana\.org\//);
    const has = (name: string) => answer.headers[name] !== undefined;
    expect([code, has('www-authenticate')]).toEqual([code, answer.status === 401]);
    if (answer.status === 405) expect(has('allow')).toBe(true);
    if (answer.status === 429 || answer.status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    if (answer.status === 401) expect(has('ratelimit')).toBe(false);
    if (answer.status === 403) expect([code, has('ratelimit')]).toEqual([code, true]);
  },
);

describe('the table of body handling', () => {
  const { send, post } = {
    send: (call: object) => face.send(call),
    post: (body: string, call: object = {}) => face.post(TASKS, body, call),
  };
  it.each<[string, () => Promise<Answer>, number]>([
    ['no body and no type, where none is needed', () => send({ method: 'POST', target: `${TASKS}/x/cancel` }), 404],
    [
      'no body, but a type, where none is needed',
      () =>
        send({
          method: 'POST',
          target: `${TASKS}/x/cancel`,
          headers: { 'content-type': 'application/json', 'content-length': '0' },
        }),
      404,
    ],
    [
      'no body, but a type, where one is needed',
      () => send({ method: 'POST', target: TASKS, headers: { 'content-type': 'application/json', 'content-length': '0' } }),
      400,
    ],
    ['no body and no type, where one is needed', () => send({ method: 'POST', target: TASKS }), 400],
    ['text', () => post('{"handler":"echo"}', { headers: { 'content-type': 'text/plain' } }), 415],
    ['bytes', () => post('{"handler":"echo"}', { headers: { 'content-type': 'application/octet-stream' } }), 415],
    ['a problem', () => post('{"handler":"echo"}', { headers: { 'content-type': 'application/problem+json' } }), 415],
    ['gzip', () => post('{"handler":"echo"}', { headers: { 'content-encoding': 'gzip' } }), 415],
    ['a body of a GET', () => send({ target: TASKS, body: '{}' }), 400],
    ['150 kB', () => post(`{"handler":"echo","metadata":{"a":"b"}${' '.repeat(150_000)}}`), 202],
    ['blanks around', () => post(' \r\n{"handler":"echo"}\n'), 202],
  ])('%s', async (_what, ask, status) => {
    expect((await ask()).status).toBe(status);
  });
});
