import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../support/command.js';
import { Installation } from '../support/installation.js';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { becomes, waitFor } from '../support/wait-for.js';

interface Entry {
  action: string;
  object: string;
  actor: string;
  stateBefore: string | null;
  stateAfter: string | null;
}

describe.each(ADAPTERS)('commands for keys (%s)', (adapter) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.create(adapter);
  }, 120_000);
  afterAll(() => installation?.remove());

  it('log every act on a key as the console does, and no secret', async () => {
    const keys = async (...args: string[]) => {
      const { code, stdout, stderr } = await command(['keys', ...args, '--json'], installation.database.env);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout);
    };
    const first = await keys('create', '--app', 'logged', '--label', 'old');
    await keys('change', first.accessKey, '--label', 'new');
    const second = await keys('rotate', first.accessKey);
    for (const action of ['disable', 'enable', 'disable', 'delete']) await keys(action, first.accessKey);
    const worker = await keys('create', '--worker');

    const { dialect } = await installation.look();
    const entries = await dialect.root.rows<Entry>(
      `SELECT action, object_id AS object, actor, before_json AS stateBefore, after_json AS stateAfter FROM audit_log
       WHERE object_type = 'key' ORDER BY id`,
    );
    const told = entries.map(({ action, object, actor, stateBefore, stateAfter }) => {
      const of = (text: string | null) => text && { state: JSON.parse(text).state, label: JSON.parse(text).label };
      return [actor, action, object, of(stateBefore), of(stateAfter)];
    });
    const of = (state: string, label: string) => ({ state, label });
    expect(told).toEqual([
      ['command', 'key.created', first.accessKey, null, of('active', 'old')],
      ['command', 'key.changed', first.accessKey, of('active', 'old'), of('active', 'new')],
      ['command', 'key.rotated', second.accessKey, null, of('active', 'new')],
      ['command', 'key.disabled', first.accessKey, of('active', 'new'), of('disabled', 'new')],
      ['command', 'key.enabled', first.accessKey, of('disabled', 'new'), of('active', 'new')],
      ['command', 'key.disabled', first.accessKey, of('active', 'new'), of('disabled', 'new')],
      ['command', 'key.deleted', first.accessKey, of('disabled', 'new'), null],
      ['command', 'key.created', worker.accessKey, null, of('active', 'worker')],
    ]);
    const kept = JSON.stringify(entries);
    for (const { secret } of [first, second, worker]) expect(kept.includes(secret)).toBe(false);
  }, 180_000);
});

/** What the log says of an act: by whom, which, on what, and how that was before and after. */
type Told = [actor: string, action: string, object: string, before: unknown, after: unknown];

describe.each(ADAPTERS)('commands that change the installation (%s)', (adapter) => {
  let installation: Installation;
  let seen = 0;
  beforeAll(async () => {
    installation = await Installation.create(adapter);
  }, 120_000);
  afterAll(() => installation?.remove());

  const run = async (args: string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await command(args, { ...installation.database.env, ...env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  /** Since it was asked last; of the actor kind `command` alone. */
  const logged = async (): Promise<Told[]> => {
    const { dialect } = await installation.look();
    const rows = await dialect.root.rows<Record<string, string | null>>(
      "SELECT actor, action, object_id, before_json, after_json FROM audit_log WHERE actor_kind = 'command' ORDER BY id",
    );
    const told = rows.map(({ actor, action, object_id, before_json, after_json }): Told => {
      const [before, after] = [before_json, after_json].map((text) => JSON.parse(text as string) as unknown);
      return [actor as string, action as string, object_id as string, before, after];
    });
    const fresh = told.slice(seen);
    seen = told.length;
    return fresh;
  };
  const having = (members: object) => expect.objectContaining(members);

  it('log what becomes of groups and of routing', async () => {
    await run(['groups', 'create', 'made', '--max-running', '3']);
    await run(['groups', 'set', 'made', '--max-running', '4']);
    await run(['groups', 'set', 'new', '--max-running', '5']);
    await run(['groups', 'hold', 'made', '--reason', 'disk']);
    await run(['groups', 'release', 'made']);
    await run(['groups', 'archive', 'made', '--reason', 'old']);
    await run(['groups', 'unarchive', 'made']);
    await run(['routing', 'set', 'random', '--group', 'made']);
    // Nothing is changed by these.
    await run(['groups', 'set', 'made', '--max-running', '4']);
    await run(['groups', 'release', 'made']);
    await run(['routing', 'set', 'random']);
    expect(await logged()).toEqual([
      ['command', 'group.created', 'made', null, having({ maxRunning: 3 })],
      ['command', 'group.changed', 'made', having({ maxRunning: 3 }), having({ maxRunning: 4 })],
      ['command', 'group.created', 'new', null, having({ maxRunning: 5 })],
      ['command', 'group.held', 'made', having({ held: false }), having({ held: true, holdReason: 'disk' })],
      ['command', 'group.released', 'made', having({ held: true }), having({ held: false })],
      ['command', 'group.archived', 'made', having({ archivedAt: null }), having({ archivedAt: expect.any(String) })],
      ['command', 'group.unarchived', 'made', having({ archivedAt: expect.any(String) }), having({ archivedAt: null })],
      ['command', 'group.changed', 'made', having({ routing: null }), having({ routing: 'random' })],
      ['command', 'settings.routing_changed', 'routing', { routing: 'equal_cost' }, { routing: 'random' }],
    ]);
  }, 180_000);

  it('log which users they make and whose password they set, and no password', async () => {
    const shown = await run(['users', 'create', 'mei', '--role', 'operator', '--generate']);
    await run(['users', 'set-password', 'mei', '--generate']);
    const told = await logged();
    expect(told).toEqual([
      ['command', 'user.created', 'mei', null, { role: 'operator', grants: {}, disabled: false }],
      ['command', 'user.password_set', 'mei', null, null],
    ]);
    expect(JSON.stringify(told)).not.toContain(/password: (\S+)/.exec(shown)?.[1] as string);
  }, 180_000);

  it('log the group and the app that are made with a key', async () => {
    const { accessKey, app } = JSON.parse(await run(['keys', 'create', '--app', 'partner', '--group', 'theirs', '--json']));
    await run(['keys', 'create', '--app', 'partner', '--group', 'theirs', '--json']);
    expect((await logged()).map(([actor, action, object]) => [actor, action, object]).slice(0, 3)).toEqual([
      ['command', 'group.created', 'theirs'],
      ['command', 'app.created', app],
      ['command', 'key.created', accessKey],
    ]);
    expect(await logged()).toEqual([]);
  }, 180_000);

  it('log whose secrets they wrap with another key, and nothing where there is nothing to wrap', async () => {
    const env = withAddedKek(installation);
    await run(['keys', 'rewrap'], env);
    const told = await logged();
    expect(told.map(([actor, action, object, before]) => [actor, action, object, before])).toEqual(
      told.map(() => ['command', 'settings.secrets_rewrapped', 'key_encryption', null]),
    );
    const after = told.map(([, , , , each]) => each as { kek: string; owners: string[] });
    expect(new Set(after.map(({ kek }) => kek))).toEqual(new Set(['added']));
    const { appKey, workerKey, appId } = installation;
    expect(after.flatMap(({ owners }) => owners)).toEqual(
      expect.arrayContaining([appKey.accessKey, workerKey.accessKey, `callbacks of app ${appId}`]),
    );
    expect(JSON.stringify(told)).not.toContain(JSON.parse(env.EK_KEKS).added);
    await run(['keys', 'rewrap'], env);
    expect(await logged()).toEqual([]);
  }, 180_000);

  it('change nothing that they cannot log', async () => {
    const { root } = (await installation.look()).dialect;
    const state = async () => [
      await root.rows('SELECT group_key, max_running, version FROM task_groups ORDER BY id'),
      await root.rows('SELECT username, password_hash FROM users ORDER BY id'),
      await root.rows('SELECT app_name FROM apps ORDER BY id'),
      await root.rows('SELECT secret_box FROM access_keys ORDER BY id'),
      await root.rows('SELECT secrets_json FROM callback_apps ORDER BY app_id'),
    ];
    const before = await state();
    await root.run('ALTER TABLE audit_log RENAME TO audit_log_away');
    const codes: number[] = [];
    for (const [args, env] of [
      [['groups', 'set', 'made', '--max-running', '77'], {}],
      [['groups', 'set', 'never', '--max-running', '77'], {}],
      [['users', 'create', 'never', '--generate'], {}],
      [['users', 'set-password', 'mei', '--generate'], {}],
      [['keys', 'create', '--app', 'never', '--group', 'made'], {}],
      [['keys', 'rewrap'], withAddedKek(installation, 'another')],
    ] as [string[], Record<string, string>][])
      codes.push((await command(args, { ...installation.database.env, ...env })).code);
    await root.run('ALTER TABLE audit_log_away RENAME TO audit_log');
    expect(codes).toEqual(codes.map(() => 1));
    expect(await state()).toEqual(before);
  }, 180_000);
});

/** What the installation's keys are with another one that wraps what is written from then on. */
function withAddedKek({ database: { env } }: Installation, id = 'added') {
  const kept = env.EK_KEKS ?? JSON.stringify(JSON.parse(readFileSync(join(env.DATA_DIR as string, 'kek.json'), 'utf8')).keys);
  const added = randomBytes(32).toString('base64');
  return { EK_KEKS: JSON.stringify({ ...JSON.parse(kept), [id]: added }), EK_KEK_CURRENT: id };
}

describe('a node without the key that wraps a secret (cluster)', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.create('cluster');
  }, 120_000);
  afterAll(() => installation?.remove());

  it('asks to try again, and says in its log which key it lacks', async () => {
    const { env } = installation.database;
    const added = randomBytes(32).toString('base64');
    const keks = { ...JSON.parse(env.EK_KEKS as string), added };
    const { url, process } = await installation.startNode('n1');
    const both = { ...env, EK_KEKS: JSON.stringify(keks), EK_KEK_CURRENT: 'added' };
    const rewrapped = await command(['keys', 'rewrap'], both);
    expect(rewrapped).toMatchObject({ code: 0, stdout: expect.stringContaining('Every node needs added in its EK_KEKS') });
    for (let i = 0; i < 2; i++) {
      const answer = await signedRequest(url, installation.appKey, 'GET', '/openapi/v1/me');
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable', retryable: true } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await becomes(() => process.output.filter((line) => line.includes('"kek":"added"')).length, 1);
    expect(process.output.some((line) => line.includes(added))).toBe(false);
    const { url: second } = await installation.startNode('n2', both);
    expect((await signedRequest(second, installation.appKey, 'GET', '/openapi/v1/me')).status).toBe(200);
  }, 180_000);
});

describe('a node without the key that wraps a secret of callbacks (cluster)', () => {
  let installation: Installation;
  let receiver: Receiver;
  beforeAll(async () => {
    installation = await Installation.create('cluster');
    receiver = await Receiver.listen();
  }, 120_000);
  afterAll(async () => {
    await receiver?.close();
    await installation?.remove();
  });

  it('says once in its log which key it lacks and what to do; a node that has it sends the callback', async () => {
    const { env } = installation.database;
    const added = randomBytes(32).toString('base64');
    const both = {
      ...{ ...env, ...LOOPBACK_CALLBACKS },
      ...{ EK_KEKS: JSON.stringify({ ...JSON.parse(env.EK_KEKS as string), added }), EK_KEK_CURRENT: 'added' },
    };
    const { url, process } = await installation.startNode('n1', LOOPBACK_CALLBACKS);
    await installation.startWorker({ id: 'w1' });
    const ask = (method: 'GET' | 'POST', target: string, body?: unknown) =>
      signedRequest(url, installation.appKey, method, `/openapi/v1${target}`, body);
    const app = (await ask('GET', '/me')).body.app.id as string;
    expect(await command(['callbacks', 'rotate-secret', app, '--grace', '0'], both)).toMatchObject({ code: 0 });
    const ids: string[] = [];
    for (let i = 0; i < 2; i++)
      ids.push((await ask('POST', '/tasks', { handler: 'echo', callbackUrl: receiver.url(`/${i}`) })).body.id);
    const { dialect } = await installation.look();
    await waitFor('both callbacks are held by an attempt that came to nothing', async () => {
      const held = await dialect.root.rows('SELECT id FROM webhook_sends WHERE lease IS NOT NULL');
      return held.length === ids.length && process.output.some((line) => line.includes('"kek":"added"'));
    });
    expect(await process.stop()).toBe(0);
    const told = process.output.filter((line) => line.includes('"kek":"added"'));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] as string)).toMatchObject({ level: 'error', next: expect.stringContaining('EK_KEKS') });
    expect(process.output.some((line) => line.includes(added))).toBe(false);
    expect(receiver.received).toEqual([]);
    await installation.startNode('n2', both);
    await waitFor('the other node sends them', () => ids.every((id) => receiver.ofTask(id).length > 0), 90_000);
  }, 180_000);
});
