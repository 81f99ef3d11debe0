import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { TaskWorld } from '../support/task-world.js';

const PAIRS = 200;

function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

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

  // Embedded, transactions queue: nobody waits at a key.
  if (adapter === 'cluster')
    it('an id somebody writes for longer than anybody waits is in progress, and the next attempt is told what became of it', async () => {
      const node = nodes[0] as TaskWorld;
      const inserted = gate();
      let isWanted = true;
      const winner = node.backends.dialect.transaction(async (tx) => {
        await node.insertRaw(tx, same('slow'));
        inserted.open();
        // An idle session is ended by the server, and its locks with it.
        while (isWanted) await tx.rows('SELECT SLEEP(0.2)');
      });
      await inserted.opened;
      expect((await submit(nodes[1], same('slow'))).outcome).toBe('in_progress');
      isWanted = false;
      await winner;
      expect((await submit(nodes[1], same('slow'))).outcome).toBe('replayed');
      expect(await rowsOf('slow')).toBe(1);
    }, 120_000);
});
