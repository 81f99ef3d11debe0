import { Controller, Get, Module } from '@nestjs/common';
import { AuditService } from '../../../src/auth/audit.service.js';
import { UsersService } from '../../../src/auth/users.service.js';
import { QUOTA_EXCEEDED } from '../../../src/platform/http/rate-limit-headers.js';
import { type Answer, type Face, startFace } from './support/face.js';

let face: Face;
beforeEach(async () => {
  face = await startFace();
});
afterEach(() => face.close());

const code = ({ status, json }: Answer) => [status, json.code];
const partnerKey = (over: object = {}) => face.keys.create({ kind: 'partner', appId: face.partner.id, label: 'second', ...over });

describe('an access key', () => {
  it('is read once and verified from memory afterwards', async () => {
    await face.send();
    const reads = face.dialect.reads;
    await Promise.all([face.send(), face.send(), face.send()]);
    expect(face.dialect.reads).toBe(reads);
  });

  it('stops working the moment it is disabled, and works again when enabled', async () => {
    expect((await face.send()).status).toBe(200);
    await face.keys.disable(face.key.accessKey);
    expect(code(await face.send())).toEqual([403, 'key_disabled']);
    await face.keys.enable(face.key.accessKey);
    expect((await face.send()).status).toBe(200);
  });

  it('is forgotten after a minute at the latest, without any signal', async () => {
    await face.send();
    await face.dialect.root.run("UPDATE access_keys SET key_state = 'disabled'");
    expect((await face.send()).status).toBe(200);
    face.clock.at += 60_001;
    expect(code(await face.send())).toEqual([403, 'key_disabled']);
  });

  it('that was unknown a moment ago is found once it exists', async () => {
    const created = await partnerKey();
    face.signals.publish('keys.changed', {});
    expect((await face.send({ key: created })).status).toBe(200);
  });

  it('expires, is bound to addresses, and lacks scopes', async () => {
    const expired = await partnerKey({ expiresAt: face.clock.now() });
    expect(code(await face.send({ key: expired }))).toEqual([403, 'key_expired']);
    await face.keys.disable(expired.accessKey);
    const bound = await partnerKey({ ipAllow: ['203.0.113.0/24'] });
    expect(code(await face.send({ key: bound }))).toEqual([403, 'ip_not_allowed']);
    await face.keys.disable(bound.accessKey);
    const reader = await partnerKey({ scopes: ['tasks:read'], ipAllow: ['127.0.0.0/8', '::1'] });
    expect((await face.send({ key: reader })).status).toBe(200);
    expect(code(await face.post('/openapi/v1/tasks', { handler: 'echo' }, { key: reader }))).toEqual([403, 'insufficient_scope']);
  });

  it('is one of two at most', async () => {
    await partnerKey();
    await expect(partnerKey()).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('shows its secret once and never keeps it in the clear', async () => {
    const listed = await face.keys.list(face.partner.id);
    const rows = await face.dialect.root.rows('SELECT * FROM access_keys');
    expect(JSON.stringify([listed, rows])).not.toContain(face.key.secret);
    expect(listed).toEqual([
      expect.objectContaining({ accessKey: face.key.accessKey, last4: face.key.secret.slice(-4), state: 'active' }),
    ]);
    expect(JSON.stringify(listed)).not.toContain('secretBox');
  });

  it('does not verify with a box copied from another row', async () => {
    const second = await partnerKey();
    await face.dialect.root.run(
      'UPDATE access_keys SET secret_box = (SELECT secret_box FROM access_keys WHERE access_key = ?) WHERE access_key = ?',
      [second.accessKey, face.key.accessKey],
    );
    face.signals.publish('keys.changed', {});
    expect(code(await face.send({ key: { accessKey: face.key.accessKey, secret: second.secret } }))).toEqual([
      500,
      'internal_error',
    ]);
  });
});

describe('a worker key', () => {
  it('opens the worker channel and nothing else, and needs no nonce store', async () => {
    const key = await face.keys.create({ kind: 'worker', groups: ['default'], label: 'w' });
    face.nonces.away = true;
    const answer = await face.post('/worker/v1/echo', { a: 1 }, { key });
    expect(answer.json).toEqual({ caller: { kind: 'worker', accessKey: key.accessKey, groups: ['default'] }, body: { a: 1 } });
    expect(code(await face.send({ key }))).toEqual([401, 'auth_malformed']);
    expect(await face.keys.secretOf(key.accessKey)).toBe(key.secret);
    await face.keys.disable(key.accessKey);
    expect(await face.keys.secretOf(key.accessKey)).toBeNull();
  });

  it('is told the time with every 401', async () => {
    for (const headers of [
      { 'x-ek-nonce': undefined },
      { 'x-ek-timestamp': '1000000000' },
      { 'x-ek-signature': `v1=${'0'.repeat(64)}` },
    ]) {
      const answer = await face.post(
        '/worker/v1/echo',
        {},
        { key: { accessKey: 'wk_0123456789abcdef0123', secret: 'x' }, headers },
      );
      expect(answer).toMatchObject({ status: 401, json: { serverTime: face.clock.now() } });
      expect(answer.headers['www-authenticate']).toBe('EK1-HMAC-SHA256 realm="worker"');
    }
    expect(code(await face.post('/worker/v1/echo', {}))).toEqual([401, 'auth_malformed']);
  });
});

describe('limits', () => {
  it('of requests are shared by the keys of an app and tell when to return', async () => {
    const small = await face.apps.create({
      name: 'Small',
      defaultGroup: 'default',
      limits: { requestsPerSecond: 1, requestBurst: 3 },
    });
    const a = await face.keys.create({ kind: 'partner', appId: small.id, label: 'a' });
    const b = await face.keys.create({ kind: 'partner', appId: small.id, label: 'b' });
    const statuses = [];
    for (const key of [a, b, a]) statuses.push((await face.send({ key })).status);
    const limited = await face.send({ key: b });
    expect([...statuses, limited.status]).toEqual([200, 200, 200, 429]);
    expect(limited.json).toMatchObject({ code: 'rate_limited', 'violated-policies': ['app'] });
    expect(limited.json.type).toBe(QUOTA_EXCEEDED);
    expect(limited.headers.ratelimit).toBe('"app";r=0;t=1');
    expect(face.rates.takes.filter(([bucket]) => bucket === `requests:{${b.accessKey}}`)).toHaveLength(1);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    face.clock.at += 1000;
    expect((await face.send({ key: b })).status).toBe(200);
  });

  it('are told to a caller who is known but may not do it, and cost nothing', async () => {
    const reader = await partnerKey({ scopes: ['tasks:read'] });
    const left = async () => (await face.send({ key: reader })).headers.ratelimit;
    const before = await left();
    const refused = await face.post('/openapi/v1/tasks', { handler: 'echo' }, { key: reader });
    expect(code(refused)).toEqual([403, 'insufficient_scope']);
    expect(refused.headers.ratelimit).toBe(before);
    await face.keys.disable(reader.accessKey);
    const disabled = await face.send({ key: reader });
    expect(code(disabled)).toEqual([403, 'key_disabled']);
    expect(disabled.headers.ratelimit).toBe(before);
  });

  it('of an address hold before anything is proven, whatever the key, and not for other addresses', async () => {
    const seen = new Set<string>();
    for (let i = 0; i < 1100; i++) seen.add(code(await face.send({ headers: { 'x-ek-access-key': undefined } })).join(' '));
    expect([...seen]).toEqual(['401 auth_missing', '429 rate_limited']);
    const genuine = await face.send();
    expect(code(genuine)).toEqual([429, 'rate_limited']);
    expect(genuine.json).toMatchObject({ type: QUOTA_EXCEEDED, 'violated-policies': ['address'] });
    expect(Number(genuine.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(genuine.headers.ratelimit).toBeUndefined();
    face.clock.at += 60_000;
    expect((await face.send()).status).toBe(200);
  });

  it('of tasks count the items of a batch; one that can never pass is too large', async () => {
    const small = await face.apps.create({ name: 'Small', defaultGroup: 'default', limits: { tasksPerSecond: 1, taskBurst: 3 } });
    const key = await face.keys.create({ kind: 'partner', appId: small.id, label: 'a' });
    const batch = (count: number) =>
      face.post(
        '/openapi/v1/tasks/batch',
        { items: Array.from({ length: count }, (_, i) => ({ handler: 'e', clientRequestId: `${count}-${i}` })) },
        { key },
      );
    expect(code(await batch(4))).toEqual([400, 'batch_too_large']);
    expect((await batch(2)).status).toBe(202);
    expect(code(await batch(3))).toEqual([429, 'rate_limited']);
    expect(face.tasks.stored).toHaveLength(2);
  });

  it('of failed authentications hold for the claimed key and the address, known key or not', async () => {
    const unknown = { accessKey: 'ak_test_0123456789abcdef0123', secret: 'x' };
    for (const key of [unknown, { ...face.key, secret: 'x' }]) {
      const seen = new Set<string>();
      for (let i = 0; i < 70; i++) seen.add(code(await face.send({ key })).join(' '));
      expect([...seen]).toEqual(['401 auth_failed', '429 auth_throttled']);
    }
    face.clock.at += 120_000;
    expect((await face.send()).status).toBe(200);
    const entries = await face.app.get(AuditService).list({ action: 'auth.throttled', limit: 10 });
    expect(entries.map(({ actor, actorIp, objectId }) => [actor, actorIp, objectId])).toEqual([
      ['system', '127.0.0.1', face.key.accessKey],
      ['system', '127.0.0.1', unknown.accessKey],
    ]);
  });
});

describe('behind a proxy that strips a prefix', () => {
  it('verifies the path the partner called', async () => {
    const behind = await startFace({ publicPrefix: '/api/v2' });
    try {
      const target = '/openapi/v1/tasks';
      const body = JSON.stringify({ handler: 'echo', clientRequestId: 'p-1' });
      expect(code(await behind.post(target, body))).toEqual([401, 'auth_failed']);
      behind.nonces.away = true;
      const answer = await behind.post(target, body, { sign: { target: `/api/v2${target}` } });
      expect(answer.status).toBe(202);
      expect(answer.headers.location).toBe(`/api/v2${target}/${answer.json.id}`);
      const refused = await behind.post(target, '{}', { sign: { target: `/api/v2${target}` } });
      expect(refused.json.type).toBe('/api/v2/openapi/problems/replay_protection_unavailable');
      const document = await behind.raw('GET /openapi/v1/openapi.json HTTP/1.0\r\nhost: a\r\n\r\n');
      expect(document.json.servers).toEqual([{ url: '/api/v2', description: 'This server' }]);
    } finally {
      await behind.close();
    }
  });
});

describe('the door', () => {
  it('sees every header, however many stand before it', async () => {
    const many = Array.from({ length: 1_500 }, (_, n) => `a${n}: b`).join('\r\n');
    const after = `GET /healthz HTTP/1.1\r\nhost: a\r\n${many}\r\nconnection: close`;
    expect((await face.raw(`${after}\r\n\r\n`)).status).toBe(200);
    expect((await face.raw(`${after}\r\nhost: b\r\n\r\n`)).json.code).toBe('invalid_request_target');
  });

  it('is open to health checks', async () => {
    expect(JSON.parse((await face.raw('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).text)).toEqual({
      status: 'ok',
    });
    expect((await face.raw('GET /readyz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).status).toBe(200);
  });

  it('stays shut when a controller does not say whom it serves', async () => {
    @Controller('forgotten')
    class ForgottenController {
      @Get()
      get() {
        return {};
      }
    }
    @Module({ controllers: [ForgottenController] })
    class ForgottenModule {}
    await expect(startFace({ more: [ForgottenModule] })).rejects.toThrow(/ForgottenController states no audience/);
  });
});

describe('the first start', () => {
  it('creates one admin with a random password, and no second', async () => {
    const users = face.app.get(UsersService);
    const admin = await users.ensureAdmin();
    expect(admin).toMatchObject({ username: 'admin', generated: true });
    expect(await users.ensureAdmin()).toBeNull();
    expect(await users.authenticate('admin', admin?.password ?? '')).toMatchObject({ username: 'admin', role: 'admin' });
    expect(await users.authenticate('admin', 'wrong password')).toBeNull();
    expect(await users.authenticate('nobody', 'wrong password')).toBeNull();
    expect(JSON.stringify(await face.dialect.root.rows('SELECT * FROM users'))).toContain('$argon2id$');
  });
});
