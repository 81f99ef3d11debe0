import type { EvenkeelClient, TaskView } from '@evenkeel/sdk/client';
import { GroupStore } from '../../src/jobs/group.store.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { Installation } from '../support/installation.js';
import { type Script, ScriptedWorker } from '../support/scripted-worker.js';
import { ADAPTERS } from '../support/services.js';
import { ended } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['tagged', 'crowded', 'held', 'logs'];
/** More than are looked at in one go. */
const STUCK = 130;

describe.each(ADAPTERS)('shards where not every worker may take them (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  let groups: GroupsService;
  const workers: ScriptedWorker[] = [];

  beforeAll(async () => {
    installation = await Installation.create(adapter, GROUPS);
    const { dialect, clock, signals } = await installation.look();
    groups = new GroupsService(dialect, new GroupStore(dialect), clock, signals);
    await groups.onApplicationBootstrap();
    await installation.startNode('n1');
    client = installation.client();
  }, 120_000);
  afterAll(async () => {
    for (const worker of workers) await worker.vanish();
    await groups?.onApplicationShutdown();
    await installation?.remove();
  });

  const start = async (script: Script) => {
    const worker = await ScriptedWorker.register(installation, { quick: true, ...script });
    workers.push(worker);
    return worker;
  };
  const shardsOf = async (parentId: string): Promise<TaskView[]> => {
    const { items } = await client.list({ parentId, limit: 200 });
    const shards = await Promise.all(items.map(({ id }) => client.get(id)));
    return shards.sort((a, b) => (a.shard?.index ?? 0) - (b.shard?.index ?? 0));
  };
  const workersOf = async (id: string) => (await shardsOf(id)).map(({ attempts }) => attempts[0]?.worker);

  it('a broadcast goes to each worker it asks for and to no other; a fixed number is shared among those', async () => {
    const wanted = { group: 'tagged', workerTags: ['gpu'] };
    await start({ id: 'plain', groups: ['tagged'] });
    const all = await client.submit('noop', null, { ...wanted, shards: 'broadcast' });
    const five = await client.submit('noop', null, { ...wanted, shards: 5 });
    await waitFor('the five are there', async () => (await shardsOf(five.id)).length === 5);
    expect(await client.get(all.id)).toMatchObject({ status: 'PENDING', reason: 'no_worker', shards: { total: 0 } });
    for (const shard of await shardsOf(five.id)) expect(shard).toMatchObject({ status: 'PENDING', reason: 'no_worker' });
    await start({ id: 'gpu-1', groups: ['tagged'], tags: ['gpu'] });
    for (const task of await ended(client, [all.id, five.id])) expect(task.status).toBe('SUCCEEDED');
    expect([await workersOf(all.id), new Set(await workersOf(five.id))]).toEqual([['gpu-1'], new Set(['gpu-1'])]);
    await start({ id: 'gpu-2', groups: ['tagged'], tags: ['big', 'gpu'] });
    const again = await client.submit('noop', null, { ...wanted, shards: 'broadcast' });
    await ended(client, [again.id]);
    expect(await workersOf(again.id)).toEqual(['gpu-1', 'gpu-2']);
  }, 90_000);

  it('many broadcasts for workers that do not exist hold up none behind them', async () => {
    await start({ id: 'usual', groups: ['crowded'] });
    const stuck = Array.from({ length: STUCK }, (_, i) => ({
      ...{ handler: 'noop', group: 'crowded', clientRequestId: `stuck-${i}` },
      ...{ shards: 'broadcast' as const, workerTags: ['absent'], priority: 9 },
    }));
    for (let i = 0; i < STUCK; i += 50) await client.submitBatch(stuck.slice(i, i + 50));
    const late = await client.submit('noop', null, { group: 'crowded', shards: 'broadcast', workerTags: ['late'] });
    await start({ id: 'late', groups: ['crowded'], tags: ['late'] });
    expect(await client.wait(late.id, { timeoutMs: 60_000 })).toMatchObject({ status: 'SUCCEEDED', shards: { total: 1 } });
  }, 120_000);

  it('a hold stops them too; then the urgent ones start first, and no more in a second than the group may', async () => {
    const rate = 5;
    await groups.update('held', null, { maxDispatchRate: rate });
    await groups.hold('held', 'to look at the order', null);
    const worker = await start({ id: 'ordered', groups: ['held'], slots: 100 });
    const plain = await client.submit('noop', null, { group: 'held', priority: 3 });
    await waitFor('the node knows of the hold', async () => (await client.get(plain.id)).reason === 'group_hold');
    const divided = await client.submit('noop', null, { group: 'held', shards: 12, priority: 3 });
    const urgent = await client.submit('noop', null, { group: 'held', shards: 2, priority: 9 });
    const beside = await client.submit('noop', null, { group: 'tagged' });
    await ended(client, [beside.id]);
    expect([worker.orders, await client.get(urgent.id)]).toMatchObject([[], { status: 'PENDING', reason: 'group_hold' }]);
    await groups.release('held');
    const tasks = await ended(client, [divided.id, plain.id, urgent.id]);
    expect(tasks.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
    const shards = [...(await shardsOf(divided.id)), ...(await shardsOf(urgent.id))];
    const starts = [...shards, await client.get(plain.id)].map(({ timeline }) =>
      Date.parse(timeline.find(({ to }) => to === 'DISPATCHED')?.at as string),
    );
    for (const at of starts)
      expect(starts.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(rate + 2);
    const places = (ids: readonly string[]) => ids.map((id) => worker.orders.findIndex(({ taskId }) => taskId === id));
    const urgentPlaces = places((await shardsOf(urgent.id)).map(({ id }) => id));
    // What was there to start before the urgent one was divided may have used up the rate of the first second.
    expect(Math.max(...urgentPlaces)).toBeLessThan(Math.max(...places((await shardsOf(divided.id)).map(({ id }) => id))));
    expect(Math.max(...urgentPlaces)).toBeLessThan(2 + rate + 2);
  }, 120_000);

  it('each has its own log, and the whole none', async () => {
    await installation.startWorker({ id: 'real', groups: ['logs'] });
    const { id } = await client.submit('shards', { items: 8 }, { group: 'logs', shards: 2 });
    await ended(client, [id]);
    for (const shard of await shardsOf(id)) {
      const { items } = await waitFor('its lines are kept', async () => {
        const page = await client.logs(shard.id);
        return page.items.length > 0 ? page : null;
      });
      expect(items[0]).toMatchObject({ attempt: 1, message: 'working through my part' });
      expect(JSON.stringify(items[0])).toContain(`"index":${shard.shard?.index}`);
    }
    expect((await client.logs(id)).items).toEqual([]);
  }, 90_000);
});
