import { randomUUID } from 'node:crypto';
import { signedHeaders } from '@evenkeel/sdk/contract';
import { KeptKinds } from '../../../src/admin/kept/kept.js';
import { RollupWriter } from '../../../src/admin/rollups/rollup-writer.js';
import { KeyUsage } from '../../../src/auth/key-usage.js';
import { RejectedRequests } from '../../../src/auth/rejected-requests.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';

interface Pair {
  accessKey: string;
  secret: string;
}

describe.each(ADAPTERS)('requests refused at the door (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let app: { id: string };
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    app = (await admin.post('/api/apps', { name: 'partner', defaultGroup: 'own' })).json;
  }, 60_000);
  afterAll(() => world?.stop());

  const newKey = async (more: object = {}): Promise<Pair> => {
    const { json } = await admin.post('/api/keys', { kind: 'partner', app: app.id, label: 'k', ...more });
    return { accessKey: json.key.accessKey, secret: json.secret };
  };
  const remove = async ({ accessKey }: Pair) => {
    await admin.post(`/api/keys/${accessKey}/disable`, {});
    expect((await admin.call('DELETE', `/api/keys/${accessKey}`)).status).toBe(204);
  };
  const send = async (
    pair: Pair,
    target = '/openapi/v1/me',
    over: { body?: string; nonce?: string; timestamp?: string } = {},
  ) => {
    const { body = '', nonce = randomUUID(), timestamp = String(Math.floor(Date.now() / 1_000)) } = over;
    const method = body === '' ? 'GET' : 'POST';
    const headers = signedHeaders({ accessKey: pair.accessKey, timestamp, nonce, method, target, body }, pair.secret);
    const type: Record<string, string> = body === '' ? {} : { 'content-type': 'application/json' };
    const init = { method, headers: { ...headers, ...type }, ...(body === '' ? {} : { body }) };
    const answer = await fetch(`${world.url}${target}`, init);
    await answer.text();
    return answer.status;
  };
  /** What the list holds once it holds as many: rows are written after the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
  const listed = (query: string, count: number): Promise<any[]> =>
    waitFor(`${count} refused requests`, async () => {
      const { items } = (await admin.get(`/api/rejected-requests${query}`)).json;
      return items.length >= count ? items : null;
    });
  const secretsOf = (text: string) => text.match(/sk_(live|test)_[A-Za-z0-9_-]{10,}|wsk_[A-Za-z0-9_-]{10,}/g);

  it('are listed under their key with the cause, newest first, never with a secret, a body or a signature that opens something', async () => {
    const pair = await newKey({ scopes: ['tasks:read'] });
    const path = '/openapi/v1/tasks';
    expect(await send(pair)).toBe(200);
    const nonce = randomUUID();
    expect(await send(pair, '/openapi/v1/me', { nonce })).toBe(200);
    expect(await send(pair, '/openapi/v1/me', { nonce })).toBe(401);
    await listed(`?key=${pair.accessKey}`, 1);
    expect(await send(pair, '/openapi/v1/me', { timestamp: '1700000000' })).toBe(401);
    await listed(`?key=${pair.accessKey}`, 2);
    const body = '{"handler":"echo","params":{"card":"4111111111111111"}}';
    expect(await send(pair, path, { body })).toBe(403);
    await listed(`?key=${pair.accessKey}`, 3);
    expect(await send({ ...pair, secret: 'sk_live_wrong' }, `${path}?limit=1&secretKey=${pair.secret}`, { body })).toBe(401);
    await listed(`?key=${pair.accessKey}`, 4);
    await admin.call('PATCH', `/api/keys/${pair.accessKey}`, { ipAllow: ['203.0.113.0/24'] });
    expect(await send(pair)).toBe(403);
    const items = await listed(`?key=${pair.accessKey}`, 5);
    expect(items.map(({ code }) => code)).toEqual([
      'ip_not_allowed',
      'auth_failed',
      'insufficient_scope',
      'timestamp_out_of_range',
      'nonce_reused',
    ]);
    const [outside, forged, unscoped, late, replayed] = items;
    expect(forged).toMatchObject({
      accessKey: pair.accessKey,
      known: true,
      method: 'POST',
      target: `${path}?limit=1&secretKey=***`,
      address: '127.0.0.1',
      bodyBytes: body.length,
      bodyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      signature: expect.stringMatching(/^v1=[0-9a-f]{64}$/),
      more: 0,
    });
    expect(forged.node).not.toBe('');
    expect(unscoped.detail).toContain('tasks:write');
    expect(late.timestamp).toBe('1700000000');
    expect(replayed.nonce).toBe(nonce);
    for (const each of [outside, unscoped, late, replayed]) expect(each.signature).toBeNull();
    const one = await admin.get(`/api/rejected-requests/${forged.id}`);
    expect(one.json).toEqual(forged);
    const all = await admin.get(`/api/rejected-requests?app=${app.id}&limit=2`);
    expect(all.json.items.map(({ id }: { id: string }) => id)).toEqual([outside.id, forged.id]);
    const rest = await admin.get(`/api/rejected-requests?app=${app.id}&cursor=${all.json.nextCursor}`);
    expect(rest.json.items.map(({ id }: { id: string }) => id)).toEqual([unscoped.id, late.id, replayed.id]);
    const { root } = world.app.get(SqlDialect);
    const kept = JSON.stringify(await root.rows('SELECT * FROM rejected_requests'));
    for (const text of [one.text, all.text, kept]) {
      expect(secretsOf(text)).toBeNull();
      expect(text).not.toContain('4111');
    }

    expect((await admin.get(`/api/keys/${pair.accessKey}`)).json).toMatchObject({ createdBy: 'user:admin' });
    await world.app.get(KeyUsage, { strict: false }).flush();
    await world.app.get(RollupWriter, { strict: false }).flush();
    const used = (await admin.get(`/api/keys/${pair.accessKey}`)).json;
    expect(used).toMatchObject({
      lastDay: { requests: 7, failed: 5 },
      lastUsedAddress: '127.0.0.1',
      lastUsedEndpoint: 'POST /openapi/v1/tasks',
    });
    await remove(pair);
    expect((await admin.get(`/api/rejected-requests/${forged.id}`)).status).toBe(404);
    expect((await admin.get(`/api/rejected-requests?key=${pair.accessKey}`)).json.items).toEqual([]);
  });

  it('of keys that do not exist are one list, for who manages keys', async () => {
    const invented = { accessKey: 'ak_live_0000000000000000000a', secret: 'sk_live_x' };
    expect(await send(invented)).toBe(401);
    expect((await fetch(`${world.url}/openapi/v1/me`)).status).toBe(401);
    const items = await listed('/unknown', 2);
    expect(items.map(({ code, known }) => [code, known]).sort()).toEqual([
      ['auth_failed', false],
      ['auth_missing', false],
    ]);
    const viewer = await world.person(`viewer-${adapter}`, 'viewer');
    expect((await viewer.get('/api/rejected-requests/unknown')).status).toBe(403);
    expect((await viewer.get(`/api/rejected-requests/${items[0].id}`)).json).toMatchObject({ permission: 'keys.manage' });
    expect((await admin.get('/api/rejected-requests')).json.errors[0].pointer).toBe('/query/key');
    expect((await admin.get('/api/rejected-requests/nothing')).status).toBe(404);
  });

  it('in a flood cost the database fifty rows and ten statements a second of a node, and the lists stay short', async () => {
    const pair = await newKey();
    const rejected = world.app.get(RejectedRequests, { strict: false });
    const { root } = world.app.get(SqlDialect);
    const count = async (owner: string) =>
      Number((await root.rows<{ n: number }>('SELECT COUNT(*) AS n FROM rejected_requests WHERE owner_key = ?', [owner]))[0]?.n);
    const total = async () => Number((await root.rows<{ n: number }>('SELECT COUNT(*) AS n FROM rejected_requests'))[0]?.n);
    const flood = (from: number, each: (n: number) => string) => {
      for (let n = 0; n < 2_000; n++) {
        const claimed = each(n);
        rejected.note(
          {
            ...{ claimed, at: Date.now(), code: 'auth_failed', detail: '', method: 'GET', target: `/openapi/v1/${n}` },
            ...{ address: `10.${from}.${n >> 8}.${n & 255}`, timestamp: null, nonce: null, signature: null },
            ...{ bodyDigest: null, bodyBytes: 0 },
          },
          claimed === pair.accessKey,
        );
      }
    };
    const before = await total();
    flood(0, (n) => `ak_live_${String(n).padStart(20, '0')}`);
    await rejected.flush();
    expect((await total()) - before).toBeLessThanOrEqual(50);
    for (let round = 1; round <= 20; round++) {
      flood(round, (n) => (n % 2 ? pair.accessKey : `ak_live_${String(n + round).padStart(20, '0')}`));
      await rejected.flush();
    }
    for (let n = 0; n < 5; n++) await rejected.flush();
    expect(await count(pair.accessKey)).toBeGreaterThan(90);
    expect(await count(pair.accessKey)).toBeLessThanOrEqual(150);
    expect(await count('')).toBeLessThanOrEqual(250);
    await remove(pair);
    expect(await count(pair.accessKey)).toBe(0);
  });

  it('are removed with the logs when they are old', async () => {
    const { root } = world.app.get(SqlDialect);
    const left = async () => Number((await root.rows<{ n: number }>('SELECT COUNT(*) AS n FROM rejected_requests'))[0]?.n);
    await send({ accessKey: 'ak_live_0000000000000000000b', secret: 'sk_live_x' });
    await waitFor('it is written', async () => (await left()) > 0);
    const logs = world.app
      .get(KeptKinds, { strict: false })
      .all()
      .find(({ kind }) => kind === 'logs');
    const sweep = async (now: number) => {
      for await (const _ of logs?.remove(now) ?? []);
    };
    await sweep(Date.now());
    expect(await left()).toBeGreaterThan(0);
    await sweep(Date.now() + 8 * 86_400_000);
    expect(await left()).toBe(0);
  });
});
