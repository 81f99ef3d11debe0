import { SqlDialect } from '../../../src/ports.js';
import { PASSWORD } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';

describe.each(ADAPTERS)('sessions of the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter, ['own', 'other'], { TRUSTED_PROXIES: '127.0.0.1' });
  }, 60_000);
  afterAll(() => world?.stop());

  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('signs in with a cookie that no script reads and no other site sends', async () => {
    const browser = world.browser();
    expect((await browser.get('/api/session')).status).toBe(401);
    const answer = await browser.post('/api/session', { username: 'admin', password: PASSWORD });
    expect(answer.json).toMatchObject({ username: 'admin', role: 'admin', grants: {} });
    expect(answer.json.permissions).toContain('users.manage');
    const cookie = answer.headers.get('set-cookie');
    expect(cookie).toMatch(/^evenkeel_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await browser.get('/api/session')).json.username).toBe('admin');
    const secure = await world
      .browser()
      .post('/api/session', { username: 'admin', password: PASSWORD }, { 'x-forwarded-proto': 'https' });
    expect(secure.headers.get('set-cookie')).toContain('; Secure');
  });

  it('keeps of the token only its hash', async () => {
    const browser = await world.signIn();
    const token = browser.cookie?.split('=')[1] as string;
    const rows = await world.app.get(SqlDialect).root.rows('SELECT * FROM sessions');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('ends with the sign-out, and when somebody revokes it', async () => {
    const browser = await world.signIn();
    const other = await world.signIn();
    const { items } = (await browser.get('/api/session/all')).json;
    const mine = items.filter(({ current }: { current: boolean }) => current);
    expect(mine).toHaveLength(1);
    const theirs = (await other.get('/api/session/all')).json.items.find(({ current }: { current: boolean }) => current);
    expect((await browser.call('DELETE', `/api/session/all/${theirs.id}`)).status).toBe(204);
    expect((await other.get('/api/session')).status).toBe(401);
    const kept = browser.cookie as string;
    expect((await browser.call('DELETE', '/api/session')).status).toBe(204);
    browser.cookie = kept;
    expect((await browser.get('/api/session')).json).toMatchObject({ status: 401, code: 'auth_missing' });
  });

  it('speaks of the session, not of a signature, to who is not signed in', async () => {
    const missing = (await world.browser().get('/api/session')).json;
    expect(missing).toMatchObject({ code: 'auth_missing', title: 'Nobody is signed in' });
    const [path, place] = missing.type.split('#');
    const page = await fetch(`${world.url}${path}`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain(`id="${place}"`);
    const partner = await (await fetch(`${world.url}/openapi/v1/me`)).json();
    expect(partner).toMatchObject({ code: 'auth_missing', title: 'A signature header is missing' });
    expect(partner.type).toMatch(/auth_missing$/);
  });

  it('says the same of an unknown name, a wrong password and a disabled user', async () => {
    const admin = await world.signIn();
    await world.person('gone', 'viewer');
    expect((await admin.call('PATCH', '/api/users/gone', { disabled: true })).status).toBe(200);
    const answers = [];
    for (const [username, password] of [
      ['nobody', PASSWORD],
      ['admin', 'wrong'],
      ['gone', PASSWORD],
    ])
      answers.push((await world.browser().post('/api/session', { username, password }, from('10.0.0.1'))).json);
    const title = 'The sign-in was refused';
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 401, code: 'auth_failed', title, detail: answers[0].detail });
  });

  it('slows down who guesses without locking anybody out', async () => {
    const guess = () => world.browser().post('/api/session', { username: 'admin', password: 'wrong guess' }, from('10.9.9.9'));
    const begunAt = performance.now();
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 50) statuses.push((await guess()).status);
    // Ten at once, and one more each ten seconds.
    const allowed = 10 + Math.ceil((performance.now() - begunAt) / 10_000);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.length).toBeLessThanOrEqual(allowed + 1);
    expect(Number((await guess()).headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = await world.browser().post('/api/session', { username: 'admin', password: PASSWORD }, from('10.8.8.8'));
    expect(elsewhere.status).toBe(200);
  }, 60_000);

  it('lets no other site change anything', async () => {
    const { cookie } = await world.signIn();
    const call = (headers: Record<string, string>) =>
      world
        .browser({ cookie: cookie as string, ...headers })
        .post('/api/session/password', { currentPassword: 'x', newPassword: 'y' });
    const refused = { status: 403, code: 'cross_site_request' };
    expect((await call({ 'sec-fetch-site': 'cross-site' })).json).toMatchObject(refused);
    expect((await call({ 'sec-fetch-site': 'same-site', origin: world.url })).json).toMatchObject(refused);
    expect((await call({ origin: 'https://evil.example' })).json).toMatchObject(refused);
    expect((await call({ origin: 'null' })).json).toMatchObject(refused);
    expect((await call({ origin: world.url })).json).toMatchObject({ status: 400 });
    const form = await world.browser({ cookie: cookie as string, origin: world.url }).post('/api/session/password', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(415);
    const signIn = world
      .browser({ 'sec-fetch-site': 'cross-site' })
      .post('/api/session', { username: 'admin', password: PASSWORD });
    expect((await signIn).json).toMatchObject(refused);
  });

  it('ends the other sessions when the password changes', async () => {
    const browser = await world.person('alice', 'viewer');
    const other = await world.signIn('alice');
    const wrong = await browser.post('/api/session/password', { currentPassword: 'no', newPassword: 'another password' });
    expect(wrong.json).toMatchObject({ errors: [{ pointer: '/currentPassword' }] });
    const changed = await browser.post('/api/session/password', { currentPassword: PASSWORD, newPassword: 'another password' });
    expect(changed.status).toBe(204);
    expect((await browser.get('/api/session')).status).toBe(200);
    expect((await other.get('/api/session')).status).toBe(401);
  });

  it('keeps an admin, and lets rights count at once', async () => {
    const admin = await world.signIn();
    expect((await admin.call('PATCH', '/api/users/admin', { role: 'viewer' })).json).toMatchObject({ code: 'state_conflict' });
    expect((await admin.call('PATCH', '/api/users/admin', { disabled: true })).status).toBe(409);
    expect((await admin.call('DELETE', '/api/users/admin')).status).toBe(409);
    const bob = await world.person('bob', 'none', { own: 'operator' });
    expect((await bob.get('/api/session')).json).toMatchObject({
      permissions: [],
      groupPermissions: { own: expect.arrayContaining(['tasks.cancel']) },
    });
    expect((await bob.get('/api/users')).json).toMatchObject({
      status: 403,
      code: 'permission_denied',
      permission: 'users.view',
    });
    const changed = await admin.call('PATCH', '/api/users/bob', { role: 'admin', grants: {}, reason: 'new duty' });
    expect(changed.json).toMatchObject({ role: 'admin', grants: {} });
    expect((await bob.get('/api/users')).status).toBe(200);
    expect((await admin.call('PATCH', '/api/users/bob', { grants: { nowhere: 'viewer' } })).json).toMatchObject({
      errors: [{ pointer: '/grants/nowhere' }],
    });
    const [entry] = (await admin.get('/api/audit?action=user.changed&objectId=bob')).json.items;
    expect(entry).toMatchObject({
      id: changed.headers.get('audit-id'),
      actor: 'user:admin',
      reason: 'new duty',
      before: { role: 'none', grants: { own: 'operator' } },
      after: { role: 'admin', grants: {} },
    });
    expect((await admin.call('DELETE', '/api/users/bob')).status).toBe(204);
    expect((await bob.get('/api/session')).status).toBe(401);
  });

  it('undoes nothing that another admin changed since', async () => {
    const admin = await world.signIn();
    await world.person('erin', 'none', { own: 'operator' });
    const read = (await admin.get('/api/users/erin')).json;
    const change = (revision: string, body: object) => admin.call('PATCH', '/api/users/erin', { revision, ...body });
    const shut = (await change(read.revision, { disabled: true })).json;
    expect(shut).toMatchObject({ disabled: true, grants: { own: 'operator' } });
    const stale = await change(read.revision, { disabled: false, grants: { own: 'operator', other: 'viewer' } });
    expect(stale.json).toMatchObject({
      status: 409,
      code: 'version_conflict',
      current: { disabled: true, revision: shut.revision },
    });
    expect((await admin.get('/api/users/erin')).json).toMatchObject({ disabled: true, grants: { own: 'operator' } });
    expect((await change(shut.revision, { disabled: false })).json).toMatchObject({ disabled: false, revision: read.revision });
  });

  it('keeps no password in the audit log, and exports it line by line', async () => {
    // From where nobody else signed in: there are few tries of one name from one address.
    const admin = world.browser();
    await admin.post('/api/session', { username: 'admin', password: PASSWORD }, from('10.7.7.7'));
    await admin.post('/api/users', { username: 'carol', password: 'a very secret word', role: 'viewer' });
    const { text, headers } = await admin.get('/api/audit/export?actor=user:admin');
    expect(headers.get('content-type')).toContain('ndjson');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['audit.exported', 'user.created', 'session.opened']),
    );
    expect(text).not.toContain('a very secret word');
    expect(text).not.toContain(PASSWORD);
    const pages = [];
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = (await admin.get(`/api/audit?limit=2&objectType=user${cursor}`)).json;
      pages.push(...items.map(({ id }: { id: string }) => id));
      if (!nextCursor) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages).toEqual([...pages].sort().reverse());
  });
});
