import { command } from '../support/command.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';

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
