import { AccessKeysService } from '../../../src/auth/access-keys.service.js';
import { AppsService } from '../../../src/auth/apps.service.js';
import { GroupsService } from '../../../src/jobs/groups.service.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';
import { seedTasks } from './support/many-tasks.js';

describe.each(ADAPTERS)('groups, apps and keys in the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
  }, 60_000);
  afterAll(() => world?.stop());

  it('creates a group once and edits it from what was read', async () => {
    const created = await admin.post('/api/groups', { key: 'pay', maxRunning: 7 });
    expect(created.json).toMatchObject({
      key: 'pay',
      maxRunning: 7,
      routing: null,
      hold: null,
      running: 0,
      pending: { count: 0, capped: false },
    });
    expect((await admin.post('/api/groups', { key: 'pay' })).json).toMatchObject({
      errors: [{ pointer: '/key', code: 'not_unique' }],
    });
    const { revision } = created.json;
    const changed = await admin.call('PATCH', '/api/groups/pay', { revision, maxRunning: 9, reason: 'month end' });
    expect(changed.json).toMatchObject({ maxRunning: 9, maxPending: created.json.maxPending });
    const stale = await admin.call('PATCH', '/api/groups/pay', { revision, maxRunning: 1 });
    expect(stale.json).toMatchObject({
      status: 409,
      code: 'version_conflict',
      current: { maxRunning: 9, revision: changed.json.revision },
    });
    expect(world.app.get(GroupsService).byKey('pay')?.maxRunning).toBe(9);
    expect((await admin.call('PATCH', '/api/groups/pay', { revision, maxRunning: '9', colour: 1 })).json.errors).toMatchObject([
      { pointer: '/maxRunning', code: 'wrong_type' },
      { pointer: '/colour', code: 'unknown_field' },
    ]);
    const [entry] = (await admin.get('/api/audit?objectType=group&objectId=pay')).json.items;
    expect(entry).toMatchObject({
      action: 'group.changed',
      group: 'pay',
      reason: 'month end',
      before: { maxRunning: 7 },
      after: { maxRunning: 9 },
    });
  });

  it('holds and releases a group', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await admin.post('/api/groups/own/hold', { reason: 'maintenance', until })).json.hold).toEqual({
      reason: 'maintenance',
      until,
    });
    const group = world.app.get(GroupsService).byKey('own');
    expect(group && world.app.get(GroupsService).isHeld(group)).toBe(true);
    expect(
      (await admin.post('/api/groups/own/hold', { reason: 'x', until: '2020-01-01T00:00:00Z' })).json.errors[0].pointer,
    ).toBe('/until');
    expect((await admin.post('/api/groups/own/hold', {})).json.errors[0]).toMatchObject({ pointer: '/reason', code: 'required' });
    expect((await admin.post('/api/groups/own/release')).json.hold).toBeNull();
  });

  it('tells whose tasks a group holds, and who reaches it', async () => {
    const { root } = world.app.get(SqlDialect);
    const app = (await admin.post('/api/apps', { name: 'Sharing', defaultGroup: 'own' })).json;
    const wide = (await admin.post('/api/keys', { kind: 'partner', app: app.id, label: 'wide' })).json.key;
    const elsewhere = { kind: 'worker', groups: ['other'], label: 'elsewhere' };
    await admin.post('/api/keys', elsewhere);
    const here = (await admin.post('/api/keys', { kind: 'worker', groups: ['own', 'other'], label: 'here' })).json.key;
    const seeded = await seedTasks(world, 22, { app: (await world.app.get(AppsService).findByPublicId(app.id))?.id });
    const job = await admin.post('/api/jobs', { key: 'housed', group: 'own', handler: 'noop', schedule: { kind: 'manual' } });
    await admin.post('/api/groups/own/hold', { reason: 'to count' });
    await admin.post(`/api/jobs/${job.json.id}/trigger`);
    const count = (...states: string[]) => seeded.filter(({ group, state }) => group === 'own' && states.includes(state)).length;
    const shares = (await admin.get('/api/groups/own/shares')).json;
    expect(shares.items).toEqual([
      { app: { id: app.id, name: 'Sharing' }, running: count('RUNNING', 'DISPATCHED'), waiting: count('PENDING') },
      { app: null, running: 0, waiting: 1 },
    ]);
    expect(shares.running).toBeGreaterThan(0);
    expect(shares.waiting).toEqual({ count: count('PENDING') + 1, capped: false });
    const access = (await admin.get('/api/groups/own/access')).json;
    expect(access.partners).toContainEqual({
      id: app.id,
      name: 'Sharing',
      isDefault: true,
      keys: [{ accessKey: wide.accessKey, label: 'wide', active: true, scopes: wide.scopes }],
    });
    expect(access.workerKeys.map(({ accessKey }: { accessKey: string }) => accessKey)).toEqual([here.accessKey]);
    expect(access.members).toContainEqual({ username: 'admin', role: 'admin', everywhere: true, disabled: false });
    const member = await world.person(`member-${adapter}`, 'none', { own: 'operator' });
    expect((await member.get('/api/groups/own/access')).json).toEqual({ members: null, partners: null, workerKeys: null });
    expect((await admin.get('/api/groups/own/access')).json.members).toContainEqual({
      username: `member-${adapter}`,
      role: 'operator',
      everywhere: false,
      disabled: false,
    });
    await root.run('DELETE FROM tasks');
    await admin.post('/api/groups/own/release');
  });

  it('undoes nothing of an app or a key that somebody else changed since', async () => {
    const made = (await admin.post('/api/apps', { name: 'Stale', defaultGroup: 'own' })).json;
    const { accessKey, revision } = (await admin.post('/api/keys', { kind: 'partner', app: made.id, label: 'stale' })).json.key;
    for (const { path, was, first, second } of [
      {
        path: `/api/apps/${made.id}`,
        was: made.revision,
        first: { groups: ['own', 'other'] },
        second: { groups: ['own'], name: 'x' },
      },
      {
        path: `/api/keys/${accessKey}`,
        was: revision,
        first: { ipAllow: ['10.0.0.0/8'] },
        second: { ipAllow: null, label: 'x' },
      },
    ]) {
      const entries = async () => (await admin.get(`/api/audit?objectId=${path.split('/').at(-1)}`)).json.items.length;
      const changed = await admin.call('PATCH', path, { revision: was, ...first });
      expect([changed.status, changed.json.revision === was]).toEqual([200, false]);
      const logged = await entries();
      const stale = await admin.call('PATCH', path, { revision: was, ...second });
      expect(stale.json).toMatchObject({
        status: 409,
        code: 'version_conflict',
        current: { ...first, revision: changed.json.revision },
      });
      expect((await admin.get(path)).json).toMatchObject({ ...first, revision: changed.json.revision });
      expect(await entries()).toBe(logged);
      const both = [{ label: 'a' }, { label: 'b' }].map(({ label }) => (path.includes('apps') ? { name: label } : { label }));
      const now = changed.json.revision;
      const all = await Promise.all(both.map((body) => admin.call('PATCH', path, { revision: now, ...body })));
      expect(all.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    const read = (await admin.get(`/api/keys/${accessKey}`)).json.revision;
    await admin.post(`/api/keys/${accessKey}/disable`, {});
    expect((await admin.get(`/api/keys/${accessKey}`)).json.revision).toBe(read);
  });

  it('rotates a key: another with its rights, told once and logged, and the old one until the overlap ends', async () => {
    const app = (await admin.post('/api/apps', { name: 'Rotating', defaultGroup: 'own' })).json;
    const made = await admin.post('/api/keys', { kind: 'partner', app: app.id, label: 'r', scopes: ['tasks:read'] });
    const path = `/api/keys/${made.json.key.accessKey}`;
    const from = Date.now();
    const rotated = await admin.post(`${path}/rotate`, { overlapSeconds: 3_600, reason: 'yearly' });
    expect(rotated.status).toBe(201);
    expect(rotated.json.key).toMatchObject({ label: 'r', scopes: ['tasks:read'], state: 'active', expiresAt: null });
    const old = (await admin.get(path)).json;
    expect(old.state).toBe('active');
    expect(Date.parse(old.expiresAt) - from).toBeGreaterThan(3_500_000);
    for (const each of ['/api/keys', path, '/api/audit']) expect((await admin.get(each)).text).not.toContain(rotated.json.secret);
    const [entry] = (await admin.get(`/api/audit?objectId=${old.accessKey}`)).json.items;
    expect(entry).toMatchObject({ action: 'key.rotated', reason: 'yearly', before: { expiresAt: null } });
    expect((await admin.post(`${path}/rotate`, { overlapSeconds: -1 })).json.errors[0].pointer).toBe('/overlapSeconds');
    expect((await admin.post(`${path}/rotate`, {})).json).toMatchObject({ code: 'validation_failed' });
    await admin.post(`${path}/disable`, {});
    expect((await admin.post(`${path}/rotate`, {})).json).toMatchObject({
      ...{ status: 409, code: 'state_conflict', reason: 'key_not_rotated' },
    });
    expect((await admin.post('/api/keys/ak_live_0123456789abcdef0123/rotate', {})).status).toBe(404);
  });

  it('shows a secret once, and never lets an app have three active pairs', async () => {
    const app = (await admin.post('/api/apps', { name: 'Partner', defaultGroup: 'own' })).json;
    expect((await admin.post('/api/apps', { name: 'x', defaultGroup: 'nowhere' })).json.errors[0].pointer).toBe('/defaultGroup');
    const make = (label: string) => admin.post('/api/keys', { kind: 'partner', app: app.id, label });
    const first = await make('first');
    expect(first.status).toBe(201);
    const { secret, key } = first.json;
    expect(secret).toMatch(/.{20,}/);
    const second = (await make('second')).json.key;
    expect((await make('third')).json).toMatchObject({ code: 'validation_failed' });
    for (const path of ['/api/keys', `/api/keys/${key.accessKey}`, '/api/audit', '/api/apps'])
      expect((await admin.get(path)).text).not.toContain(secret);
    expect((await admin.post(`/api/keys/${key.accessKey}/disable`, { reason: 'rotated' })).json.state).toBe('disabled');
    const third = (await make('third')).json.key;
    expect((await admin.post(`/api/keys/${key.accessKey}/enable`)).json).toMatchObject({ code: 'validation_failed' });
    expect((await admin.call('DELETE', `/api/keys/${third.accessKey}`)).json).toMatchObject({ code: 'state_conflict' });
    expect((await admin.call('DELETE', `/api/keys/${key.accessKey}?reason=old`)).status).toBe(204);
    expect((await admin.get(`/api/keys/${key.accessKey}`)).status).toBe(404);
    expect(
      (await admin.get(`/api/keys?app=${app.id}&state=active`)).json.items.map(
        ({ accessKey }: { accessKey: string }) => accessKey,
      ),
    ).toEqual([third.accessKey, second.accessKey]);
    expect((await admin.get(`/api/apps/${app.id}`)).json).toMatchObject({ activeKeys: 2, groups: ['own'] });
  });

  it('changes what a key and its app may do, at once', async () => {
    const app = (await admin.post('/api/apps', { name: 'Second', defaultGroup: 'own' })).json;
    const { accessKey } = (await admin.post('/api/keys', { kind: 'partner', app: app.id, label: 'k' })).json.key;
    const keys = world.app.get(AccessKeysService);
    expect(await keys.find(accessKey)).toMatchObject({ caller: { groups: ['own'] } });
    const changed = await admin.call('PATCH', `/api/apps/${app.id}`, { groups: ['own', 'other'], limits: { tasksPerSecond: 5 } });
    expect(changed.json).toMatchObject({ groups: ['own', 'other'], limits: { tasksPerSecond: 5 } });
    expect(await keys.find(accessKey)).toMatchObject({ caller: { groups: ['own', 'other'], limits: { tasksPerSecond: 5 } } });
    const bound = await admin.call('PATCH', `/api/keys/${accessKey}`, { ipAllow: ['10.0.0.0/8'], scopes: ['tasks:read'] });
    expect(bound.json).toMatchObject({ ipAllow: ['10.0.0.0/8'], scopes: ['tasks:read'] });
    const loaded = await keys.find(accessKey);
    expect([loaded?.allowsIp('10.1.1.1'), loaded?.allowsIp('192.168.0.1')]).toEqual([true, false]);
    for (const none of ['10.0.0.0/99', '10.0.0.0/8/9'])
      expect((await admin.call('PATCH', `/api/keys/${accessKey}`, { ipAllow: [none] })).json.errors[0].pointer).toBe(
        '/ipAllow/0',
      );
    expect((await admin.call('PATCH', `/api/keys/${accessKey}`, { ipAllow: null })).json.ipAllow).toBeNull();
    const worker = await admin.post('/api/keys', { kind: 'worker', groups: ['own'], label: 'w' });
    expect(worker.json.key).toMatchObject({ kind: 'worker', groups: ['own'], app: null });
  });
});
