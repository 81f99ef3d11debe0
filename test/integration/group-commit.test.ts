import { KEY_PATIENCE_IN_LIST_MS } from '../../src/tasks/key-watch.js';
import { gate } from '../support/gate.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { TaskWorld } from '../support/task-world.js';

const PAIRS = 200;

describe.each(ADAPTERS)('submissions that share a commit (%s)', (adapter) => {
  let database: FreshDatabase;
  let nodes: TaskWorld[];

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    // Embedded there is one node; its two callers share its queue.
    const first = await new TaskWorld(await database.open()).prepare();
    nodes = adapter === 'cluster' ? [first, await new TaskWorld(await database.open()).prepare()] : [first, first];
  }, 60_000);
  afterAll(() => database?.drop());

  const same = (clientRequestId: string) => ({ clientRequestId, fingerprint: 'f1' });
  const submit = async (node: TaskWorld | undefined, more: object) => {
    const [outcome] = await (node as TaskWorld).tasks.submit([(node as TaskWorld).newTask(more)]);
    return outcome as { outcome: string; task?: { id: string } };
  };
  const rowsOf = async (prefix: string) => {
    const [row] = await (nodes[0] as TaskWorld).backends.dialect.root.rows<{ n: number | string }>(
      'SELECT COUNT(*) AS n FROM tasks WHERE client_request_id LIKE ?',
      [`${prefix}%`],
    );
    return Number(row?.n);
  };

  it('two hundred pairs of the same id on two nodes are two hundred tasks, each told to both', async () => {
    const pairs = await Promise.all(
      Array.from({ length: PAIRS }, (_, n) => Promise.all(nodes.map((node) => submit(node, same(`pair-${n}`))))),
    );
    for (const [one, other] of pairs) {
      expect([one?.outcome, other?.outcome].sort()).toEqual(['accepted', 'replayed']);
      expect(one?.task?.id).toBe(other?.task?.id);
    }
    expect(await rowsOf('pair-')).toBe(PAIRS);
  }, 60_000);

  it('duplicates and invalid ones among them harm none of the others', async () => {
    await submit(nodes[0], same('known-1'));
    const bad = { handler: null as unknown as string };
    const all = await Promise.allSettled([
      ...Array.from({ length: 50 }, (_, n) => submit(nodes[n % 2], same(`fresh-${n}`))),
      ...Array.from({ length: 50 }, (_, n) => submit(nodes[n % 2], same('known-1'))),
      ...Array.from({ length: 10 }, (_, n) => submit(nodes[n % 2], { ...same('known-1'), fingerprint: 'f2' })),
      ...Array.from({ length: 10 }, (_, n) => submit(nodes[n % 2], bad)),
    ]);
    const outcomes = all.map((each) => (each.status === 'fulfilled' ? each.value.outcome : 'rejected'));
    expect(outcomes.slice(0, 50)).toEqual(Array(50).fill('accepted'));
    expect(outcomes.slice(50, 100)).toEqual(Array(50).fill('replayed'));
    expect(outcomes.slice(100, 110)).toEqual(Array(10).fill('reused'));
    expect(outcomes.slice(110)).toEqual(Array(10).fill('rejected'));
    expect(await rowsOf('fresh-')).toBe(50);
  }, 60_000);

  it('what is longer together than one packet of the database is stored', async () => {
    const node = nodes[0] as TaskWorld;
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`key-${n}`, '字'.repeat(512)]));
    const long = (n: number) => node.newTask({ ...same(`long-${n}`), params: JSON.stringify('字'.repeat(12_000)), metadata });
    const outcomes = await node.tasks.submit(Array.from({ length: 330 }, (_, n) => long(n)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(330).fill('accepted'));
    expect(await rowsOf('long-')).toBe(330);
  }, 60_000);

  it('the same id several times in one list is one task', async () => {
    const node = nodes[0] as TaskWorld;
    const outcomes = await node.tasks.submit([
      node.newTask(same('list-1')),
      node.newTask(same('list-1')),
      node.newTask(same('list-2')),
    ]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'accepted', 'replayed']);
    expect(await rowsOf('list-')).toBe(2);
  });

  it('an id whose first writer rolled back belongs to the next, and is one task', async () => {
    const node = nodes[0] as TaskWorld;
    const inserted = gate();
    const rollBack = gate();
    const winner = node.backends.dialect.transaction(async (tx) => {
      await node.insertRaw(tx, same('rolled-back'));
      inserted.open();
      await rollBack.opened;
      throw new Error('the winner gives up');
    });
    await inserted.opened;
    const waiting = Array.from({ length: 20 }, () => submit(nodes[1], same('rolled-back')));
    // Long enough for them to be waiting at the unique key; whether they are changes nothing of the outcome.
    setTimeout(rollBack.open, 100);
    await expect(winner).rejects.toThrow('the winner gives up');
    const outcomes = (await Promise.all(waiting)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'replayed')).toHaveLength(19);
    expect(await rowsOf('rolled-back')).toBe(1);
  }, 60_000);

  /** Another process writes the id and has not committed until `end` is called; an idle session is ended by the server. */
  const beingWritten = async (clientRequestId: string) => {
    const node = nodes[0] as TaskWorld;
    const inserted = gate();
    let isWanted = true;
    const winner = node.backends.dialect.transaction(async (tx) => {
      await node.insertRaw(tx, same(clientRequestId));
      inserted.open();
      while (isWanted) await tx.rows('SELECT SLEEP(0.2)');
    });
    await inserted.opened;
    return async () => {
      isWanted = false;
      await winner;
    };
  };

  it('what shares a commit with an id that another transaction holds is stored', async () => {
    const node = nodes[0] as TaskWorld;
    const inserted = gate();
    const go = gate();
    const winner = node.backends.dialect.transaction(async (tx) => {
      await node.insertRaw(tx, same('held'));
      inserted.open();
      await go.opened;
    });
    await inserted.opened;
    const all = Array.from({ length: 30 }, (_, n) => submit(nodes[1], same(n === 15 ? 'held' : `beside-${n}`)));
    // Embedded, transactions queue behind the one that holds it.
    if (adapter === 'cluster') await Promise.all(all.filter((_, n) => n !== 15));
    go.open();
    await winner;
    const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array.from({ length: 30 }, (_, n) => (n === 15 ? 'replayed' : 'accepted')));
  }, 60_000);

  // Embedded, transactions queue: nobody waits at a key.
  if (adapter === 'cluster') {
    it('an id somebody writes for longer than anybody waits is in progress, and the next attempt is told what became of it', async () => {
      const end = await beingWritten('slow');
      expect((await submit(nodes[1], same('slow'))).outcome).toBe('in_progress');
      await end();
      expect((await submit(nodes[1], same('slow'))).outcome).toBe('replayed');
      expect(await rowsOf('slow')).toBe(1);
    }, 120_000);

    it('while one id is being written, those who ask for it hold up nobody, however many they are', async () => {
      const end = await beingWritten('stuck');
      const stuck = Array.from({ length: 50 }, () => submit(nodes[1], same('stuck')));
      for (let round = 0; round < 5; round++) {
        const more = { clientRequestId: null, fingerprint: null };
        const others = [...Array.from({ length: 10 }, (_, n) => same(`past-${round}-${n}`)), more];
        const outcomes = await Promise.all(others.map((each) => submit(nodes[1], each)));
        expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(11).fill('accepted'));
        stuck.push(submit(nodes[1], same('stuck')));
      }
      await end();
      expect(new Set((await Promise.all(stuck)).map(({ outcome }) => outcome))).toEqual(new Set(['replayed']));
      expect(await rowsOf('stuck')).toBe(1);
    }, 60_000);

    it('in a list it is answered with the others, soon, as in progress', async () => {
      const node = nodes[1] as TaskWorld;
      const upstream = await node.submit();
      const end = await beingWritten('listed');
      const list = [same('list-a'), same('listed'), same('list-b'), { ...same('list-c'), dependsOn: [upstream] }];
      const outcomes = await node.tasks.submit(
        list.map((each) => node.newTask(each)),
        KEY_PATIENCE_IN_LIST_MS,
      );
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'in_progress', 'accepted', 'accepted']);
      const dependent = { ...same('listed'), dependsOn: [upstream] };
      const ofDependents = await node.tasks.submit(
        [node.newTask(dependent), node.newTask({ ...same('list-d'), dependsOn: [upstream] })],
        KEY_PATIENCE_IN_LIST_MS,
      );
      expect(ofDependents.map(({ outcome }) => outcome)).toEqual(['in_progress', 'accepted']);
      await end();
      expect((await submit(node, dependent)).outcome).toBe('replayed');
    }, 60_000);
  }
});
