import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { NestFactory } from '@nestjs/core';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { command } from '../support/command.js';
import { Installation } from '../support/installation.js';
import { ScriptedWorker } from '../support/scripted-worker.js';
import { ADAPTERS } from '../support/services.js';
import { BodyText, signedRequest } from '../support/signed-request.js';
import { untilTask } from '../support/tasks.js';
import { becomes, waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('what workers tell a node (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  let worker: ScriptedWorker;
  let strangersKey: { accessKey: string; secret: string };

  beforeAll(async () => {
    installation = await Installation.create(adapter, ['mine', 'theirs']);
    await installation.startNode('n1');
    client = installation.client();
    const context = await NestFactory.createApplicationContext(AdminModule.forRoot(installation.database.config), {
      logger: false,
    });
    strangersKey = await context.get(AccessKeysService).create({ kind: 'worker', groups: ['theirs'], label: 'test' });
    await context.close();
    worker = await ScriptedWorker.register(installation, { id: 'w1', groups: ['mine'] });
  }, 120_000);
  afterAll(async () => {
    await worker?.vanish();
    await installation?.remove();
  });

  const submit = async (more: object = {}) => (await client.submit('noop', null, { group: 'mine', timeoutMs: 0, ...more })).id;
  const taken = async (more: object = {}) => {
    const id = await submit(more);
    await waitFor('it is ordered', () => worker.running.has(id));
    return id;
  };
  const row = async () => {
    const { dialect } = await installation.look();
    const [found] = await dialect.root.rows<{ last_refused_json: string | null; figures_json: string; worker_state: string }>(
      "SELECT last_refused_json, figures_json, worker_state FROM workers WHERE worker_id = 'w1'",
    );
    return found;
  };
  const partner = (target: string) =>
    signedRequest(installation.nodes[0]?.url as string, installation.appKey, 'GET', `/openapi/v1${target}`);

  it('a beat with a time as text is refused, the field named and kept for people to see, and its worker stays online', async () => {
    const beat = { ...worker.beatBody(), sentAt: '2026-01-01T00:00:00Z' };
    const { status, body } = await worker.tell('heartbeat', beat);
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'validation_failed', '/sentAt']);
    await waitFor('it is on record', async () => (await row())?.last_refused_json?.includes('/sentAt'));
    expect((await row())?.worker_state).toBe('ready');
    await worker.end(await taken());
  });

  it.each([
    ['with NaN in it', (body: string) => body.replace('"avgCostMs":0', '"avgCostMs":NaN')],
    ['cut short', (body: string) => body.slice(0, -1)],
    [
      'nested too deep',
      (body: string) => body.replace('"attempts":[', `"later":${'['.repeat(40)}${']'.repeat(40)},"attempts":[`),
    ],
  ])('a beat %s cannot be read, is kept for people to see, and its worker stays online', async (_, spoil) => {
    const heardAt = async () => {
      const { dialect } = await installation.look();
      const [row] = await dialect.root.rows<{ last_beat_at: number }>(
        "SELECT last_beat_at FROM workers WHERE worker_id = 'mute'",
      );
      return Number(row?.last_beat_at);
    };
    const mute = await ScriptedWorker.register(installation, { id: 'mute', groups: ['mine'], handlers: [{ name: 'mute' }] });
    await mute.vanish();
    const text = spoil(JSON.stringify(mute.beatBody()));
    const before = await heardAt();
    const { status, body } = await mute.tell('heartbeat', new BodyText(text));
    expect([status, body.code]).toEqual([400, 'invalid_json']);
    const { dialect } = await installation.look();
    const kept = async () => {
      const [row] = await dialect.root.rows<{ last_refused_json: string; worker_state: string }>(
        "SELECT last_refused_json, worker_state FROM workers WHERE worker_id = 'mute'",
      );
      return [row?.worker_state, JSON.parse(row?.last_refused_json ?? '{}').errors];
    };
    await becomes(kept, ['ready', [expect.objectContaining({ code: 'invalid_json', message: body.detail })]]);
    await waitFor('it is heard', async () => {
      await mute.tell('heartbeat', new BodyText(text));
      return (await heardAt()) > before;
    });
    expect((await mute.tell('heartbeat', new BodyText(text), strangersKey)).status).toBe(404);
    expect((await mute.tell('heartbeat', new BodyText('{"workerId":"nobody"'))).body.code).toBe('invalid_json');
    expect((await mute.tell('results', new BodyText(text))).body.code).toBe('invalid_json');
    await mute.leave();
  });

  it.each([600_000, -600_000])('a worker whose clock is %i ms off is shown with it and given work', async (skew) => {
    worker.beats = { sentAt: Date.now() + skew };
    await waitFor('its skew is on record', async () => {
      const { skewMs } = JSON.parse((await row())?.figures_json ?? '{}') as { skewMs?: number };
      return skewMs !== undefined && Math.abs(skewMs - skew) < 30_000;
    });
    const id = await taken();
    await worker.end(id);
    expect(await client.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    worker.beats = {};
  });

  it('logs are readable while the attempt runs, and progress is shown', async () => {
    const id = await taken();
    const { lease } = worker.running.get(id) as { lease: number };
    const line = (seq: number) => ({ taskId: id, lease, attempt: 1, seq, at: Date.now(), level: 'info', message: `line ${seq}` });
    expect((await worker.tell('logs', { ...worker.identity, lines: [line(1), line(2)] })).body).toEqual({ refused: [] });
    worker.say(id, { progress: 0.5 });
    const first = await client.logs(id, { limit: 1 });
    expect(first.items).toMatchObject([{ attempt: 1, seq: 1, level: 'info', message: 'line 1' }]);
    await worker.tell('logs', { ...worker.identity, lines: [line(2), line(3)] });
    const rest = (await partner(`/tasks/${id}/logs?wait=5&cursor=${first.nextCursor}`)).body;
    expect(rest.items.map(({ message }: { message: string }) => message)).toEqual(['line 2', 'line 3']);
    expect(rest.nextCursor).not.toBeNull();
    await waitFor('its progress is shown', async () => (await client.get(id)).progress === 0.5);
    await worker.end(id);
    await untilTask(client, id, 'SUCCEEDED');
    expect((await partner(`/tasks/${id}/logs?cursor=${rest.nextCursor}`)).body).toEqual({ items: [], nextCursor: null });
    expect((await partner(`/tasks/${id}/logs?cursor=nonsense`)).status).toBe(400);
    expect((await partner('/tasks/task_01JGEXAMPLE0000000000000000/logs')).body.code).toBe('task_not_found');
  });

  it('a checkpoint survives the crash of its worker and comes with the next attempt', async () => {
    const id = await taken();
    worker.say(id, { checkpoint: { page: 7 } });
    await worker.beat();
    await worker.restart();
    const again = await waitFor('it is ordered again', () => worker.ordersOf(id)[1]);
    expect(again).toMatchObject({ attempt: 2, checkpoint: { page: 7 }, group: 'mine' });
    await worker.end(id);
    expect(await client.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  });

  it('bad words about results get a clear answer each and change nothing', async () => {
    const id = await taken();
    await untilTask(client, id, 'RUNNING');
    const { lease } = worker.running.get(id) as { lease: number };
    const at = { startedAt: Date.now(), endedAt: Date.now() };
    const send = (results: unknown[]) => worker.tell('results', { ...worker.identity, results });
    const wrong = await send([{ taskId: id, lease: 'two', outcome: 'succeeded', ...at }]);
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/results/0/lease']);
    // A client that is still writing may find the connection closed before it can read why.
    const large = [{ taskId: id, lease, outcome: 'succeeded', result: 'x'.repeat(5 * 1024 * 1024), ...at }];
    expect(
      await send(large).then(
        ({ status }) => status,
        () => 'cut',
      ),
    ).not.toBe(200);
    const nul = await send([{ taskId: `a\0b`, lease, outcome: 'succeeded', ...at }]);
    expect([nul.status, nul.body.errors[0].pointer]).toEqual([400, '/results/0/taskId']);
    const unknown = { taskId: 'task_01JGEXAMPLE0000000000000000', lease, outcome: 'succeeded', ...at };
    expect((await send([unknown])).body.acks).toMatchObject([{ verdict: 'unknown' }]);
    expect(await client.get(id)).toMatchObject({ status: 'RUNNING' });
    expect((await send([{ taskId: id, lease, outcome: 'succeeded', result: 'a\0b', ...at }])).body.acks).toMatchObject([
      { verdict: 'applied' },
    ]);
    expect((await send([{ taskId: id, lease, outcome: 'succeeded', result: 'a\0b', ...at }])).body.acks).toMatchObject([
      { verdict: 'duplicate' },
    ]);
    worker.running.delete(id);
    expect(await client.get(id)).toMatchObject({ status: 'SUCCEEDED', result: 'a\0b' });
  });

  it('numbers of results and checkpoints keep the digits their worker wrote', async () => {
    const exact = '{"id":9007199254740993,"price":1.10}';
    const id = await taken();
    const { lease } = worker.running.get(id) as { lease: number };
    const held = async (sql: string) => {
      const { dialect } = await installation.look();
      const [row] = await dialect.root.rows<{ text: string }>(sql, [id]);
      return row?.text;
    };
    worker.say(id, { checkpoint: 'EXACT' });
    const beat = JSON.stringify(worker.beatBody()).replace('"EXACT"', exact);
    worker.say(id, { checkpoint: undefined });
    expect((await worker.tell('heartbeat', new BodyText(beat))).status).toBe(200);
    expect(await held('SELECT checkpoint_json AS text FROM task_checkpoints WHERE task_id = ?')).toBe(exact);
    const at = `"startedAt":${Date.now()},"endedAt":${Date.now()}`;
    const result = `{"taskId":"${id}","lease":${lease},"outcome":"succeeded",${at},"result":${exact},"resultText":"1"}`;
    const other = result.replace(id, 'task_01JGEXAMPLE0000000000000000').replace('"result"', '"left"');
    const { workerId, incarnation } = worker.identity;
    const results = `{"workerId":"${workerId}","incarnation":"${incarnation}","results":[${other}, ${result}]}`;
    expect((await worker.tell('results', new BodyText(results))).body.acks).toMatchObject([
      { verdict: 'unknown' },
      { verdict: 'applied' },
    ]);
    worker.running.delete(id);
    expect(await held('SELECT result AS text FROM tasks WHERE id = ?')).toBe(exact);
  });

  it('logs are read by a command, which goes on with what comes until the task has ended', async () => {
    const { url } = installation.nodes[0] as { url: string };
    const { accessKey, secret } = installation.appKey;
    const env = { EVENKEEL_URL: url, EVENKEEL_ACCESS_KEY: accessKey, EVENKEEL_SECRET_KEY: secret };
    const id = await taken();
    const { lease } = worker.running.get(id) as { lease: number };
    const tell = async (seq: number, message: string, fields?: object) =>
      worker.tell('logs', {
        ...worker.identity,
        lines: [{ taskId: id, lease, attempt: 1, seq, at: Date.now(), level: 'warn', message, fields }],
      });
    await tell(1, 'red \u001b[31m', { n: 1 });
    const now = await command(['tasks', 'logs', id], env);
    expect([now.code, now.stdout]).toEqual([0, expect.stringMatching(/Z {2}warn {3}#1 {2}red \ufffd\[31m {2}\{"n":1\}\n$/)]);
    const following = command(['tasks', 'logs', id, '--follow', '--json'], env);
    await tell(2, 'second');
    await worker.end(id);
    const { code, stdout } = await following;
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.map((line) => JSON.parse(line).seq)]).toEqual([0, [1, 2]]);
    const none = await command(['tasks', 'logs', 'task_01JGEXAMPLE0000000000000000'], env);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('task_not_found')]);
  });

  it('a worker that has left is offline to the command that lists workers, as it is to the console', async () => {
    const leaving = await ScriptedWorker.register(installation, { id: 'leaving', groups: ['mine'], handlers: [{ name: 'x' }] });
    const listed = async () => {
      const { code, stdout } = await command(['workers', 'list', '--json'], installation.database.env);
      expect(code).toBe(0);
      const all = JSON.parse(stdout) as { id: string; state: string }[];
      return all.filter(({ id }) => id === 'leaving').map(({ state }) => state);
    };
    expect(await listed()).toEqual(['online']);
    await leaving.leave();
    expect(await listed()).toEqual(['offline']);
  });

  it('of an error only so much is kept, however long its worker makes it', async () => {
    const id = await taken({ retry: { kind: 'none' } });
    const error = { name: 'E'.repeat(1_000), message: `${'m'.repeat(4_095)}\u{1f600}`, stack: 's'.repeat(300_000) };
    await worker.end(id, { outcome: 'failed', error });
    await untilTask(client, id, 'FAILED');
    expect((await client.get(id)).error).toEqual({
      name: 'E'.repeat(128),
      message: `${'m'.repeat(4_095)}\ufffd`,
      stack: 's'.repeat(16_384),
    });
  });

  it('a key of another group cannot touch them, neither in the worker’s name nor in that of its own worker', async () => {
    const id = await taken();
    const { lease } = worker.running.get(id) as { lease: number };
    const stranger = await ScriptedWorker.register(installation, { id: 'w2', groups: ['theirs'], key: strangersKey });
    const at = { startedAt: Date.now(), endedAt: Date.now() };
    const results = [{ taskId: id, lease, outcome: 'failed', error: { name: 'Error', message: 'sabotage' }, ...at }];
    const lines = [{ taskId: id, lease, attempt: 1, seq: 1, at: Date.now(), level: 'info', message: 'sabotage' }];
    for (const [route, body] of [
      ['results', { ...worker.identity, results }],
      ['logs', { ...worker.identity, lines }],
      ['heartbeat', worker.beatBody()],
      ['deregister', worker.identity],
    ] as const)
      expect((await worker.tell(route, body, strangersKey)).status).toBe(404);
    expect((await stranger.tell('results', { ...stranger.identity, results })).body.acks).toMatchObject([{ verdict: 'unknown' }]);
    expect((await stranger.tell('logs', { ...stranger.identity, lines })).body.refused).toMatchObject([{ reason: 'unknown' }]);
    stranger.running.set(id, { taskId: id, lease, phase: 'running', progress: 0.9, checkpoint: 'sabotage' });
    await stranger.beat();
    const register = {
      ...stranger.identity,
      workerId: 'w3',
      groups: ['mine'],
      urls: ['http://127.0.0.1:9'],
      handlers: [],
      slots: 1,
      sdk: 'x',
      unreported: [],
    };
    expect((await stranger.tell('register', register)).body.code).toBe('insufficient_scope');
    expect((await stranger.tell('register', { ...register, workerId: 'w1', groups: ['theirs'] })).body.code).toBe(
      'worker_id_in_use',
    );
    await stranger.leave();
    expect(await client.get(id)).toMatchObject({ status: 'RUNNING', progress: null, attempt: 1 });
    expect((await partner(`/tasks/${id}/logs`)).body.items).toEqual([]);
    await worker.end(id);
    await untilTask(client, id, 'SUCCEEDED');
  });

  it('what a worker of another group says of an attempt does not stand in the way of what its own worker says', async () => {
    const id = await taken();
    const { lease } = worker.running.get(id) as { lease: number };
    const stranger = await ScriptedWorker.register(installation, { id: 'w4', groups: ['theirs'], key: strangersKey });
    const said = { progress: 0.9, checkpoint: { page: 9 } };
    const beat = (phase: 'running') => ({ ...stranger.beatBody(), attempts: [{ taskId: id, lease, phase, ...said }] });
    expect((await stranger.tell('heartbeat', beat('running'))).status).toBe(200);
    worker.say(id, said);
    await Promise.all([worker.beat(), stranger.tell('heartbeat', beat('running'))]);
    await waitFor('its progress is shown', async () => (await client.get(id)).progress === 0.9);
    await stranger.leave();
    await worker.restart();
    const again = await waitFor('it is ordered again', () => worker.ordersOf(id)[1]);
    expect(again).toMatchObject({ attempt: 2, checkpoint: { page: 9 } });
    await worker.end(id);
    await untilTask(client, id, 'SUCCEEDED');
  });

  it.each([
    ['that no partition can have', Number.MAX_SAFE_INTEGER],
    ['the last of a 32-bit number', 2 ** 31 - 1],
  ])('a worker that claims to have seen an epoch %s holds up nobody but itself', async (_, seenEpoch) => {
    const epochs = async () => {
      const { dialect } = await installation.look();
      const rows = await dialect.root.rows<{ epoch: number }>('SELECT epoch FROM partitions');
      return rows.map(({ epoch }) => Number(epoch));
    };
    let asked = 0;
    const liar = await ScriptedWorker.register(installation, {
      id: 'liar',
      groups: ['mine'],
      handlers: [{ name: 'lied-about' }],
      refuses: () => (++asked <= 2 ? { outcome: 'stale_epoch', seenEpoch } : undefined),
    });
    const { id } = await client.submit('lied-about', null, { group: 'mine', timeoutMs: 0 });
    await waitFor('it is asked again', () => liar.running.has(id));
    expect(Math.max(...(await epochs()))).toBeLessThan(1_000_000);
    await worker.end(await taken());
    await liar.end(id);
    await untilTask(client, id, 'SUCCEEDED');
    await liar.leave();
  });
});
