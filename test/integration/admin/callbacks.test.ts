import { RollupWriter } from '../../../src/admin/rollups/rollup-writer.js';
import { AccessKeysService } from '../../../src/auth/access-keys.service.js';
import { AppsService } from '../../../src/auth/apps.service.js';
import { EndpointsService } from '../../../src/callbacks/endpoints.service.js';
import { OutboxStore } from '../../../src/callbacks/outbox.store.js';
import { HEALTHY } from '../../../src/decisions/callback-circuit.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { LOOPBACK_CALLBACKS, Receiver } from '../../support/receiver.js';
import { ADAPTERS } from '../../support/services.js';
import { signedRequest } from '../../support/signed-request.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';

describe.each(ADAPTERS)('callbacks in the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let app: { id: number; publicId: string };
  let endpoint: { id: string };
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.listen();
    world = await ConsoleWorld.start(adapter, undefined, LOOPBACK_CALLBACKS);
    admin = await world.signIn();
    app = await world.app.get(AppsService).create({ name: 'partner', defaultGroup: 'own' });
    const other = await world.app.get(AppsService).create({ name: 'other', defaultGroup: 'own' });
    const endpoints = world.app.get(EndpointsService, { strict: false });
    endpoint = (await endpoints.create(app.id, 'https://nowhere.invalid/hook', ['task.succeeded']))?.endpoint as { id: string };
    await endpoints.create(other.id, 'https://nowhere.invalid/other', ['task.succeeded']);
  }, 60_000);
  afterAll(async () => {
    await world?.stop();
    await receiver?.close();
  });

  const secretsIn = (text: string) => text.match(/whsec_[\w+/=]+/g) ?? [];
  const lastEntry = async (type: string, id: string) =>
    (await admin.get(`/api/audit?objectType=${type}&objectId=${id}`)).json.items[0];

  it('lists endpoints of all apps or of one, never with a secret', async () => {
    const all = await admin.get('/api/callbacks/endpoints');
    expect(all.json.items.map(({ app }: { app: { name: string } }) => app.name)).toEqual(['partner', 'other']);
    const own = await admin.get(`/api/callbacks/endpoints?app=${app.publicId}`);
    expect(own.json.items).toMatchObject([
      { id: endpoint.id, state: 'PENDING', secrets: 1, url: 'https://nowhere.invalid/hook' },
    ]);
    expect(all.text).not.toMatch(/whsec_|box|challenge/);
    expect((await admin.get('/api/callbacks/endpoints/nothing')).status).toBe(404);
  });

  it('disables and enables an endpoint, logged with the change', async () => {
    const off = await admin.post(`/api/callbacks/endpoints/${endpoint.id}/disable`, { reason: 'partner moves' });
    expect(off.json).toMatchObject({ state: 'DISABLED', stateReason: 'asked' });
    expect(await lastEntry('endpoint', endpoint.id)).toMatchObject({
      id: off.headers.get('audit-id'),
      action: 'endpoint.disabled',
      reason: 'partner moves',
      before: { state: 'PENDING' },
      after: { state: 'DISABLED' },
    });
    expect((await admin.post(`/api/callbacks/endpoints/${endpoint.id}/enable`)).json).toMatchObject({ state: 'PENDING' });
    const { root } = world.app.get(SqlDialect);
    const disable =
      "UPDATE webhook_endpoints SET endpoint_state = 'DISABLED', state_reason = 'failing', disabled_at = ? WHERE id = ?";
    await root.run(disable, [Date.now(), endpoint.id]);
    const early = (await admin.post(`/api/callbacks/endpoints/${endpoint.id}/enable`)).json;
    expect(early).toMatchObject({ status: 409, code: 'state_conflict' });
    expect(early.waitMs).toBeGreaterThan(0);
    await root.run(disable, [Date.now() - 3_600_000, endpoint.id]);
    expect((await admin.post(`/api/callbacks/endpoints/${endpoint.id}/enable`)).json.state).toBe('PENDING');
  });

  it('shows a new secret in one answer, and logs none', async () => {
    const rotated = await admin.post(`/api/callbacks/endpoints/${endpoint.id}/rotate-secret`, {
      graceSeconds: 60,
      reason: 'leak',
    });
    expect(rotated.json).toMatchObject({ id: endpoint.id, secrets: 2 });
    expect(rotated.json.secret.slice(-4)).toBe(rotated.json.last4);
    const later = await Promise.all(
      [`/api/callbacks/endpoints/${endpoint.id}`, '/api/callbacks/endpoints', '/api/audit', '/api/audit/export'].map((path) =>
        admin.get(path),
      ),
    );
    for (const { text } of later) expect(secretsIn(text)).toEqual([]);
    expect(await lastEntry('endpoint', endpoint.id)).toMatchObject({ action: 'endpoint.secret_rotated', reason: 'leak' });
    const wrong = await admin.post(`/api/callbacks/endpoints/${endpoint.id}/rotate-secret`, { graceSeconds: -1 });
    expect(wrong.json.errors[0].pointer).toBe('/graceSeconds');
  });

  it('sends a test, shows its attempts, and redelivers with the earlier ones unchanged', async () => {
    const proven = "UPDATE webhook_endpoints SET endpoint_state = 'ENABLED', verified_at = ? WHERE id = ?";
    await world.app.get(SqlDialect).root.run(proven, [Date.now(), endpoint.id]);
    const { deliveryId } = (await admin.post(`/api/callbacks/endpoints/${endpoint.id}/test`)).json;
    const attempted = (count: number) =>
      waitFor(`${count} attempts`, async () => {
        const { json } = await admin.get(`/api/callbacks/deliveries/${deliveryId}`);
        return json.log.length >= count ? json : null;
      });
    const once = await attempted(1);
    expect(once).toMatchObject({ eventType: 'webhook.ping', app: { name: 'partner' }, endpointId: endpoint.id });
    expect(once.log[0]).toMatchObject({
      attempt: 1,
      status: null,
      failure: 'blocked',
      wire: { requestHeaders: null, responseHeaders: null, timing: {}, refusedBy: 'host_not_allowed' },
    });
    expect(once).toMatchObject({ failures: null, retry: { jitter: 0.2 } });
    expect(once.retry.delaysMs).toHaveLength(10);
    expect(JSON.parse(once.bodyText)).toMatchObject({ type: 'webhook.ping', data: { endpointId: endpoint.id } });
    const again = await admin.post(`/api/callbacks/deliveries/${deliveryId}/redeliver`, { reason: 'try' });
    expect(again.status).toBe(200);
    const twice = await attempted(2);
    expect(twice.log[0]).toEqual(once.log[0]);
    expect(twice.log[1]).toMatchObject({ trigger: 'manual' });
    const entries = (await admin.get(`/api/audit?objectId=${deliveryId}&action=delivery.redelivered`)).json.items;
    expect(entries).toMatchObject([{ actor: 'user:admin', reason: 'try' }]);
    expect((await admin.post('/api/callbacks/deliveries/nothing/redeliver')).status).toBe(404);
  });

  it('tells of an endpoint how its attempts went', async () => {
    const writer = world.app.get(RollupWriter, { strict: false });
    const lastDay = await waitFor('every attempt is counted', async () => {
      const { items } = (await admin.get(`/api/callbacks/deliveries?endpoint=${endpoint.id}&limit=200`)).json;
      const attempts = items.reduce((sum: number, each: { attempts: number }) => sum + each.attempts, 0);
      await writer.flush();
      const { lastDay } = (await admin.get(`/api/callbacks/endpoints/${endpoint.id}`)).json;
      return attempts > 0 && lastDay?.attempts === attempts && lastDay;
    });
    expect(lastDay.succeeded).toBe(0);
    const { items } = (await admin.get(`/api/callbacks/endpoints?app=${app.publicId}`)).json;
    expect(items[0].lastDay.attempts).toBeGreaterThanOrEqual(lastDay.attempts);
  });

  it('shows of an attempt what was sent and answered and how long it took, without what could be used again', async () => {
    const other = await world.app.get(AppsService).create({ name: 'wire', defaultGroup: 'own' });
    await admin.call('PUT', `/api/apps/${other.publicId}/callbacks`, { hosts: ['127.0.0.1'] });
    const endpoints = world.app.get(EndpointsService, { strict: false });
    const made = await endpoints.create(other.id, receiver.url('/told'), ['task.succeeded']);
    const id = made?.endpoint.id as string;
    const look = async () => (await admin.get(`/api/callbacks/endpoints/${id}`)).json;
    await waitFor('it is proven', async () => (await look()).state === 'ENABLED');
    let status = 500;
    receiver.behave = (_, response) =>
      response.writeHead(status, { 'set-cookie': 'session=hunter2', 'x-long': 'x'.repeat(2_000) }).end('y'.repeat(20_000));
    const key = await world.app.get(AccessKeysService).create({ kind: 'partner', appId: other.id, label: 'k' });
    const { deliveryId } = (await admin.post(`/api/callbacks/endpoints/${id}/test`)).json;
    const path = `/api/callbacks/deliveries/${deliveryId}`;
    const answer = await waitFor('it was attempted', async () => {
      const found = await admin.get(path);
      return found.json.log.length > 0 ? found : null;
    });
    const { wire, status: told, durationMs } = answer.json.log[0];
    expect(told).toBe(500);
    const sent = receiver.received.find(({ event }) => event.type === 'webhook.ping')?.headers ?? {};
    const shown = Object.fromEntries(wire.requestHeaders);
    expect(shown).toMatchObject({ 'webhook-id': sent['webhook-id'], 'webhook-timestamp': sent['webhook-timestamp'] });
    const signature = String(sent['webhook-signature']);
    expect(shown['webhook-signature']).toBe(`${signature.slice(0, 'v1,'.length + 8)}…`);
    expect(wire.timing).toEqual({ dnsMs: expect.any(Number), connectMs: expect.any(Number), firstByteMs: expect.any(Number) });
    expect(wire.timing.connectMs + wire.timing.firstByteMs).toBeLessThanOrEqual(durationMs + 2);
    const answered = Object.fromEntries(wire.responseHeaders);
    expect(answered['set-cookie']).toBe('***');
    expect(answered['x-long']).toHaveLength(256);
    expect(wire).toMatchObject({ responseCut: true, responseBytes: 16 * 1024, refusedBy: null });
    const { root } = world.app.get(SqlDialect);
    const [kept] = await root.rows<{ exchange_json: string }>(
      'SELECT exchange_json FROM webhook_attempts WHERE delivery_id = ?',
      [deliveryId],
    );
    expect(kept?.exchange_json.length).toBeLessThan(4_096);
    for (const text of [answer.text, kept?.exchange_json]) {
      expect(text).not.toContain(signature.slice(3));
      expect(text).not.toContain('hunter2');
      expect(secretsIn(text ?? '')).toEqual([]);
    }
    const partner = await signedRequest(world.url, key, 'GET', `/openapi/v1/webhook-deliveries/${deliveryId}`);
    expect(JSON.stringify(partner.body)).not.toMatch(/"wire"|requestHeaders|firstByteMs/);

    expect((await look()).failing).toBeNull();
    const target = `${other.id}|${new URL(receiver.url('/')).host}|${id}`;
    const receivers = [{ endpointId: id, url: receiver.url('/told'), target }];
    const event = { id: 'evt_00000000000000000000000001', appId: other.id, taskId: null, seq: null, type: 'task.failed' };
    const told2 = { ...event, body: '{"type":"task.failed","data":{}}', occurredAt: Date.now(), receivers };
    const [[failed]] = (await new OutboxStore().insert(root, [told2], Date.now())) as [[string]];
    const failing = await waitFor('it has failed', async () => (await look()).failing);
    expect(failing).toMatchObject({ failures: expect.any(Number), pausedUntil: null, disablesAtFailures: 20 });
    expect(Date.parse(failing.disablesAt) - Date.parse(failing.since)).toBe(5 * 86_400_000);
    expect((await admin.get(`/api/callbacks/deliveries/${failed}`)).json.failures).toBeGreaterThanOrEqual(1);
    const { items } = (await admin.get(`/api/callbacks/endpoints?app=${other.publicId}`)).json;
    expect(items[0].failing.since).toBe(failing.since);
    status = 200;
  });

  it('lists deliveries newest first, each once, by app, endpoint and state', async () => {
    for (let n = 0; n < 5; n++) await admin.post(`/api/callbacks/endpoints/${endpoint.id}/test`);
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const { json } = await admin.get(`/api/callbacks/deliveries?limit=2${cursor}`);
      ids.push(...json.items.map(({ id }: { id: string }) => id));
      if (json.nextCursor === null) break;
      cursor = `&cursor=${json.nextCursor}`;
    }
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    const own = (await admin.get(`/api/callbacks/deliveries?endpoint=${endpoint.id}&app=${app.publicId}&limit=200`)).json.items;
    expect(own.length).toBeGreaterThanOrEqual(6);
    expect(ids.length).toBeGreaterThan(own.length);
    expect((await admin.get(`/api/callbacks/deliveries?state=SUCCEEDED&app=${app.publicId}`)).json.items).toEqual([]);
    expect((await admin.get(`/api/callbacks/deliveries?app=app_01JGEXAMPLE0000000000000000`)).json.items).toEqual([]);
  });

  it('lists those of the tasks of a job', async () => {
    const make = async (key: string) =>
      (await admin.post('/api/jobs', { key, group: 'own', handler: 'x', schedule: { kind: 'manual' } })).json;
    const [told, silent] = [await make('told'), await make('silent')];
    const { taskId } = (await admin.post(`/api/jobs/${told.id}/trigger`)).json;
    const [{ id: deliveryId }] = (await admin.get('/api/callbacks/deliveries?limit=1')).json.items;
    const { root } = world.app.get(SqlDialect);
    const put = (task: string | null) => root.run('UPDATE webhook_deliveries SET task_id = ? WHERE id = ?', [task, deliveryId]);
    await put(taskId);
    const of = async (job: string) => (await admin.get(`/api/callbacks/deliveries?job=${job}`)).json.items;
    expect(await of(told.id)).toMatchObject([{ id: deliveryId, taskId }]);
    expect(await of(silent.id)).toEqual([]);
    expect(await of('no-job')).toEqual([]);
    // A test again, which nobody recovers.
    await put(null);
  });

  it('tries what was given up once more', async () => {
    const { root } = world.app.get(SqlDialect);
    const url = 'https://nowhere.invalid/hook';
    const receivers = [{ endpointId: endpoint.id, url, target: `${app.id}|nowhere.invalid:443|${endpoint.id}` }];
    const told = { id: 'evt_00000000000000000000000000', appId: app.id, taskId: 'task_00000000000000000000000000', seq: 1 };
    const event = { ...told, type: 'task.failed', body: '{}', occurredAt: Date.now(), receivers };
    const id = (await new OutboxStore().insert(root, [event], Date.now() + 3_600_000))[0]?.[0] as string;
    await root.run('DELETE FROM webhook_sends WHERE delivery_id = ?', [id]);
    await root.run("UPDATE webhook_deliveries SET delivery_state = 'EXHAUSTED', ended_at = ? WHERE id = ?", [Date.now(), id]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { recovered } = (await admin.post(`/api/callbacks/endpoints/${endpoint.id}/recover`, { since })).json;
    expect(recovered).toBe(1);
    expect((await admin.get(`/api/callbacks/deliveries/${id}`)).json.state).toBe('PENDING');
    expect(await lastEntry('endpoint', endpoint.id)).toMatchObject({ action: 'endpoint.recovered', after: { since } });
  });

  it('counts those that failed and are tried again, and lists just these', async () => {
    const { root } = world.app.get(SqlDialect);
    const listed = async (filter: string) =>
      (await admin.get(`/api/callbacks/deliveries?limit=200${filter}`)).json.items.map(({ id }: { id: string }) => id);
    await waitFor('tile and list tell what the queue has', async () => {
      const failed = 'SELECT DISTINCT delivery_id AS id FROM webhook_sends WHERE failures > 0 ORDER BY delivery_id DESC';
      const queued = (await root.rows<{ id: string }>(failed)).map(({ id }) => id);
      const failing = await listed('&failing=true');
      const { count, query } = (await admin.get('/api/overview')).json.tiles.callbacksFailing;
      return queued.length > 0 && failing.join() === queued.join() && count === queued.length && query === 'failing=true';
    });
    expect((await listed('')).length).toBeGreaterThan((await listed('&failing=true')).length);
    expect((await admin.get('/api/overview?group=own')).json.tiles.callbacksFailing).toBeNull();
    expect((await admin.get('/api/callbacks/deliveries?failing=yes')).json.errors[0].pointer).toBe('/query/failing');
  });

  it('says why a next try is not made when it is due, in the list, of one alone and in the file', async () => {
    const { root } = world.app.get(SqlDialect);
    const target = `${app.id}|quiet.invalid:443|${endpoint.id}`;
    const receivers = [{ endpointId: endpoint.id, url: 'https://quiet.invalid/hook', target }];
    const told = { id: 'evt_00000000000000000000000002', appId: app.id, taskId: null, seq: null };
    const event = { ...told, type: 'task.failed', body: '{}', occurredAt: Date.now(), receivers };
    const dueAt = Date.now() + 3_600_000;
    const id = (await new OutboxStore().insert(root, [{ ...event, dueAt }], Date.now()))[0]?.[0] as string;
    const plain = { id, state: 'PENDING', nextAttemptAt: new Date(dueAt).toISOString(), hold: null };
    const hold = async () => {
      const one = (await admin.get(`/api/callbacks/deliveries/${id}`)).json;
      const { items } = (await admin.get(`/api/callbacks/deliveries?endpoint=${endpoint.id}&state=PENDING&limit=200`)).json;
      const listed = items.find((each: { id: string }) => each.id === id);
      expect(one).toMatchObject({ ...plain, hold: listed.hold });
      const [head = '', ...lines] = (await admin.get('/api/callbacks/deliveries/export?state=PENDING')).text.split(/\r?\n/);
      const cells = lines.find((each) => each.startsWith(id))?.split(',') ?? [];
      const cell = (title: string) => cells[head.split(',').indexOf(title)];
      expect([cell('heldBy'), cell('heldUntil') === '']).toEqual([one.hold?.reason ?? '', (one.hold?.until ?? null) === null]);
      return one.hold;
    };
    await root.run("UPDATE webhook_endpoints SET endpoint_state = 'ENABLED', state_reason = NULL WHERE id = ?", [endpoint.id]);
    expect(await hold()).toBeNull();
    const open = (until: number) =>
      root.run('INSERT INTO callback_targets (target, health_json, open_until, changed_at) VALUES (?, ?, ?, ?)', [
        ...[target, JSON.stringify(HEALTHY)],
        ...[until, Date.now()],
      ]);
    await open(dueAt - 1);
    expect(await hold()).toBeNull();
    await root.run('DELETE FROM callback_targets WHERE target = ?', [target]);
    await open(dueAt + 60_000);
    expect(await hold()).toEqual({ reason: 'circuit_open', until: new Date(dueAt + 60_000).toISOString() });
    await admin.post(`/api/callbacks/endpoints/${endpoint.id}/disable`);
    expect(await hold()).toEqual({ reason: 'endpoint_disabled', until: null });
    await admin.post(`/api/callbacks/endpoints/${endpoint.id}/enable`);
    await root.run('DELETE FROM callback_targets WHERE target = ?', [target]);
    expect(await hold()).toBeNull();
    await root.run('DELETE FROM webhook_sends WHERE delivery_id = ?', [id]);
    await root.run('DELETE FROM webhook_deliveries WHERE id = ?', [id]);
  });

  it('sets the hosts of an app; the first time with the secret', async () => {
    const path = `/api/apps/${app.publicId}/callbacks`;
    expect((await admin.get(path)).json).toEqual({
      hosts: [],
      pending: expect.any(Number),
      limit: 100_000,
      revision: expect.any(String),
    });
    const first = await admin.call('PUT', path, { hosts: ['hooks.partner.com'], reason: 'contract' });
    expect(first.json).toMatchObject({ hosts: ['hooks.partner.com'], secret: expect.stringMatching(/^whsec_/) });
    const second = await admin.call('PUT', path, { hosts: ['hooks.partner.com', '*.partner.com'] });
    expect(second.json).toMatchObject({ hosts: ['hooks.partner.com', '*.partner.com'], secret: null });
    const { revision } = second.json;
    expect((await admin.get(path)).json.revision).toBe(revision);
    const stale = await admin.call('PUT', path, { revision: first.json.revision, hosts: [] });
    expect(stale.json).toMatchObject({
      status: 409,
      code: 'version_conflict',
      current: { hosts: ['hooks.partner.com', '*.partner.com'], revision },
    });
    expect(await lastEntry('app', app.publicId)).toMatchObject({
      action: 'app.callback_hosts_set',
      before: { hosts: ['hooks.partner.com'] },
      after: { hosts: ['hooks.partner.com', '*.partner.com'] },
    });
    expect((await admin.call('PUT', path, { hosts: ['http://x'] })).json.errors[0].pointer).toBe('/hosts/0');
    const { secret } = (await admin.post(`${path}/rotate-secret`, { graceSeconds: 0 })).json;
    expect(secret).not.toBe(first.json.secret);
    expect(secretsIn((await admin.get('/api/audit')).text)).toEqual([]);
  });

  it('logs what partners do to their endpoints, by key and address, and no secret', async () => {
    const key = await world.app.get(AccessKeysService).create({ kind: 'partner', appId: app.id, label: 'own' });
    const call = (method: 'POST' | 'PUT' | 'DELETE', target: string, body?: object) =>
      signedRequest(world.url, key, method, `/openapi/v1/webhook-endpoints${target}`, body);
    const made = await call('POST', '', { url: 'https://hooks.partner.com/x', eventTypes: ['task.failed'] });
    expect(made.status).toBe(201);
    const { id } = made.body;
    await call('PUT', `/${id}`, { eventTypes: ['task.succeeded'] });
    await call('POST', `/${id}/rotate-secret`, { graceSeconds: 0 });
    await call('POST', `/${id}/disable`);
    await call('POST', `/${id}/disable`);
    await call('POST', `/${id}/enable`);
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    const { items } = (await admin.get(`/api/audit?objectType=endpoint&objectId=${id}`)).json;
    expect(items.map(({ action }: { action: string }) => action).reverse()).toEqual([
      'endpoint.created',
      'endpoint.changed',
      'endpoint.secret_rotated',
      'endpoint.disabled',
      'endpoint.enabled',
      'endpoint.deleted',
    ]);
    for (const entry of items)
      expect(entry).toMatchObject({
        actor: `key:${key.accessKey}`,
        actorIp: '127.0.0.1',
        requestId: expect.stringMatching(/^req_/),
      });
    expect(items.at(-1)).toMatchObject({
      before: null,
      after: { app: app.publicId, url: 'https://hooks.partner.com/x', state: 'PENDING' },
    });
    expect(items[2]).toMatchObject({ before: { state: 'PENDING' }, after: { state: 'DISABLED', stateReason: 'asked' } });
    expect(items[0]).toMatchObject({ before: { url: 'https://hooks.partner.com/x' }, after: null });
    expect(JSON.stringify(items)).not.toMatch(/whsec_|challenge/);
  });

  it('has an endpoint that was switched off, and an app whose callbacks pile up, stand under attention', async () => {
    const attention = async (kind: string) =>
      (await admin.get('/api/overview')).json.attention.filter((item: { kind: string }) => item.kind === kind);
    expect(await attention('callbacks_full')).toEqual([]);
    await world.app
      .get(SqlDialect)
      .root.run(
        "UPDATE webhook_endpoints SET endpoint_state = 'DISABLED', state_reason = 'failing', disabled_at = ? WHERE id = ?",
        [Date.now(), endpoint.id],
      );
    expect(await attention('endpoint_disabled')).toMatchObject([
      { object: { type: 'endpoint', id: endpoint.id }, evidence: { reason: 'failing' }, since: expect.any(String) },
    ]);
    const changed = await admin.call('PATCH', `/api/apps/${app.publicId}`, { limits: { pendingCallbacks: 1 } });
    expect(changed.json.limits).toMatchObject({ pendingCallbacks: 1, unfinishedTasks: 100_000 });
    const outbox = new OutboxStore();
    const delivery = (await admin.get(`/api/callbacks/deliveries?endpoint=${endpoint.id}`)).json.items[0];
    // Due in an hour, so that nothing takes it away meanwhile.
    await outbox.again(
      world.app.get(SqlDialect).root,
      [{ deliveryId: delivery.id, target: `${app.id}|nowhere.invalid:443|${endpoint.id}`, trigger: 'auto' }],
      Date.now() + 3_600_000,
    );
    const [full] = await waitFor('the node counted', async () => {
      const found = await attention('callbacks_full');
      return found.length > 0 && found;
    });
    expect(full).toMatchObject({ object: { type: 'app', id: app.publicId, name: 'partner' }, evidence: { limit: 1 } });
    expect((await admin.get(`/api/apps/${app.publicId}/callbacks`)).json).toMatchObject({
      pending: full.evidence.pending,
      limit: 1,
    });
  });
});
