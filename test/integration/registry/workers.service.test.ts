import type { Backends } from '../../../src/backends/backends.js';
import { LocalSignals } from '../../../src/backends/embedded/local-signals.js';
import { HandMovedClock } from '../../support/hand-moved-clock.js';
import { heartbeat, KEY, life, type Node, OTHER_KEY, registration, startNode } from '../../support/registry-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';

describe.each(ADAPTERS)('the registry on the %s database', (adapter) => {
  let database: FreshDatabase;
  let backends: Backends;
  let clock: HandMovedClock;
  let node: Node;
  let other: Node;
  const nodes: Node[] = [];

  /** Two nodes that share the database and nothing else, unless they are given signals. */
  const start = async (signals?: LocalSignals): Promise<void> => {
    node = startNode(backends.dialect, clock, signals);
    other = startNode(backends.dialect, clock, signals);
    nodes.push(node, other);
    await node.workers.refresh();
    await other.workers.refresh();
  };

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await backends.dialect.root.run('DELETE FROM workers');
    clock = new HandMovedClock();
    await start();
  });
  afterEach(async () => {
    for (const { workers } of nodes.splice(0)) await workers.stop();
  });

  it('knows at once who registered here, and on another node after its next read', async () => {
    await node.register(registration('w1', { tags: ['eu'], zone: 'a' }));
    expect(node.workers.find('w1')).toMatchObject({
      incarnation: life(1),
      state: 'online',
      draining: false,
      suspended: null,
      offer: { zone: 'a' },
    });
    expect(node.changes).toEqual(['registered w1']);
    expect(other.workers.all()).toEqual([]);
    await other.workers.refresh();
    expect(other.workers.find('w1')).toMatchObject({ incarnation: life(1), accessKey: KEY.accessKey });
    expect(other.changes).toEqual(['registered w1']);
    await other.workers.refresh();
    expect(other.changes).toEqual(['registered w1']);
  });

  it('offers a worker for its groups and handlers only', async () => {
    await node.register(registration('w1', { groups: ['payments', 'mail'], slots: { payments: 3, mail: 0 } }));
    expect(node.workers.eligible('payments', 'noop')).toHaveLength(1);
    expect(node.workers.eligible('payments', 'other')).toEqual([]);
    expect(node.workers.eligible('mail', 'noop')).toEqual([]);
    expect(node.workers.handlersServed('payments')).toEqual(['noop', 'echo']);
    expect(node.workers.handlersServed('mail')).toEqual([]);
    expect(node.workers.candidates('payments', 'echo')).toEqual([
      {
        workerId: 'w1',
        incarnation: life(1),
        active: 0,
        queued: 0,
        available: 3,
        slots: 3,
        avgCostMs: 0,
        cpuIdlePercent: 100,
        warmth: 0.75,
        weight: 100,
        zone: null,
      },
    ]);
    clock.pass(5000);
    expect(node.workers.candidates('payments', 'echo')[0]?.warmth).toBe(0.875);
  });

  it('takes a worker that has not beaten yet to be like the others', async () => {
    await node.register(registration('w1'));
    await node.beats.beat(heartbeat('w1', 1, { cpuIdlePercent: 40, avgCostMs: 3000 }), KEY.accessKey);
    await node.register(registration('w2'));
    expect(node.workers.candidates('payments', 'noop')[1]).toMatchObject({ workerId: 'w2', cpuIdlePercent: 40, avgCostMs: 3000 });
  });

  it('counts orders in flight against the free slots until they are answered, and believes the report with the highest number', async () => {
    await node.register(registration('w1'));
    const worker = node.workers.find('w1');
    if (!worker) throw new Error('w1 is unknown');
    node.workers.noteOrdered('w1', life(1), 5);
    expect(node.workers.available(worker)).toBe(3);
    expect(node.workers.candidates('payments', 'noop')[0]).toMatchObject({ active: 5, available: 3 });
    node.workers.noteOrdered('w1', life(1), 3);
    expect(node.workers.handlersServed('payments')).toEqual([]);
    expect(node.workers.anyServes('payments', 'noop')).toBe(true);
    node.workers.noteAnswered('w1', life(1), 8, { seq: 4, active: 6, queued: 2, freeSlots: 0 });
    expect(node.workers.available(worker)).toBe(0);
    node.workers.noteFigures('w1', life(1), { seq: 3, active: 0, queued: 0, freeSlots: 8 });
    expect(node.workers.available(worker)).toBe(0);
    node.workers.noteFigures('w1', life(1), { seq: 5, active: 4, queued: 0, freeSlots: 4 });
    expect(node.workers.available(worker)).toBe(4);
    node.workers.noteOrdered('w1', life(2), 4);
    expect(node.workers.available(worker)).toBe(4);
    // Given back because something failed: room, but no news to hurry for.
    node.workers.noteOrdered('w1', life(1), 4);
    node.workers.noteAnswered('w1', life(1), 4);
    expect(node.workers.available(worker)).toBe(4);
    expect(node.changes).toEqual(['registered w1', 'free w1']);
  });

  it('gives a busy worker nothing until it reports again', async () => {
    await node.register(registration('w1'));
    node.workers.noteBusy('w1', life(1));
    expect(node.workers.candidates('payments', 'noop')[0]?.available).toBe(0);
    node.workers.noteFigures('w1', life(1), { seq: 1, active: 0, queued: 0, freeSlots: 8 });
    expect(node.workers.candidates('payments', 'noop')[0]?.available).toBe(8);
  });

  it('writes a beat before it is acknowledged, and the other node knows it after its next read', async () => {
    await node.register(registration('w1'));
    await other.workers.refresh();
    clock.pass(5000);
    await node.beats.beat(
      heartbeat('w1', 7, { active: 2, freeSlots: 6, avgCostMs: 120, cpuIdlePercent: 40, sentAt: clock.now() + 900 }),
      KEY.accessKey,
    );
    const [row] = await node.store.byIds(['w1']);
    expect(row).toMatchObject({
      lastBeatAt: clock.now(),
      figures: { seq: 7, beatSeq: 7, freeSlots: 6, skewMs: 900 },
      lastRefused: null,
    });
    await other.workers.refresh();
    expect(other.workers.find('w1')?.figures).toMatchObject({
      active: 2,
      freeSlots: 6,
      avgCostMs: 120,
      cpuIdlePercent: 40,
      skewMs: 900,
    });
  });

  it('acknowledges a beat that comes late and ignores it', async () => {
    await node.register(registration('w1'));
    await node.beats.beat(heartbeat('w1', 9, { freeSlots: 2 }), KEY.accessKey);
    await node.beats.beat(heartbeat('w1', 8, { freeSlots: 7, state: 'draining' }), KEY.accessKey);
    expect(node.workers.find('w1')).toMatchObject({ draining: false, figures: { freeSlots: 2, beatSeq: 9 } });
  });

  it('takes a beat as news although an answer to an order was numbered after it', async () => {
    await node.register(registration('w1'));
    node.workers.noteFigures('w1', life(1), { seq: 5, active: 1, queued: 0, freeSlots: 1 });
    await node.beats.beat(heartbeat('w1', 4, { freeSlots: 8, avgCostMs: 50 }), KEY.accessKey);
    expect(node.workers.find('w1')?.figures).toMatchObject({ freeSlots: 1, seq: 5, beatSeq: 4, avgCostMs: 50 });
  });

  it('refuses beats of unknown workers, of another key, of replaced incarnations and after good-bye', async () => {
    await expect(node.beats.beat(heartbeat('nobody', 1), KEY.accessKey)).rejects.toMatchObject({ code: 'not_found' });
    await node.register(registration('w1'));
    await expect(node.beats.beat(heartbeat('w1', 1), OTHER_KEY.accessKey)).rejects.toMatchObject({ code: 'not_found' });
    await other.register(registration('w1', { incarnation: life(2) }));
    // This node still believes in the first life: the row decides.
    await expect(node.beats.beat(heartbeat('w1', 1), KEY.accessKey)).rejects.toMatchObject({ code: 'worker_id_in_use' });
    expect(node.changes).toEqual(['registered w1', 'superseded w1', 'registered w1']);
    await node.registrations.deregister({ workerId: 'w1', incarnation: life(2) }, KEY.accessKey);
    await expect(node.beats.beat(heartbeat('w1', 1, { incarnation: life(2) }), KEY.accessKey)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(node.workers.find('w1')?.state).toBe('offline');
  });

  it('takes a beat of a worker that registered on another node a moment ago', async () => {
    await other.register(registration('w1'));
    await node.beats.beat(heartbeat('w1', 1, { freeSlots: 5 }), KEY.accessKey);
    expect(node.workers.find('w1')?.figures.freeSlots).toBe(5);
  });

  it('keeps a worker online whose beat was refused, and shows why', async () => {
    await node.register(registration('w1'));
    clock.pass(14_000);
    const errors = [{ pointer: '/seq', code: 'type', message: 'must be an integer, not a string' }];
    await node.beats.beatRefused({ workerId: 'w1', incarnation: life(1), seq: '7' }, errors, KEY.accessKey);
    clock.pass(14_000);
    await node.liveness.round();
    await other.workers.refresh();
    expect(node.workers.find('w1')?.state).toBe('online');
    expect(other.workers.find('w1')).toMatchObject({ state: 'online', lastRefused: { errors } });
  });

  it('refuses an id whose process still answers, lets the next one in when it does not', async () => {
    await node.register(registration('w1'));
    node.probe.lives('w1', life(1));
    await expect(node.register(registration('w1', { incarnation: life(2) }))).rejects.toMatchObject({ code: 'worker_id_in_use' });
    await node.register(registration('w1'));
    // The new process listens where the old one did.
    node.probe.lives('w1', life(2));
    await node.register(registration('w1', { incarnation: life(2) }));
    expect(node.workers.find('w1')?.incarnation).toBe(life(2));
  });

  it('lets exactly one of two processes have a free id', async () => {
    node.probe.everybodyLives = other.probe.everybodyLives = true;
    const outcomes = await Promise.allSettled([
      node.register(registration('w1', { incarnation: life(2) })),
      other.register(registration('w1', { incarnation: life(1) })),
    ]);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(refusals).toEqual(['worker_id_in_use']);
    const winner = outcomes[0]?.status === 'fulfilled' ? life(2) : life(1);
    for (const { workers } of [node, other]) {
      await workers.refresh();
      expect(workers.find('w1')?.incarnation).toBe(winner);
    }
  });

  it('refuses groups the key may not serve, and an id that served groups the key may not', async () => {
    await expect(node.register(registration('w2', { groups: ['mail', 'payments'] }), OTHER_KEY)).rejects.toMatchObject({
      code: 'insufficient_scope',
      extras: { errors: [{ pointer: '/groups/1' }] },
    });
    await node.register(registration('w1', { groups: ['payments'] }));
    await expect(node.register(registration('w1', { groups: ['mail'], incarnation: life(2) }), OTHER_KEY)).rejects.toMatchObject({
      code: 'worker_id_in_use',
    });
    await node.register(registration('w3', { groups: ['mail'] }));
    await node.register(registration('w3', { groups: ['mail'], incarnation: life(2) }), OTHER_KEY);
    expect(await node.workers.ownsWorker('w3', OTHER_KEY.accessKey)).toBe(true);
    expect(await node.workers.ownsWorker('w3', KEY.accessKey)).toBe(false);
  });

  it('stops orders to a drained worker on every node, in its next life too, until it is undrained', async () => {
    await node.register(registration('w1'));
    expect(await other.workers.drain('w1')).toBe(true);
    await node.workers.refresh();
    expect(node.workers.eligible('payments', 'noop')).toEqual([]);
    expect(node.workers.anyServes('payments', 'noop')).toBe(true);
    await node.register(registration('w1', { incarnation: life(2) }));
    expect(node.workers.find('w1')).toMatchObject({ draining: true, drainAsked: true });
    await node.workers.undrain('w1');
    expect(node.workers.eligible('payments', 'noop')).toHaveLength(1);
    expect(node.changes).toContain('draining w1');
    expect(node.changes.at(-1)).toBe('free w1');
    expect(await node.workers.drain('nobody')).toBe(false);
  });

  it('stops orders to a worker that says it drains', async () => {
    await node.register(registration('w1'));
    await node.beats.beat(heartbeat('w1', 1, { state: 'draining' }), KEY.accessKey);
    await other.workers.refresh();
    for (const { workers } of [node, other]) expect(workers.find('w1')).toMatchObject({ draining: true, state: 'online' });
  });

  it('suspends an incarnation everywhere until it registers again', async () => {
    await node.register(registration('w1'));
    await node.workers.suspend('w1', life(1), 'answered 401 to an order');
    await other.workers.refresh();
    for (const { workers } of [node, other]) {
      expect(workers.eligible('payments', 'noop')).toEqual([]);
      expect(workers.find('w1')?.suspended?.reason).toBe('answered 401 to an order');
    }
    await node.register(registration('w1'));
    expect(node.workers.find('w1')?.suspended).toBeNull();
    expect(node.workers.eligible('payments', 'noop')).toHaveLength(1);
  });

  it('says an incarnation was replaced or is unknown only after it has read the whole table since it was asked', async () => {
    await node.register(registration('w1', { incarnation: life(2) }));
    clock.pass(1);
    expect(node.workers.standing('w1', life(2))).toBe('current');
    expect(node.workers.standing('w1', life(1))).toBe('current');
    expect(other.workers.standing('w1', life(2))).toBe('current');
    expect(node.workers.standing('w9', life(1))).toBe('current');
    clock.pass(1);
    await node.workers.refresh();
    await other.workers.refresh();
    expect(node.workers.standing('w1', life(1))).toBe('superseded');
    expect(node.workers.standing('w9', life(1))).toBe('unknown');
    expect(other.workers.standing('w1', life(2))).toBe('current');
    await node.register(registration('w1', { incarnation: life(3) }));
    // It saw that itself.
    expect(node.workers.standing('w1', life(2))).toBe('superseded');
    await node.registrations.deregister({ workerId: 'w1', incarnation: life(3) }, KEY.accessKey);
    expect(node.workers.standing('w1', life(3))).toBe('offline');
  });

  it('remembers the last two beats of the current incarnation', async () => {
    await node.register(registration('w1'));
    const attempt = { taskId: 'task_1', lease: 3, phase: 'running' as const };
    for (const seq of [1, 2, 3])
      await node.beats.beat(heartbeat('w1', seq, { attempts: seq === 3 ? [] : [attempt] }), KEY.accessKey);
    expect(node.workers.lastBeats('w1').map(({ seq, attempts }) => [seq, ...attempts])).toEqual([[2, 'task_1:3'], [3]]);
    await node.register(registration('w1', { incarnation: life(2) }));
    expect(node.workers.lastBeats('w1')).toEqual([]);
  });

  it('tells other nodes at once by signal: registrations, figures, orders and beats', async () => {
    await start(new LocalSignals());
    await node.workers.start();
    await other.workers.start();
    await node.register(registration('w1'));
    const worker = await waitFor('the other node knows w1', () => other.workers.find('w1'));
    node.workers.noteOrdered('w1', life(1), 3);
    await waitFor('the orders are known', () => other.workers.available(worker) === 5);
    node.workers.noteAnswered('w1', life(1), 3, { seq: 2, active: 3, queued: 0, freeSlots: 5 });
    await waitFor('the answer is known', () => worker.inFlight === 0 && worker.figures.active === 3);
    const attempts = [{ taskId: 'task_1', lease: 2, phase: 'running' as const }];
    await node.beats.beat(heartbeat('w1', 3, { attempts }), KEY.accessKey);
    await waitFor('the beat is known', () => other.workers.lastBeats('w1')[0]?.attempts.has('task_1:2'));
    await node.workers.drain('w1');
    await waitFor('the drain is known', () => worker.draining);
  });

  it('forgets what another node told of its orders when that node falls silent', async () => {
    await start(new LocalSignals());
    await node.workers.start();
    await other.workers.start();
    await node.register(registration('w1'));
    const worker = await waitFor('the other node knows w1', () => other.workers.find('w1'));
    node.workers.noteOrdered('w1', life(1), 3);
    await waitFor('the orders are known', () => other.workers.available(worker) === 5);
    await node.workers.stop();
    clock.pass(10_001);
    expect(other.workers.available(worker)).toBe(8);
  });

  it('writes the beats of many workers together', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `w${index}`);
    for (const id of ids) await node.register(registration(id));
    const writes = jest.spyOn(node.store, 'writeBeats');
    clock.pass(5000);
    await Promise.all(ids.map((id) => node.beats.beat(heartbeat(id, 1, { freeSlots: 1 }), KEY.accessKey)));
    expect(writes.mock.calls.length).toBeLessThanOrEqual(2);
    expect(
      (await node.store.all()).every(({ lastBeatAt, figures }) => lastBeatAt === clock.now() && figures.freeSlots === 1),
    ).toBe(true);
  });

  it('forgets a worker whose row is gone', async () => {
    await node.register(registration('w1'));
    await backends.dialect.root.run('DELETE FROM workers');
    clock.pass(30_000);
    await node.workers.refresh();
    expect(node.workers.all()).toEqual([]);
    expect(node.changes).toEqual(['registered w1', 'offline w1']);
  });
});
