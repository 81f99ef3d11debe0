import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeCentre, order, until } from './fake-centre.js';
import { WorkerProcess } from './worker-process.js';
import { World } from './world.js';

describe('a worker that is killed or stopped', () => {
  let world: World;
  let centre: FakeCentre;
  const processes: WorkerProcess[] = [];
  const start = async (options: object = {}) => {
    const known = centre.registrations.length;
    const child = new WorkerProcess({ centre: centre.url, dataDir: world.dataDir, ...options });
    processes.push(child);
    await until('registered', () => centre.registrations.length > known || child.exited);
    expect(child.errors).not.toContain('start failed');
    return child;
  };

  beforeEach(async () => {
    world = await World.open();
    centre = world.centre;
  });
  afterEach(async () => {
    for (const each of processes.splice(0)) await each.end('SIGKILL');
    await world.close();
  });

  it('brings its unacknowledged results along when it is started again, and runs nothing twice', async () => {
    const first = await start();
    centre.verdict = () => undefined;
    const orders = [order({ params: '你好' }), order({ params: 2 })];
    await centre.run(orders);
    await until('sent, not acknowledged', () => centre.results.length >= 2);
    const earlier = centre.worker.incarnation;
    await first.end('SIGKILL');
    centre.verdict = () => 'applied';
    const before = centre.results.length;
    await start();
    expect(centre.worker.incarnation > earlier).toBe(true);
    expect(centre.worker.unreported).toMatchObject([
      { taskId: orders[0]?.taskId, outcome: 'succeeded', result: '你好' },
      { taskId: orders[1]?.taskId, outcome: 'succeeded', result: 2 },
    ]);
    expect((await centre.run(orders)).results.map(({ outcome }) => outcome)).toEqual(['duplicate', 'duplicate']);
    await until('a beat', () => centre.beats.at(-1)?.incarnation === centre.worker.incarnation);
    expect(centre.results.length).toBe(before);
  });

  it('knows the orders it had accepted, even those that never ended', async () => {
    const first = await start();
    const running = order({ handler: 'hang' });
    await centre.run([running]);
    await first.end('SIGKILL');
    await start();
    expect(centre.worker.unreported).toEqual([]);
    expect((await centre.run([running])).results[0]?.outcome).toBe('duplicate');
    expect((await centre.run([{ ...running, lease: 5, handler: 'echo' }])).results[0]?.outcome).toBe('accepted');
  });

  it('delivers more than one request can hold before it registers, in the name of the life that ran it', async () => {
    const first = await start({ slots: 10 });
    centre.behaviour.results = { status: 503 };
    const orders = Array.from({ length: 15 }, () => order({ params: 'x'.repeat(60_000) }));
    for (const each of orders) expect((await centre.run([each])).results).toMatchObject([{ outcome: 'accepted' }]);
    await until('all ended', () => centre.beats.at(-1)?.attempts.filter(({ phase }) => phase === 'reporting').length === 15);
    const earlier = centre.worker.incarnation;
    await first.end('SIGKILL');
    centre.behaviour.results = 'serve';
    const second = await start({ slots: 10 });
    const ahead = centre.resultSenders.filter(({ incarnation }) => incarnation === earlier).length;
    expect(ahead).toBeGreaterThan(0);
    expect(centre.results.length + centre.worker.unreported.length).toBe(15);
    expect(await second.end('SIGTERM')).toBe(0);
    expect(centre.results.length + centre.worker.unreported.length).toBe(15);
  });

  it('keeps undelivered results in its journal when it is stopped while the centre is away', async () => {
    const worker = world.worker().handle('echo', () => 'kept');
    await worker.start();
    centre.behaviour.results = { status: 503 };
    const each = order();
    await centre.run([each]);
    await until('reporting', () => centre.beats.at(-1)?.attempts[0]?.phase === 'reporting');
    expect(readdirSync(join(world.dataDir, 'w1')).some((name) => name.startsWith('journal-'))).toBe(true);
    centre.behaviour.results = 'serve';
    await worker.stop();
    expect(centre.resultOf(each.taskId)).toMatchObject({ result: 'kept' });
  });

  it('drains on SIGTERM: refuses orders, keeps beating, finishes what runs, reports it and leaves with 0', async () => {
    const child = await start({ drainMs: 20_000 });
    const running = order({ handler: 'block', params: { ms: 50 } });
    const hanging = order({ handler: 'hang' });
    await centre.run([running, hanging]);
    child.child.kill('SIGTERM');
    await until('draining', () => centre.beats.at(-1)?.state === 'draining');
    expect((await centre.run([order()])).results[0]?.outcome).toBe('draining');
    const beats = centre.beats.length;
    await until('still beating', () => centre.beats.length > beats + 2);
    await centre.send('POST', '/cancel', { tasks: [{ taskId: hanging.taskId, lease: 2, reason: 'cancelled' }] });
    await until('gone', () => child.exited);
    expect(child.child.exitCode).toBe(0);
    expect(centre.resultOf(running.taskId)).toMatchObject({ outcome: 'succeeded' });
    expect(centre.deregistrations).toEqual([{ workerId: 'p1', incarnation: centre.worker.incarnation }]);
  });

  it('reports drained what outlasts the drain limit, also a handler that ignores its signal', async () => {
    const child = await start({ drainMs: 100 });
    const orders = [order({ handler: 'hang' }), order({ handler: 'stubborn' })];
    await centre.run(orders);
    expect(await child.end('SIGTERM')).toBe(0);
    expect(orders.map(({ taskId }) => centre.resultOf(taskId)?.outcome)).toEqual(['drained', 'drained']);
  });

  it('without a name takes over the name and the journal of one that died', async () => {
    const first = await start({ workerId: undefined });
    centre.verdict = () => undefined;
    await centre.run([order()]);
    await until('sent', () => centre.results.length > 0);
    const { workerId } = centre.worker;
    await first.end('SIGKILL');
    centre.verdict = () => 'applied';
    await start({ workerId: undefined });
    expect(centre.worker.workerId).toBe(workerId);
    expect(centre.worker.unreported).toHaveLength(1);
    await start({ workerId: undefined });
    expect(centre.worker.workerId).not.toBe(workerId);
  });
});
