import { AccessKeysService } from '../../../src/auth/access-keys.service.js';
import { AppsService } from '../../../src/auth/apps.service.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { signedRequest } from '../../support/signed-request.js';
import { ConsoleWorld } from './support/console-world.js';

const DAILY = { kind: 'cron', expression: '30 9 * * *', timeZone: 'Asia/Shanghai' };

describe.each(ADAPTERS)('what partners change (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let app: { id: number; publicId: string };
  let key: { accessKey: string; secret: string };
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    app = await world.app.get(AppsService).create({ name: 'partner', defaultGroup: 'own' });
    key = await world.app.get(AccessKeysService).create({ kind: 'partner', appId: app.id, label: 'own' });
  }, 60_000);
  afterAll(() => world?.stop());

  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, body?: object) =>
    signedRequest(world.url, key, method, `/openapi/v1${target}`, body);
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
  const logged = async (query: string): Promise<any[]> => (await admin.get(`/api/audit?limit=200&${query}`)).json.items;
  const job = async (stated: object) => (await call('POST', '/jobs', { handler: 'noop', schedule: DAILY, ...stated })).body.id;

  it('of a job is logged with the change: by which key of which app, from where, before and after, without secrets', async () => {
    const stated = {
      key: 'nightly',
      clientRequestId: 'one',
      params: { password: 'hunter2', n: 1 },
      metadata: { token: 'hunter2' },
    };
    const id = await job(stated);
    expect(await job(stated)).toBe(id);
    const { requestId } = (await logged(`objectId=${id}`))[0];
    const paused = await call('POST', `/jobs/${id}/pause`, { reason: 'we move' });
    await call('POST', `/jobs/${id}/resume`);
    const changed = { handler: 'echo', schedule: DAILY, version: 1 };
    expect((await call('PUT', `/jobs/${id}`, changed)).status).toBe(200);
    expect((await call('PUT', `/jobs/${id}`, changed)).status).toBe(409);
    await call('POST', `/jobs/${id}/restore`, { version: 2, restore: 1 });
    const span = { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
    expect((await call('POST', `/jobs/${id}/backfill`, { ...span, dryRun: true })).status).toBe(200);
    expect((await call('POST', `/jobs/${id}/backfill`, span)).status).toBe(202);
    expect((await call('POST', `/jobs/${id}/trigger`)).status).toBe(202);
    expect((await call('DELETE', `/jobs/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/jobs/${id}`)).status).toBe(404);

    const entries = (await logged(`objectType=job&objectId=${id}`)).reverse();
    expect(entries.map(({ action }) => action)).toEqual([
      'job.created',
      'job.paused',
      'job.resumed',
      'job.changed',
      'job.restored',
      'backfill.started',
      'job.deleted',
    ]);
    for (const entry of entries)
      expect(entry).toMatchObject({
        actor: `key:${key.accessKey}`,
        actorKind: 'partner',
        app: { id: app.publicId, name: 'partner' },
        actorIp: '127.0.0.1',
        group: 'own',
        requestId: expect.stringMatching(/^req_/),
      });
    const facts = { app: app.publicId, key: 'nightly', group: 'own' };
    expect(entries[0]).toMatchObject({
      requestId,
      before: null,
      after: { ...facts, state: 'active', version: 1, handler: 'noop' },
    });
    expect(entries[1]).toMatchObject({
      requestId: paused.headers.get('x-request-id'),
      reason: 'we move',
      before: { ...facts, state: 'active' },
      after: { ...facts, state: 'paused', pauseReason: 'we move' },
    });
    expect(entries[2]).toMatchObject({ before: { state: 'paused' }, after: { state: 'active' } });
    expect(entries[3]).toMatchObject({ before: { version: 1, handler: 'noop' }, after: { version: 2, handler: 'echo' } });
    expect(entries[5]).toMatchObject({ before: null, after: { app: app.publicId, fires: 1 } });
    expect(entries[6]).toMatchObject({ before: facts, after: null });
    expect(JSON.parse(entries[0].after.paramsText)).toEqual({ password: '***', n: 1 });
    expect(JSON.stringify(entries)).not.toContain('hunter2');
  });

  it('is not changed where the entry cannot be written', async () => {
    const id = await job({ key: 'kept' });
    const { root } = world.app.get(SqlDialect);
    await root.run('ALTER TABLE audit_log RENAME TO audit_log_away', []);
    try {
      for (const [method, target, body] of [
        ['POST', `/jobs/${id}/pause`, {}],
        ['DELETE', `/jobs/${id}`, undefined],
        ['POST', '/jobs', { key: 'unlogged', handler: 'noop', schedule: DAILY }],
      ] as const)
        expect([target, (await call(method, target, body)).status >= 500]).toEqual([target, true]);
    } finally {
      await root.run('ALTER TABLE audit_log_away RENAME TO audit_log', []);
    }
    expect((await call('GET', `/jobs/${id}`)).body).toMatchObject({ state: 'active' });
    expect((await call('GET', '/jobs?key=unlogged')).body.items).toEqual([]);
  });

  it('of callbacks is logged too, and what they submit is not', async () => {
    await admin.call('PUT', `/api/apps/${app.publicId}/callbacks`, { hosts: ['hooks.partner.com'] });
    const made = await call('POST', '/webhook-endpoints', { url: 'https://hooks.partner.com/x' });
    const { id } = made.body;
    await world.app
      .get(SqlDialect)
      .root.run("UPDATE webhook_endpoints SET endpoint_state = 'ENABLED', verified_at = 1 WHERE id = ?", [id]);
    const { deliveryId } = (await call('POST', `/webhook-endpoints/${id}/test`)).body;
    const since = '2026-01-01T00:00:00Z';
    expect((await call('POST', `/webhook-endpoints/${id}/recover`, { since })).status).toBe(202);
    expect((await call('POST', `/webhook-deliveries/${deliveryId}/redeliver`)).status).toBe(202);
    expect(await logged(`objectId=${id}`)).toMatchObject([
      { action: 'endpoint.recovered', actor: `key:${key.accessKey}`, after: { app: app.publicId, since } },
      { action: 'endpoint.tested', actor: `key:${key.accessKey}` },
      { action: 'endpoint.created' },
    ]);
    expect(await logged(`objectId=${deliveryId}`)).toMatchObject([{ action: 'delivery.redelivered', actorKind: 'partner' }]);
    const before = (await logged('')).length;
    expect((await call('POST', '/tasks', { handler: 'noop' })).status).toBe(202);
    expect((await logged('')).length).toBe(before);
  });

  it('is found by the kind of actor, whatever the order', async () => {
    await admin.post('/api/jobs', { key: 'ours', group: 'own', handler: 'noop', schedule: DAILY });
    for (const sort of ['', '&sort=at', '&sort=actor', '&sort=-action'])
      for (const kind of ['user', 'partner']) {
        const items = await logged(`actorKind=${kind}${sort}`);
        expect(items.length).toBeGreaterThan(0);
        expect(new Set(items.map(({ actorKind }) => actorKind))).toEqual(new Set([kind]));
      }
    expect((await admin.get('/api/audit?actorKind=nobody')).json.errors[0].pointer).toBe('/query/actorKind');
  });
});
