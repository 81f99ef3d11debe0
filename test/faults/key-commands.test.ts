import { randomBytes } from 'node:crypto';
import { command } from '../support/command.js';
import { Installation } from '../support/installation.js';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor } from '../support/wait-for.js';

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
    const told = process.output.filter((line) => line.includes('"kek":"added"'));
    expect(told).toHaveLength(1);
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
