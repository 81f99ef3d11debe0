import type { Backends } from '../../../src/backends/backends.js';
import type { ProbeReply } from '../../../src/registry/worker-probe.js';
import { HandMovedClock } from '../../support/hand-moved-clock.js';
import { heartbeat, KEY, life, type Node, registration, startNode } from '../../support/registry-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../../support/services.js';

const SILENT: ProbeReply = { kind: 'silent', cause: 'refused' };

describe.each(ADAPTERS)('judging silent workers on the %s database', (adapter) => {
  let database: FreshDatabase;
  let backends: Backends;
  let clock: HandMovedClock;
  let node: Node;

  /** Seconds pass one by one, and each node does every second what it always does. */
  const seconds = async (count: number, nodes: Node[] = [node]): Promise<void> => {
    for (let second = 0; second < count; second++) {
      clock.pass(1000);
      for (const { workers, liveness } of nodes) {
        await workers.refresh();
        await liveness.round();
        await liveness.settled();
      }
    }
  };
  const beat = (seq: number) => node.beats.beat(heartbeat('w1', seq), KEY.accessKey);
  const state = (of = node) => of.workers.find('w1')?.state;

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await backends.dialect.root.run('DELETE FROM workers');
    clock = new HandMovedClock();
    node = startNode(backends.dialect, clock);
    await node.workers.refresh();
    await seconds(21);
    await node.register(registration('w1'));
  });

  it('suspects it after three missed beats, asks it after the fourth, and declares it lost when it does not answer', async () => {
    await seconds(15);
    expect(state()).toBe('online');
    await seconds(1);
    expect(state()).toBe('suspect');
    expect(node.workers.eligible('payments', 'noop')).toEqual([]);
    expect(node.workers.standing('w1', life(1))).toBe('current');
    expect(node.probe.asked).toEqual([]);
    await seconds(5);
    expect(node.probe.asked).toEqual(['w1']);
    expect(state()).toBe('offline');
    expect(node.workers.standing('w1', life(1))).toBe('offline');
    expect(node.changes).toEqual(['registered w1', 'offline w1']);
    await seconds(30);
    expect(node.probe.asked).toEqual(['w1']);
  });

  it('trusts a suspect again as soon as it beats', async () => {
    await seconds(17);
    await beat(1);
    expect(state()).toBe('online');
    expect(node.changes).toEqual(['registered w1', 'online w1', 'free w1']);
  });

  it('keeps a silent worker that answers, with the attempts it names, but sends it nothing', async () => {
    node.workers.noteFigures('w1', life(1), { seq: 4, active: 2, queued: 0, freeSlots: 6 });
    node.probe.lives('w1', life(1), [{ taskId: 'task_1', lease: 2 }]);
    await seconds(31);
    expect(state()).toBe('suspect');
    expect(node.probe.asked).toHaveLength(3);
    const beats = node.workers.lastBeats('w1');
    expect(beats.map(({ attempts }) => [...attempts])).toEqual([['task_1:2'], ['task_1:2']]);
    // Later than the last report, earlier than the next, each later than the one before.
    expect(beats.map(({ seq }) => seq > 4 && seq < 5)).toEqual([true, true]);
    expect(beats[1]?.seq).toBeGreaterThan(beats[0]?.seq ?? 5);
    node.probe.replies.set('w1', SILENT);
    await seconds(6);
    expect(state()).toBe('offline');
  });

  it('declares it lost when another process answers in its place', async () => {
    node.probe.lives('w1', life(2));
    await seconds(21);
    expect(state()).toBe('offline');
  });

  it('declares nothing when it could not even ask', async () => {
    node.probe.replies.set('w1', { kind: 'not_asked', cause: 'no secret' });
    await seconds(60);
    expect(state()).toBe('suspect');
  });

  it('lets a beat win that is written while the probe is under way', async () => {
    let answer: (reply: ProbeReply) => void = () => undefined;
    node.probe.replies.set('w1', new Promise((resolve) => (answer = resolve)));
    await seconds(20);
    clock.pass(1000);
    await node.workers.refresh();
    await node.liveness.round();
    const other = startNode(backends.dialect, clock);
    await other.workers.refresh();
    await other.beats.beat(heartbeat('w1', 1), KEY.accessKey);
    answer(SILENT);
    await node.liveness.settled();
    expect(state()).toBe('online');
    expect((await node.store.byIds(['w1']))[0]?.state).toBe('ready');
  });

  it('takes a worker back that beats after it was declared lost', async () => {
    await seconds(21);
    expect(state()).toBe('offline');
    const other = startNode(backends.dialect, clock);
    await other.workers.refresh();
    await beat(1);
    expect(state()).toBe('online');
    await other.workers.refresh();
    expect(state(other)).toBe('online');
    expect(other.changes).toEqual(['registered w1', 'online w1', 'free w1']);
  });

  it('learns of beats and losses from the table on nodes that hear of neither', async () => {
    const other = startNode(backends.dialect, clock);
    await other.workers.refresh();
    for (let seq = 1; seq <= 6; seq++) {
      await seconds(5, [other]);
      await beat(seq);
    }
    await other.workers.refresh();
    expect(state(other)).toBe('online');
    await seconds(21, [node]);
    await other.workers.refresh();
    expect(state(other)).toBe('offline');
  });

  it('declares nobody lost for 20 s after this node started, or stood still', async () => {
    await seconds(14);
    const late = startNode(backends.dialect, clock);
    await late.workers.refresh();
    await seconds(19, [late]);
    expect(state(late)).toBe('suspect');
    // Frozen for a minute: the beats of that minute went elsewhere or nowhere.
    clock.pass(60_000);
    await seconds(19, [late]);
    expect(state(late)).toBe('suspect');
    await seconds(2, [late]);
    expect(state(late)).toBe('offline');
  });

  it('declares nobody lost for 20 s after the database came back', async () => {
    await backends.dialect.root.run('ALTER TABLE workers RENAME TO workers_away');
    for (let second = 0; second < 40; second++) {
      clock.pass(1000);
      await expect(node.workers.refresh()).rejects.toThrow();
      await node.liveness.round();
    }
    expect(node.probe.asked).toEqual([]);
    await backends.dialect.root.run('ALTER TABLE workers_away RENAME TO workers');
    await seconds(20);
    expect(state()).toBe('suspect');
    await seconds(1);
    expect(state()).toBe('offline');
  });

  it('is not moved by jumps of the wall clock or by clocks of workers', async () => {
    for (let seq = 1; seq <= 4; seq++) {
      await seconds(5);
      clock.jump(seq % 2 === 0 ? -7_200_000 : 3_600_000);
      await node.beats.beat(heartbeat('w1', seq, { sentAt: 1 }), KEY.accessKey);
      await node.workers.refresh();
      await node.liveness.round();
      expect(state()).toBe('online');
    }
    expect(node.changes).toEqual(['registered w1']);
  });

  it('forgets workers that have been away for a week', async () => {
    await node.registrations.deregister({ workerId: 'w1', incarnation: life(1) }, KEY.accessKey);
    clock.pass(8 * 24 * 3_600_000);
    await node.liveness.round();
    expect(await node.store.all()).toEqual([]);
  });

  if (adapter === 'cluster')
    it('forgets them without waiting for what is written of others meanwhile', async () => {
      await node.register(registration('w2'));
      await node.registrations.deregister({ workerId: 'w1', incarnation: life(1) }, KEY.accessKey);
      await backends.dialect.transaction(async (tx) => {
        await node.store.lock(tx, 'w2');
        expect(await node.store.forgetAwaySince(clock.now() + 1)).toBe(1);
      });
      expect((await node.store.all()).map(({ workerId }) => workerId)).toEqual(['w2']);
    });
});
