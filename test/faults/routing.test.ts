import type { EvenkeelClient, SubmitTask, TaskView } from '@evenkeel/sdk/client';
import { partitionOf } from '../../src/decisions/partitioning.js';
import { Installation } from '../support/installation.js';
import { Process } from '../support/processes.js';
import { evenlyHeld } from '../support/progress.js';
import { type Script, ScriptedWorker } from '../support/scripted-worker.js';
import { ended } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const even = Array.from({ length: 40 }, (_, n) => `g${n}`).find((key) => partitionOf(key) % 2 === 0) as string;
const odd = Array.from({ length: 40 }, (_, n) => `h${n}`).find((key) => partitionOf(key) % 2 === 1) as string;
const GROUPS = [even, odd, 'burst', 'long', 'busy', 'slots', 'filter', 'zones', 'share-a', 'share-b', 'drained', 'job'];

describe('who is given tasks', () => {
  let installation: Installation;
  let client: EvenkeelClient;
  const workers: ScriptedWorker[] = [];

  beforeAll(async () => {
    installation = await Installation.create('cluster', GROUPS);
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    client = installation.client();
    await evenlyHeld(await installation.look(), 2);
  }, 180_000);
  // None beats on beside the tests after its own.
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.vanish();
  });
  afterAll(() => installation?.remove());

  const start = async (script: Script) => {
    const worker = await ScriptedWorker.register(installation, script);
    workers.push(worker);
    return worker;
  };
  const submit = async (group: string, more: Partial<SubmitTask> = {}) =>
    (await client.submit('noop', null, { group, timeoutMs: 0, ...more })).id;
  const count = (tasks: TaskView[]) => {
    const counts: Record<string, number> = {};
    for (const { attempts } of tasks) {
      const worker = attempts[0]?.worker ?? 'nobody';
      counts[worker] = (counts[worker] ?? 0) + 1;
    }
    return counts;
  };
  /** One after the other, each ended before the next. */
  const oneByOne = async (group: string, times: number, more: Partial<SubmitTask> = {}, settled = async () => {}) => {
    const tasks: TaskView[] = [];
    for (let n = 0; n < times; n++) {
      tasks.push(await client.wait(await submit(group, more), { timeoutMs: 30_000 }));
      await settled();
    }
    return count(tasks);
  };
  /** Each has said twice that it is idle: what the node knows of the attempt before has come to rest. */
  const heardAgain = async () => {
    for (let n = 0; n < 2; n++) {
      const former = new Map(workers.slice(-6).map((worker) => [worker, worker.lastBeat]));
      await waitFor('all beat again', () => [...former].every(([worker, beat]) => worker.lastBeat !== beat));
    }
  };
  const evenkeel = async (...args: string[]) => {
    const command = Process.launch(args.join(' '), args, installation.database.env);
    const code = await command.end();
    if (code !== 0) throw new Error(`${args.join(' ')}: ${command.output.join('\n')}`);
    return JSON.parse(command.output.find((line) => line.startsWith('{') || line.startsWith('[')) as string);
  };

  it('a burst of 300 tasks is spread over three equal workers within a tenth', async () => {
    const ids = ['b1', 'b2', 'b3'];
    // Each could take the whole burst: nothing but the choice spreads it.
    const processes = await Promise.all(ids.map((id) => installation.startWorker({ id, groups: ['burst'], slots: 300 })));
    const { dialect } = await installation.look();
    await waitFor(
      'all are warm, thus equal',
      async () => {
        const rows = await dialect.root.rows<{ at: number | string }>(
          "SELECT registered_at AS at FROM workers WHERE worker_id IN ('b1', 'b2', 'b3')",
        );
        return rows.length === 3 && rows.every(({ at }) => Date.now() - Number(at) > 11_000);
      },
      60_000,
    );
    const items = Array.from({ length: 300 }, (_, n) => ({
      handler: 'sleep',
      params: { ms: 3_000 },
      group: 'burst',
      clientRequestId: `burst-${n}`,
    }));
    const { results } = await client.submitBatch(items);
    const tasks = await ended(
      client,
      results.map(({ task }) => task?.id as string),
    );
    const counts = count(tasks);
    for (const id of ids) {
      expect(counts[id]).toBeGreaterThanOrEqual(90);
      expect(counts[id]).toBeLessThanOrEqual(110);
    }
    for (const process of processes) await process.kill();
  }, 120_000);

  it('a worker with a long task is given fewer, one with a busy processor too, and one with more slots more', async () => {
    await start({ id: 'l-free', groups: ['long'], quick: true });
    await start({ id: 'l-long', groups: ['long'], quick: true, beats: { active: 1 } });
    await start({ id: 'c-idle', groups: ['busy'], quick: true });
    await start({ id: 'c-busy', groups: ['busy'], quick: true, beats: { cpuIdlePercent: 5 } });
    await start({ id: 's-few', groups: ['slots'], slots: 5 });
    await start({ id: 's-many', groups: ['slots'], slots: 20 });
    await waitFor('all have said so', () => workers.slice(-6).every(({ lastBeat }) => lastBeat));
    const long = await oneByOne('long', 12, {}, heardAgain);
    expect(long['l-free']).toBeGreaterThan((long['l-long'] ?? 0) * 1.5);
    const busy = await oneByOne('busy', 12, {}, heardAgain);
    expect(busy['c-idle']).toBeGreaterThan((busy['c-busy'] ?? 0) * 1.5);
    const { results } = await client.submitBatch(
      Array.from({ length: 15 }, (_, n) => ({ handler: 'noop', group: 'slots', timeoutMs: 0, clientRequestId: `slots-${n}` })),
    );
    expect(results).toHaveLength(15);
    const [few, many] = workers.slice(-2) as [ScriptedWorker, ScriptedWorker];
    await waitFor('all are ordered', () => few.running.size + many.running.size === 15);
    expect(few.running.size).toBeGreaterThanOrEqual(2);
    expect(many.running.size).toBeGreaterThanOrEqual(11);
  }, 120_000);

  it('the strategy is switched while both nodes run: for all, for a group, for a task', async () => {
    for (const group of [even, odd])
      for (const n of [1, 2, 3]) await start({ id: `${group}-${n}`, groups: [group], quick: true, node: n % 2 });
    const placesOf = async (group: string, more: Partial<SubmitTask> = {}) =>
      Object.values(await oneByOne(group, 12, { routingKey: 'same', ...more })).sort((a, b) => a - b);
    for (const group of [even, odd]) expect((await placesOf(group)).length).toBeGreaterThan(1);
    expect(await evenkeel('routing', 'set', 'consistent_hash', '--json')).toEqual({ group: null, routing: 'consistent_hash' });
    for (const group of [even, odd])
      await waitFor(
        `the tasks of one key go to one worker of ${group}`,
        async () => (await placesOf(group)).length === 1,
        60_000,
      );
    await evenkeel('routing', 'set', 'round_robin', '--group', odd, '--json');
    await waitFor('one group has its own', async () => (await placesOf(odd)).join() === '4,4,4', 60_000);
    expect(await placesOf(even)).toEqual([12]);
    expect(await placesOf(even, { routing: 'round_robin' })).toEqual([4, 4, 4]);
    expect(await evenkeel('routing', 'show', '--json')).toEqual({ system: 'consistent_hash', groups: { [odd]: 'round_robin' } });
    await evenkeel('routing', 'set', 'default', '--group', odd, '--json');
    await evenkeel('routing', 'set', 'equal_cost', '--json');
  }, 180_000);

  it('the strategy of a job is switched by an edit, from its next task on', async () => {
    for (const n of [1, 2, 3]) await start({ id: `job-${n}`, groups: ['job'], quick: true, node: n % 2 });
    const definition = { handler: 'noop', schedule: { kind: 'manual' }, overlap: 'allow', timeoutMs: 0 } as const;
    const job = await client.createJob({ ...definition, key: 'switched', group: 'job', routing: 'consistent_hash' });
    const placesOf = async () => {
      const tasks: TaskView[] = [];
      for (let n = 0; n < 6; n++) tasks.push(await client.wait((await client.triggerJob(job.id)).id, { timeoutMs: 30_000 }));
      return Object.values(count(tasks));
    };
    expect(await placesOf()).toEqual([6]);
    const { version } = await client.getJob(job.id);
    await client.changeJob(job.id, { ...definition, version, routing: 'round_robin' });
    expect(await placesOf()).toEqual([2, 2, 2]);
  }, 60_000);

  it('a task that asks for tags or a zone waits for such a worker, keeps nobody else waiting, and says why it waits', async () => {
    await start({ id: 'f-plain', groups: ['filter'], quick: true });
    const wanting = [await submit('filter', { workerTags: ['gpu', 'big'] }), await submit('filter', { workerZone: 'a' })];
    expect(await oneByOne('filter', 3)).toEqual({ 'f-plain': 3 });
    for (const id of wanting) expect(await client.get(id)).toMatchObject({ status: 'PENDING', reason: 'no_worker' });
    await start({ id: 'f-small', groups: ['filter'], quick: true, tags: ['gpu'] });
    await start({ id: 'f-gpu', groups: ['filter'], quick: true, tags: ['big', 'gpu', 'other'] });
    await start({ id: 'f-zone', groups: ['filter'], quick: true, zone: 'a' });
    const tasks = await ended(client, wanting);
    expect(tasks.map(({ attempts }) => attempts[0]?.worker)).toEqual(['f-gpu', 'f-zone']);
  }, 90_000);

  it('a preferred zone is used first, and left when it is full', async () => {
    const near = await start({ id: 'z-near', groups: ['zones'], slots: 3, zone: 'a' });
    const far = await start({ id: 'z-far', groups: ['zones'], slots: 10, zone: 'b' });
    await waitFor('both have beaten', () => near.lastBeat && far.lastBeat);
    for (let n = 0; n < 5; n++) await submit('zones', { preferZone: 'a' });
    await waitFor('all are ordered', () => near.running.size + far.running.size === 5);
    expect([near.running.size, far.running.size]).toEqual([3, 2]);
  }, 60_000);

  it('a shared worker is given no more of a group than it has slots for it, and each order names its group', async () => {
    const worker = await start({ id: 'shared', groups: ['share-a', 'share-b'], slots: { 'share-a': 2, 'share-b': 3 } });
    for (let n = 0; n < 6; n++) await Promise.all([submit('share-a'), submit('share-b')]);
    const ofGroup = (group: string) => worker.orders.filter((order) => order.group === group);
    await waitFor('its slots are taken', () => ofGroup('share-a').length === 2 && ofGroup('share-b').length === 3);
    await worker.beat();
    await worker.beat();
    expect(worker.orders).toHaveLength(5);
    await worker.end(ofGroup('share-a')[0]?.taskId as string);
    await waitFor('the freed slot is taken by its group', () => ofGroup('share-a').length === 3);
    expect(ofGroup('share-b')).toHaveLength(3);
  }, 60_000);

  it('a drained worker is given nothing more although it says it is ready, learns of it, and works again when it is undrained', async () => {
    const worker = await start({ id: 'd1', groups: ['drained'] });
    const first = await submit('drained');
    await waitFor('it is ordered', () => worker.running.has(first));
    expect(await evenkeel('workers', 'drain', 'd1', '--reason', 'new disk', '--json')).toMatchObject({ warnings: [] });
    await waitFor('it is told', () => worker.lastBeat?.drain === true);
    const waiting = await submit('drained');
    await waitFor('it is seen to wait', async () => (await client.get(waiting)).reason === 'workers_busy');
    expect(worker.ordersOf(waiting)).toEqual([]);
    const again = await evenkeel('workers', 'drain', 'd1', '--reason', 'new disk', '--json');
    expect(again.warnings).toEqual([{ group: 'drained', handlers: ['noop'] }]);
    const listed = (await evenkeel('workers', 'list', '--json')) as { id: string; drain: unknown }[];
    expect(listed.find(({ id }) => id === 'd1')).toMatchObject({
      state: 'draining',
      drainAsked: true,
      drain: { reason: 'new disk', by: 'cli' },
    });
    await evenkeel('workers', 'undrain', 'd1', '--json');
    await waitFor('it is ordered', () => worker.running.has(waiting));
    await waitFor('it is told', () => worker.lastBeat?.drain === false);
    await evenkeel('workers', 'drain', 'd1', '--deadline', '0', '--json');
    await waitFor('what still runs is told to stop', () => worker.stopAsked.includes(`${first} draining`), 30_000);
    await worker.end(first, { outcome: 'drained' });
    expect((await client.get(first)).timeline.at(-1)).toMatchObject({ to: 'PENDING', reason: 'drained' });
    const logged = await (await installation.look()).dialect.root.rows<{ action: string; reason: string | null }>(
      "SELECT action, reason FROM audit_log WHERE actor_kind = 'command' AND object_type = 'worker' AND object_id = 'd1' ORDER BY id",
    );
    expect(logged.map(({ action, reason }) => [action, reason])).toEqual([
      ['worker.drain_asked', 'new disk'],
      ['worker.drain_asked', 'new disk'],
      ['worker.drain_undone', null],
      ['worker.drain_asked', null],
    ]);
  }, 300_000);
});
