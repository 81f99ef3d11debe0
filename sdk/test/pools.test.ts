import { Capacity } from '../src/worker/capacity.js';
import type { AttemptContext } from '../src/worker/index.js';
import { type FakeCentre, order, until } from './fake-centre.js';
import { WorkerProcess } from './worker-process.js';
import { World } from './world.js';

describe('slots', () => {
  let world: World;
  let centre: FakeCentre;
  const ended = (taskId: string) => until(`result of ${taskId}`, () => centre.resultOf(taskId));
  const outcomes = async (orders: ReturnType<typeof order>[]) => (await centre.run(orders)).results.map(({ outcome }) => outcome);

  beforeEach(async () => {
    world = await World.open();
    centre = world.centre;
  });
  afterEach(() => world.close());

  it('of a named pool keep long work from blocking short, and say which handlers are full', async () => {
    const gate = world.gate();
    await world
      .worker({ slots: 1, queue: 1, pools: { long: { concurrency: 2, queue: 1 } } })
      .handle('long', () => gate.opened, { pool: 'long' })
      .handle('echo', (input) => input)
      .start();
    expect(centre.worker.slots).toBe(3);
    const longs = Array.from({ length: 4 }, () => order({ handler: 'long', priority: 10 }));
    const answer = await centre.run(longs);
    expect(answer.results.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted', 'busy']);
    expect(answer).toMatchObject({ freeSlots: 2, full: ['long'] });
    const short = order();
    expect(await outcomes([short])).toEqual(['accepted']);
    await ended(short.taskId);
    expect(await until('a beat', () => centre.beats.find(({ active }) => active === 2))).toMatchObject({ full: ['long'] });
    gate.open();
    await until('all', () => centre.results.length === 4);
  });

  it('of a handler are its own within its pool: beyond them it waits, beyond its places it is refused, and others go on', async () => {
    const gate = world.gate();
    let most = 0;
    let now = 0;
    const slow = async () => {
      most = Math.max(most, ++now);
      await gate.opened;
      now--;
    };
    await world
      .worker({ slots: 4, queue: 8 })
      .handle('slow', slow, { concurrency: 1 })
      .handle('echo', () => 1)
      .start();
    const slows = Array.from({ length: 5 }, () => order({ handler: 'slow', priority: 10 }));
    expect(await outcomes(slows)).toEqual(['accepted', 'accepted', 'accepted', 'busy', 'busy']);
    const quick = Array.from({ length: 6 }, () => order({ priority: 1 }));
    expect(new Set(await outcomes(quick))).toEqual(new Set(['accepted']));
    for (const { taskId } of quick) await ended(taskId);
    gate.open();
    await until('all', () => centre.results.length === 9);
    expect(most).toBe(1);
  });

  it('of a group on a shared worker are held to, whatever the other groups leave free', async () => {
    const gate = world.gate();
    const now: Record<string, number> = {};
    const most: Record<string, number> = {};
    const handler = async (group: string) => {
      now[group] = (now[group] ?? 0) + 1;
      most[group] = Math.max(most[group] ?? 0, now[group]);
      await gate.opened;
      now[group]--;
    };
    await world
      .worker({ groups: ['a', 'b'], slots: { a: 1, b: 3 }, queue: 4 })
      .handle('echo', handler)
      .start();
    expect(centre.worker.slots).toEqual({ a: 1, b: 3 });
    const of = (group: string, n: number) => Array.from({ length: n }, () => order({ group, params: group }));
    expect(await outcomes(of('a', 4))).toEqual(['accepted', 'accepted', 'busy', 'busy']);
    expect(await outcomes(of('b', 4))).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
    expect(await outcomes(of('elsewhere', 1))).toEqual(['busy']);
    await until('running', () => now.b === 3);
    gate.open();
    await until('all', () => centre.results.length === 6);
    expect(most).toEqual({ a: 1, b: 3 });
  });

  it('among handlers of equal priority go to what came first, so that none starves another', async () => {
    const gate = world.gate();
    const ran: string[] = [];
    const note = (name: string) => () => void ran.push(name);
    await world
      .worker({ slots: 1, queue: 20 })
      .handle('hold', () => gate.opened)
      .handle('a', note('a'))
      .handle('b', note('b'))
      .start();
    await centre.run([order({ handler: 'hold', priority: 10 })]);
    await centre.run(['b', 'a', 'a', 'b', 'a'].map((handler) => order({ handler })));
    gate.open();
    await until('all', () => ran.length === 5);
    expect(ran).toEqual(['b', 'a', 'a', 'b', 'a']);
  });

  it('are free again after cancels of waiting and running attempts', async () => {
    const hang = (_: unknown, { signal }: AttemptContext) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await world.worker({ slots: 2, queue: 2 }).handle('echo', hang).start();
    for (let round = 0; round < 3; round++) {
      const orders = Array.from({ length: 5 }, () => order());
      expect(await outcomes(orders)).toEqual(['accepted', 'accepted', 'accepted', 'accepted', 'busy']);
      const tasks = orders.map(({ taskId, lease }) => ({ taskId, lease, reason: 'cancelled' }));
      await centre.send('POST', '/cancel', { tasks });
      for (const { taskId } of orders.slice(0, 4)) expect(await ended(taskId)).toMatchObject({ outcome: 'cancelled' });
    }
    expect((await centre.run([])).freeSlots).toBe(4);
  });

  it('named by a handler must exist', () => {
    const worker = world.worker();
    expect(() => worker.handle('echo', () => 1, { pool: 'no' })).toThrow(/there is no pool "no"/);
    expect(() => world.worker({ pools: { default: { concurrency: 1 } } })).toThrow(/pools/);
    expect(() => world.worker({ pools: { long: { concurrency: 0 } } })).toThrow(/pools.long.concurrency/);
  });

  it('reported free never exceed what limited handlers and groups would take', () => {
    const run = () => 1;
    const pools = new Map([
      ['default', { slots: 8, queue: 16 }],
      ['long', { slots: 2, queue: 4 }],
    ]);
    const handlers = [
      { name: 'a', concurrency: 1, run },
      { name: 'b', concurrency: 1, run },
      { name: 'c', pool: 'long', run },
    ];
    expect(new Capacity({ pools, handlers }).room).toBe(3 + 3 + 6);
    expect(new Capacity({ pools, handlers, groups: { g: 1 } }).room).toBe(3);
  });
});

describe('a handler that blocks the event loop', () => {
  it('leaves the worker alive, but without free slots until it gives way', async () => {
    const world = await World.open();
    const { centre } = world;
    const child = new WorkerProcess({ centre: centre.url, dataDir: world.dataDir });
    try {
      await until('registered', () => centre.registrations.length === 1);
      const blocking = order({ handler: 'block', params: { ms: 5000 }, timeoutMs: 1000 });
      await centre.run([blocking]);
      await until('a beat without free slots', () => centre.beats.at(-1)?.freeSlots === 0);
      const beats = centre.beats.length;
      await until('more beats', () => centre.beats.length > beats + 5);
      for (const beat of centre.beats.slice(beats)) {
        if (centre.resultOf(blocking.taskId)) break;
        expect(beat).toMatchObject({ freeSlots: 0, attempts: [{ taskId: blocking.taskId }] });
      }
      await until('its end', () => centre.resultOf(blocking.taskId));
      expect(centre.resultOf(blocking.taskId)).toMatchObject({ outcome: 'timed_out' });
      await until('free slots again', () => (centre.beats.at(-1)?.freeSlots ?? 0) > 0);
    } finally {
      await child.end('SIGKILL');
      await world.close();
    }
  });
});
