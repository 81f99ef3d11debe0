import { randomBytes } from 'node:crypto';
import { command } from '../support/command.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { becomes } from '../support/wait-for.js';

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
    await becomes(() => process.output.filter((line) => line.includes('"kek":"added"')).length, 1);
    expect(process.output.some((line) => line.includes(added))).toBe(false);
    const { url: second } = await installation.startNode('n2', both);
    expect((await signedRequest(second, installation.appKey, 'GET', '/openapi/v1/me')).status).toBe(200);
  }, 180_000);
});
