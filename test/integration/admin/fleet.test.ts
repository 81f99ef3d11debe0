import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import { WorkerRollupWriter } from '../../../src/admin/rollups/worker-rollup-writer.js';
import { Clock } from '../../../src/platform/clock.js';
import { SqlDialect } from '../../../src/ports.js';
import { WorkersService } from '../../../src/registry/workers.service.js';
import { equipped } from '../../browser/support/equipped.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ScriptedWorker } from '../../support/scripted-worker.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';

const GROUPS = ['own', 'aside', 'still', 'uneven', 'leaving'];

describe.each(ADAPTERS)('the fleet in the hands of operators (%s)', (adapter) => {
  let world: ConsoleWorld;
  let second: ConsoleWorld | undefined;
  let admin: Browser;
  let client: EvenkeelClient;
  let workerKey: { accessKey: string; secret: string };
  const workers: ScriptedWorker[] = [];
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter, []);
    admin = await world.signIn();
    const { app, worker } = await equipped(admin, GROUPS);
    workerKey = worker;
    client = createClient({ url: world.url, accessKey: app.accessKey, secretKey: app.secret, retryForMs: 10_000 });
  }, 120_000);
  afterAll(async () => {
    client?.close();
    for (const worker of workers) await worker.vanish();
    await second?.stop();
    await world?.stop();
  });

  async function worker(id: string, group: string): Promise<ScriptedWorker> {
    const made = await ScriptedWorker.register({ groups: [group], workerKey, nodes: [world] }, { id });
    workers.push(made);
    return made;
  }
  const known = (id: string) => workers.find(({ script }) => script.id === id) as ScriptedWorker;
  const submit = async (group: string): Promise<string> => (await client.submit('noop', {}, { group })).id;
  const read = async (path: string) => (await admin.get(`/api/${path}`)).json;
  const started = (id: string, on: ScriptedWorker) => waitFor('it runs there', () => on.running.has(id));
  const explained = async (id: string, check: string) => {
    const { checks, verdict } = await read(`tasks/${id}/explain`);
    return { verdict, ...checks.find((one: { check: string }) => one.check === check) };
  };

  it('names of a worker only the groups one may see', async () => {
    const both = await ScriptedWorker.register({ groups: ['own', 'leaving'], workerKey, nodes: [world] }, { id: 'both-1' });
    const some = await world.person('some', 'none', { own: 'operator' });
    const answers = [];
    for (const path of ['workers', 'workers/both-1', 'overview', 'search?q=both-1'])
      answers.push((await some.get(`/api/${path}`)).text);
    answers.push(
      (await some.post('/api/workers/both-1/drain', {})).text,
      (await some.post('/api/workers/both-1/cordon', {})).text,
    );
    for (const answer of answers) expect(answer).not.toContain('leaving');
    expect((await some.get('/api/workers/both-1')).json).toMatchObject({
      groups: ['own'],
      hiddenGroups: 1,
      slots: expect.any(Number),
    });
    for (const deed of ['drain', 'undrain', 'cordon', 'uncordon'])
      expect((await some.post(`/api/workers/both-1/${deed}`, {})).json).toMatchObject({
        status: 403,
        code: 'permission_denied',
        permission: 'workers.drain',
        reason: 'role_lacks_in_unseen',
        detail: 'the worker also serves a group you may not see, in which your role does not have workers.drain',
      });
    expect((await some.get('/api/workers?group=leaving')).json.items).toEqual([]);
    expect((await read('workers/both-1')).groups.sort()).toEqual(['leaving', 'own']);
    await both.vanish();
  });

  it('tells of a worker that drains for long once it does, not as the drain begins', async () => {
    const slow = await worker('slow-1', 'leaving');
    const kept = await submit('leaving');
    await started(kept, slow);
    const told = async () =>
      (await read('overview')).attention.find(({ kind }: { kind: string }) => kind === 'worker_draining') ?? null;
    await admin.post('/api/workers/slow-1/drain', { reason: 'a new disk' });
    expect((await read('workers/slow-1')).state).toBe('draining');
    expect(await told()).toBeNull();
    const clock = world.app.get(Clock);
    const now = clock.now.bind(clock);
    const later = jest.spyOn(clock, 'now').mockImplementation(() => now() + 300_000);
    try {
      expect(await told()).toMatchObject({
        object: { type: 'worker', id: 'slow-1' },
        evidence: { running: 1, deadlineAt: null },
      });
    } finally {
      later.mockRestore();
    }
    await admin.post('/api/workers/slow-1/undrain');
    await slow.end(kept);
  });

  it('gives a cordoned worker nothing new, over a restart of it, lets it keep what it has, and says so', async () => {
    const first = await worker('aside-1', 'aside');
    const kept = await submit('aside');
    await started(kept, first);
    const cordoned = await admin.post('/api/workers/aside-1/cordon', { reason: 'odd noises' });
    expect(cordoned.json).toMatchObject({ state: 'cordoned', cordoned: true, drainAsked: false, warnings: [] });
    expect(cordoned.json.cordon).toMatchObject({ reason: 'odd noises', by: 'user:admin' });
    // It says that it has room, and is given nothing: nobody counts on that room.
    expect(cordoned.json.freeSlots).toBe(0);
    const waits = await submit('aside');
    await waitFor('it is told apart', async () => (await client.get(waits)).reason === 'workers_busy');
    expect(await explained(waits, 'workers')).toMatchObject({
      result: 'blocks',
      verdict: { kind: 'needs_you', check: 'workers' },
      evidence: { filter: 1, accepting: 0, cordoned: ['aside-1'] },
    });
    expect((await read('groups/aside')).workers).toEqual({ online: 0, draining: 0, cordoned: 1 });
    expect((await read('notices')).notices).toContainEqual({ kind: 'group_without_worker', count: 1, objects: ['aside'] });
    const next = await worker('aside-2', 'aside');
    await started(waits, next);
    expect([...first.running.keys()]).toEqual([kept]);
    await first.end(kept);
    await waitFor('what it kept has succeeded', async () => (await client.get(kept)).status === 'SUCCEEDED');
    await first.restart();
    const after = await Promise.all([1, 2, 3, 4].map(() => submit('aside')));
    for (const id of after) await started(id, next);
    expect(first.orders).toHaveLength(1);
    expect((await waitFor('its new life has beaten', () => first.lastBeat)).drain).toBe(false);
    const lifted = await admin.post('/api/workers/aside-1/uncordon', { reason: 'was the fan' });
    expect(lifted.json).toMatchObject({ state: 'online', cordoned: false, cordon: null });
    const entries = (await read('audit?objectId=aside-1')).items;
    expect(entries.map(({ action, reason }: { action: string; reason: string }) => [action, reason])).toEqual([
      ['worker.uncordoned', 'was the fan'],
      ['worker.cordoned', 'odd noises'],
    ]);
    expect(entries[1]).toMatchObject({ group: 'aside', before: { cordoned: false }, after: { cordoned: true } });
    await started(await submit('aside'), first);
  }, 60_000);

  it('claims nothing for a worker whose row says it is cordoned, although this node has not heard of it', async () => {
    // As if the message and the read that follows it were late: the row says so, and nothing tells of the change.
    await world.app.get(SqlDialect).root.run("UPDATE workers SET cordoned_at = 1 WHERE worker_id = 'aside-1'");
    const [first, next] = [known('aside-1'), known('aside-2')];
    const orders = first.orders.length;
    for (const one of [first, next]) for (const id of [...one.running.keys()]) await one.end(id);
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(() => submit('aside')));
    for (const id of ids) await started(id, next);
    expect(first.orders).toHaveLength(orders);
    await admin.post('/api/workers/aside-1/uncordon');
  }, 60_000);

  it('starts nothing of any group during a maintenance hold, lets what runs end and submits in, and goes on after it', async () => {
    const only = await worker('still-1', 'still');
    const going = await submit('still');
    await started(going, only);
    expect((await admin.post('/api/settings/maintenance/hold', { reason: ' ' })).json.errors[0].pointer).toBe('/reason');
    const past = await admin.post('/api/settings/maintenance/hold', { reason: 'x', until: '2020-01-01T00:00:00Z' });
    expect(past.json.errors[0]).toMatchObject({ pointer: '/until', code: 'out_of_range', rule: 'future' });
    expect((await admin.post('/api/settings/maintenance/release')).json).toMatchObject({ status: 409, code: 'state_conflict' });
    const held = await admin.post('/api/settings/maintenance/hold', { reason: 'the ledger moves' });
    expect(held.json.hold).toMatchObject({ reason: 'the ledger moves', until: null, by: 'user:admin' });
    const ids = await Promise.all(['still', 'aside', 'still'].map(submit));
    if (adapter === 'cluster') {
      second = await world.another();
      await waitFor('the second node holds its share', async () => {
        const { nodes } = await read('system');
        return nodes.length === 2 && nodes.every(({ partitions }: { partitions: number[] }) => partitions.length > 0);
      });
    }
    ids.push(await submit('aside'));
    for (const id of ids) await waitFor('it says why', async () => (await client.get(id)).reason === 'maintenance_hold');
    expect(await explained(ids[0] as string, 'maintenance')).toMatchObject({
      verdict: { kind: 'needs_you', check: 'maintenance', reason: 'maintenance_hold' },
      evidence: { reason: 'the ledger moves', until: null, by: 'user:admin' },
    });
    expect((await read('notices')).notices[0]).toEqual({
      kind: 'maintenance_hold',
      count: 1,
      objects: ['the ledger moves'],
      until: null,
    });
    await only.end(going);
    await waitFor('what ran has ended', async () => (await client.get(going)).status === 'SUCCEEDED');
    expect(only.orders).toHaveLength(1);
    const other = second ? await second.signIn() : admin;
    expect((await other.post('/api/settings/maintenance/release', { reason: 'done' })).json).toEqual({ hold: null });
    await started(ids[0] as string, only);
    await started(ids[2] as string, only);
    const [released, begun] = (await read('audit?objectId=maintenance')).items;
    expect(released).toMatchObject({ action: 'maintenance.released', before: { reason: 'the ledger moves' }, after: null });
    expect(begun).toMatchObject({ action: 'maintenance.held', before: null, after: { reason: 'the ledger moves' } });
    for (const id of [...only.running.keys()]) await only.end(id);
  }, 90_000);

  it('ends a maintenance hold by itself when its time is over', async () => {
    const only = workers.find(({ script }) => script.id === 'still-1') as ScriptedWorker;
    const until = new Date(Math.round(world.app.get(Clock).now()) + 5_000).toISOString();
    expect((await admin.post('/api/settings/maintenance/hold', { reason: 'a moment', until })).json.hold.until).toBe(until);
    const id = await submit('still');
    await started(id, only);
    const { timeline } = await read(`tasks/${id}`);
    const claimed = timeline.find(({ to }: { to: string }) => to === 'DISPATCHED');
    expect(Date.parse(claimed.at)).toBeGreaterThanOrEqual(Date.parse(until));
    expect(await read('settings/maintenance')).toEqual({ hold: null });
    expect((await admin.post('/api/settings/maintenance/release')).status).toBe(409);
    await only.end(id);
  }, 60_000);

  it('says whether the workers of a group are even, who stands out by what, and what would be without it', async () => {
    expect((await read('groups/uneven/balance')).verdict).toEqual({ code: 'no_worker', worker: null, percentFromMean: null });
    const full = await worker('uneven-1', 'uneven');
    const job = await admin.post('/api/jobs', {
      key: 'settle',
      group: 'uneven',
      handler: 'noop',
      schedule: { kind: 'manual' },
      overlap: 'allow',
      maxParallel: 10,
    });
    for (let n = 0; n < 3; n++) await admin.post(`/api/jobs/${job.json.id}/trigger`);
    await submit('uneven');
    await waitFor('it has four', () => full.running.size === 4);
    expect((await read('groups/uneven/balance')).verdict.code).toBe('alone');
    await worker('uneven-2', 'uneven');
    const balance = await waitFor('its beat has come', async () => {
      const told = await read('groups/uneven/balance');
      return told.workers.length === 2 && told.workers[1].load > 30 ? told : null;
    });
    const loads = balance.workers.map(({ load }: { load: number }) => load);
    const mean = (loads[0] + loads[1]) / 2;
    expect(balance.imbalance).toEqual({
      meanLoad: mean,
      maxMinusMin: loads[1] - loads[0],
      variation: (loads[1] - loads[0]) / 2 / mean,
    });
    expect(balance.verdict).toEqual({
      code: 'uneven',
      worker: 'uneven-1',
      percentFromMean: Math.round((loads[1] / mean) * 100) - 100,
    });
    const settle = { group: 'uneven', job: { id: job.json.id, key: 'settle' }, handler: 'noop', count: 3 };
    expect(balance.work).toEqual(settle);
    expect(await read('workers/uneven-1/work')).toEqual({
      items: [settle, { group: 'uneven', job: null, handler: 'noop', count: 1 }],
    });
    expect((await read('workers/uneven-1/load')).ifDrained).toEqual({
      busy: 4,
      slots: 20,
      slotsLeft: 10,
      fullness: 0.2,
      fullnessThen: 0.4,
    });
    await full.end([...full.running.keys()][0] as string);
    await full.end([...full.running.keys()][0] as string);
    await full.end([...full.running.keys()][0] as string);
    await waitFor('they are even', async () => (await read('groups/uneven/balance')).verdict.code === 'balanced');
  }, 60_000);

  it('keeps how loaded a worker was', async () => {
    const nodes = [world, ...(second ? [second] : [])].map(({ app }) => app.get(WorkerRollupWriter, { strict: false }));
    for (const writer of nodes) {
      await writer.round();
      await writer.writeSpan();
    }
    const { spans, spanMs } = await read('workers/uneven-1/history');
    expect(spanMs).toBe(300_000);
    // One for each five minutes, of which others may have begun meanwhile, whichever nodes have written of it.
    const once = (of: { at: string }[]) => {
      expect(of.length).toBeGreaterThan(0);
      expect(new Set(of.map(({ at }) => at)).size).toBe(of.length);
    };
    once(spans);
    once((await read('workers/aside-1/history')).spans);
    expect(Math.max(...spans.map(({ active }: { active: number }) => active))).toBeGreaterThanOrEqual(1);
    for (const { load, loadMost } of spans) expect(loadMost).toBeGreaterThanOrEqual(load);
  });

  it('tells which tasks were taken from a lost life of a worker, and forgets a worker only once it is gone', async () => {
    const lost = known('uneven-1');
    const [taken] = [...lost.running.keys()] as [string];
    await lost.restart();
    const listed = await waitFor('it is listed', async () => {
      const { items } = await read('workers/uneven-1/lost');
      return items.length === 1 && items[0].worker !== null ? items[0] : null;
    });
    expect(listed).toMatchObject({ taskId: taken, group: 'uneven', handler: 'noop' });
    expect(['DISPATCHED', 'RUNNING']).toContain(listed.state);
    expect((await admin.call('DELETE', '/api/workers/uneven-1')).json).toMatchObject({ status: 409, code: 'state_conflict' });
    for (const one of workers) for (const id of [...one.running.keys()]) await one.end(id);
    await lost.leave();
    await waitFor('it is gone', async () => (await read('workers/uneven-1')).state === 'offline');
    expect((await admin.call('DELETE', '/api/workers/uneven-1?reason=scrapped')).status).toBe(204);
    expect((await admin.get('/api/workers/uneven-1')).status).toBe(404);
    const views = [world, ...(second ? [second] : [])].map(({ app }) => app.get(WorkersService));
    for (const view of views) await waitFor('every node has forgotten it', () => view.find('uneven-1') === undefined);
    expect((await read('audit?objectId=uneven-1')).items[0]).toMatchObject({
      action: 'worker.removed',
      reason: 'scrapped',
      after: null,
    });
    expect((await admin.call('DELETE', '/api/workers/uneven-1')).status).toBe(404);
  }, 60_000);

  it('shows with an attempt that was given up what its worker still reported of it', async () => {
    const twice = await worker('twice-1', 'own');
    const id = await submit('own');
    await started(id, twice);
    const { lease } = twice.running.get(id) as { lease: number };
    await twice.restart();
    await started(id, twice);
    const at = { startedAt: Date.now(), endedAt: Date.now() };
    const results = [{ taskId: id, lease, outcome: 'succeeded', result: { sent: 12.5 }, ...at }];
    expect((await twice.tell('results', { ...twice.identity, results })).body).toMatchObject({ acks: [{ verdict: 'late' }] });
    await twice.end(id, { result: 'second' });
    const { attempts, resultText } = await read(`tasks/${id}`);
    expect(attempts).toMatchObject([
      { attempt: 1, outcome: 'lost', late: { outcome: 'succeeded', error: null, resultText: '{"sent":12.5}' } },
      { attempt: 2, outcome: 'succeeded', late: null },
    ]);
    expect(resultText).toBe('"second"');
  });
});
