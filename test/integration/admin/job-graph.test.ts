import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';

describe.each(ADAPTERS)('flows, backfills and routing in the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    await make('a', 'own', { schedule: { kind: 'every', everyMs: 60_000 }, routing: 'consistent_hash', routingKey: 'k' });
    await make('b', 'own', {
      schedule: { kind: 'upstream' },
      upstreams: ['a'],
      workerZone: 'z1',
      shards: 2,
      onShardFailure: 'stop',
    });
    await make('c', 'own', { schedule: { kind: 'upstream' }, upstreams: ['b'] });
    await make('d', 'other', { schedule: { kind: 'upstream' }, upstreams: [ids.get('b')] });
    await make('alone', 'own', { schedule: { kind: 'event', name: 'file.arrived' } });
  }, 60_000);
  afterAll(() => world?.stop());

  async function make(key: string, group: string, more: object): Promise<void> {
    const answer = await admin.post('/api/jobs', { key, group, handler: 'h', ...more });
    if (answer.status !== 201) throw new Error(answer.text);
    ids.set(key, answer.json.id);
  }
  const drawn = async (query: string, browser = admin) => {
    const { json } = await browser.get(`/api/graph${query}`);
    const name = new Map(json.nodes.map(({ id, key }: { id: string; key: string }) => [id, key]));
    return {
      keys: json.nodes.map(({ key }: { key: string }) => key).sort(),
      edges: json.edges.map(({ from, to }: { from: string; to: string }) => `${name.get(from)}>${name.get(to)}`).sort(),
      json,
    };
  };

  it('draws the jobs that wait for others, or the surroundings of one', async () => {
    const all = await drawn('');
    expect(all).toMatchObject({ keys: ['a', 'b', 'c', 'd'], edges: ['a>b', 'b>c', 'b>d'] });
    expect(all.json.truncated).toBe(false);
    expect(all.json.nodes.find(({ key }: { key: string }) => key === 'a')).toMatchObject({
      kind: 'every',
      group: 'own',
      state: 'active',
      nextFireAt: expect.any(String),
    });
    expect((await drawn('?group=own')).edges).toEqual(['a>b', 'b>c']);
    expect(await drawn(`?focus=${ids.get('a')}&depth=1`)).toMatchObject({ keys: ['a', 'b'], edges: ['a>b'] });
    expect((await drawn(`?focus=${ids.get('alone')}`)).keys).toEqual(['alone']);
    expect((await admin.get('/api/graph?focus=x')).status).toBe(400);
  });

  it('draws nothing of groups the caller may not see', async () => {
    const bob = await world.person(`bob-${adapter}`, 'none', { own: 'viewer' });
    const seen = await drawn('', bob);
    expect(seen).toMatchObject({ keys: ['a', 'b', 'c'], edges: ['a>b', 'b>c'] });
    expect(JSON.stringify(seen.json)).not.toContain(ids.get('d'));
    expect((await bob.get(`/api/graph?focus=${ids.get('d')}`)).status).toBe(404);
    const detail = (await bob.get(`/api/jobs/${ids.get('b')}`)).json;
    expect(detail.downstreamJobs).toContainEqual({ id: ids.get('d'), key: null, group: null });
  });

  it('tells of a job which stopped jobs above it keep it from running, as far as the caller may see them', async () => {
    const stoppedOf = async (key: string, browser = admin) =>
      (await browser.get(`/api/jobs/${ids.get(key)}`)).json.stoppedUpstreams;
    expect(await stoppedOf('c')).toEqual([]);
    await admin.post(`/api/jobs/${ids.get('a')}/pause`, { reason: 'the source moves' });
    await admin.post(`/api/jobs/${ids.get('b')}/pause`);
    const linked = (key: string) => ({ id: ids.get(key), key, group: 'own' });
    const [a, b] = [linked('a'), linked('b')];
    expect(await stoppedOf('c')).toEqual([b, a]);
    expect(await stoppedOf('b')).toEqual([a]);
    expect(await stoppedOf('a')).toEqual([]);
    const eve = await world.person(`eve-${adapter}`, 'none', { other: 'viewer' });
    expect(await stoppedOf('d', eve)).toEqual([b, a].map(({ id }) => ({ id, key: null, group: null })));
    for (const key of ['a', 'b']) await admin.post(`/api/jobs/${ids.get(key)}/resume`);
    expect(await stoppedOf('c')).toEqual([]);
  });

  it('shows and keeps everything a job states', async () => {
    const { json } = await admin.get(`/api/jobs/${ids.get('b')}`);
    expect(json).toMatchObject({
      workerZone: 'z1',
      shards: 2,
      onShardFailure: 'stop',
      upstreams: [ids.get('a')],
      upstreamJobs: [{ key: 'a', group: 'own' }],
      workerTags: [],
      routingKey: null,
      definition: { workerZone: 'z1', shards: 2 },
    });
    const again = await admin.call('PUT', `/api/jobs/${json.id}`, { ...json.definition, version: json.version });
    expect(again.json.definition).toEqual(json.definition);
    const copy = await admin.post(`/api/jobs/${json.id}/copy`, { key: 'b2' });
    expect(copy.json).toMatchObject({
      key: 'b2',
      state: 'paused',
      pauseReason: 'copied',
      shards: 2,
      workerZone: 'z1',
      app: null,
    });
    expect((await admin.call('DELETE', `/api/jobs/${ids.get('a')}`)).json).toMatchObject({ code: 'job_has_dependants' });
    const circle = { handler: 'h', schedule: { kind: 'every', everyMs: 60_000 }, upstreams: ['c'], version: 1 };
    expect((await admin.call('PUT', `/api/jobs/${ids.get('a')}`, circle)).json).toMatchObject({ code: 'dependency_cycle' });
    const called = { key: 'x', group: 'own', handler: 'h', schedule: { kind: 'manual' }, callbackUrl: 'https://x.example/y' };
    expect((await admin.post('/api/jobs', called)).json.errors[0]).toMatchObject({
      pointer: '/callbackUrl',
      code: 'not_allowed',
    });
  });

  it('tries a backfill out, asks for it, shows it and calls it off', async () => {
    const path = `/api/jobs/${ids.get('a')}`;
    const until = Math.floor(Date.now() / 60_000) * 60_000;
    const span = { from: new Date(until - 600_000).toISOString(), until: new Date(until).toISOString() };
    const tried = await admin.post(`${path}/backfill`, { ...span, dryRun: true });
    expect(tried.status).toBe(200);
    expect(tried.json).toMatchObject({ backfill: null, count: 10 });
    expect((await admin.get(`${path}/backfills`)).json.items).toEqual([]);
    const asked = await admin.post(`${path}/backfill`, { ...span, maxParallel: 1, reason: 'outage' });
    expect(asked.status).toBe(201);
    expect(asked.json.backfill).toMatchObject({ fires: 10, state: 'running', requestedBy: 'user:admin' });
    const [listed] = (await admin.get(`${path}/backfills`)).json.items;
    expect(listed.id).toBe(asked.json.backfill.id);
    const off = await admin.call('DELETE', `${path}/backfills/${listed.id}?reason=enough`);
    expect(off.json).toMatchObject({ id: listed.id, state: 'cancelled' });
    const actions = (await admin.get(`/api/audit?objectId=${ids.get('a')}`)).json.items.map(
      ({ action }: { action: string }) => action,
    );
    expect(actions.slice(0, 2)).toEqual(['backfill.cancelled', 'backfill.started']);
    expect((await admin.call('DELETE', `/api/jobs/${ids.get('b')}/backfills/${listed.id}`)).status).toBe(404);
    expect((await admin.post(`${path}/backfill`, { from: span.until, until: span.from })).json.errors[0].pointer).toBe('/until');
  });

  it('lets admins choose how workers are chosen, and everybody see it', async () => {
    expect((await admin.get('/api/settings/routing')).json).toEqual({ routing: 'equal_cost' });
    const changed = await admin.call('PUT', '/api/settings/routing', { routing: 'round_robin', reason: 'trial' });
    expect(changed.json).toEqual({ routing: 'round_robin' });
    const [entry] = (await admin.get('/api/audit?objectType=setting')).json.items;
    expect(entry).toMatchObject({ action: 'settings.routing_changed', reason: 'trial', before: { routing: 'equal_cost' } });
    const operator = await world.person(`op-${adapter}`, 'operator');
    expect((await operator.get('/api/settings/routing')).json).toEqual({ routing: 'round_robin' });
    expect((await operator.call('PUT', '/api/settings/routing', { routing: 'random' })).json.code).toBe('permission_denied');
    expect((await admin.call('PUT', '/api/settings/routing', { routing: 'best' })).json.errors[0].pointer).toBe('/routing');
  });
});
