import { type OrderOutcome, type RunAnswer, signedHeaders } from '../src/contract/index.js';
import { exchange, type FakeCentre, KEY, order, SECRET, until } from './fake-centre.js';
import { World } from './world.js';

describe('orders', () => {
  let world: World;
  let centre: FakeCentre;
  const outcomes = (answer: { results: { outcome: OrderOutcome }[] }) => answer.results.map(({ outcome }) => outcome);

  beforeEach(async () => {
    world = await World.open();
    centre = world.centre;
  });
  afterEach(() => world.close());

  it('answers duplicate for an accepted order that is sent again, while it runs and after it ended', async () => {
    const gate = world.gate();
    let runs = 0;
    const counted = async () => {
      runs++;
      await gate.opened;
    };
    await world.worker().handle('echo', counted).start();
    const each = order();
    expect(outcomes(await centre.run([each]))).toEqual(['accepted']);
    expect(outcomes(await centre.run([each, each]))).toEqual(['duplicate', 'duplicate']);
    gate.open();
    await until('acknowledged result', () => centre.beats.at(-1)?.attempts.length === 0 && centre.resultOf(each.taskId));
    expect(outcomes(await centre.run([each]))).toEqual(['duplicate']);
    expect(runs).toBe(1);
  });

  it('treats another lease of the same task as another order', async () => {
    await world
      .worker()
      .handle('echo', (input) => input)
      .start();
    const each = order();
    expect(outcomes(await centre.run([each, { ...each, lease: 7 }]))).toEqual(['accepted', 'accepted']);
    await until('both results', () => centre.results.length === 2);
    expect(centre.results.map(({ lease }) => lease).sort()).toEqual([2, 7]);
  });

  it('is busy beyond slots and queue, says so for good, and reports how many more it would take', async () => {
    const gate = world.gate();
    await world
      .worker({ slots: 2, queue: 1 })
      .handle('echo', () => gate.opened)
      .start();
    const orders = [order(), order(), order(), order()];
    const answer = await centre.run(orders);
    expect(outcomes(answer)).toEqual(['accepted', 'accepted', 'accepted', 'busy']);
    expect(answer.freeSlots).toBe(0);
    gate.open();
    await until('results', () => centre.results.length === 3);
    const later = await centre.run([...orders.slice(3), order()]);
    expect(outcomes(later)).toEqual(['busy', 'accepted']);
    expect(later.freeSlots).toBe(2);
    expect(later.seq).toBeGreaterThan(answer.seq);
  });

  it('refuses a handler it does not have', async () => {
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    expect(outcomes(await centre.run([order({ handler: 'other' })]))).toEqual(['unknown_handler']);
  });

  it('refuses orders of an older epoch with the epoch it has seen, and takes the same order of a newer one', async () => {
    centre.epochs = { 3: 10 };
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    const each = order();
    const stale = await centre.run([each], { epoch: 9 });
    expect(stale.results).toEqual([{ taskId: each.taskId, lease: 2, outcome: 'stale_epoch', seenEpoch: 10 }]);
    expect(outcomes(await centre.run([order()], { epoch: 1, partition: 4 }))).toEqual(['accepted']);
    expect(outcomes(await centre.run([each], { epoch: 12 }))).toEqual(['accepted']);
    expect(outcomes(await centre.run([order()], { epoch: 11 }))).toEqual(['stale_epoch']);
    expect(outcomes(await centre.run([each], { epoch: 11 }))).toEqual(['duplicate']);
  });

  it('learns epochs from heartbeat answers', async () => {
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    centre.nextAnswer = { epochs: { 3: 5 } };
    await until('a beat was answered', () => centre.nextAnswer.epochs === undefined);
    await until(
      'the epoch is known',
      async_(async () => outcomes(await centre.run([order()], { epoch: 4 }))[0] === 'stale_epoch'),
    );
  });

  it('refuses orders that name another incarnation or another worker', async () => {
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    const each = order();
    expect(outcomes(await centre.run([each], { incarnation: '00000000000000000000000000' }))).toEqual(['stale_incarnation']);
    expect(outcomes(await centre.run([each], { workerId: 'w2' }))).toEqual(['stale_incarnation']);
    expect(outcomes(await centre.run([each]))).toEqual(['accepted']);
  });

  it('never runs an order whose cancel came first', async () => {
    let ran = false;
    const mark = () => {
      ran = true;
    };
    await world.worker().handle('echo', mark).start();
    const { taskId, lease } = order();
    const cancel = { tasks: [{ taskId, lease, reason: 'cancelled' }] };
    expect((await centre.send('POST', '/cancel', cancel)).json).toEqual({ results: [{ taskId, lease, outcome: 'unknown' }] });
    expect(outcomes(await centre.run([order({ taskId })]))).toEqual(['no_lease']);
    expect(ran).toBe(false);
  });

  it('logs each order with its sender', async () => {
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    const each = order({ attempt: 3 });
    await centre.run([each]);
    expect(world.logged('order received')?.fields).toMatchObject({
      taskId: each.taskId,
      lease: 2,
      attempt: 3,
      sender: expect.stringContaining('127.0.0.1'),
    });
  });

  it.each([
    ['/tasks/0/lease', { lease: '2' }],
    ['/tasks/0/priority', { priority: 11 }],
    ['/tasks/0/timeoutMs', { timeoutMs: 1.5 }],
    ['/tasks/0/taskId', { taskId: 'a"b' }],
    ['/tasks/0/params', { params: undefined }],
    ['/tasks/0/shard/index', { shard: { index: 2, total: 2 } }],
    ['/tasks/0/shard/share/to', { shard: { index: 0, total: 2, share: { from: 0.5, to: 0.2 } } }],
    ['/tasks/0/group', { group: 7 }],
  ])('refuses a wrong %s by name and takes nothing of the request', async (pointer, change) => {
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    const { workerId, incarnation } = centre.worker;
    const body = { partition: 1, epoch: 1, workerId, incarnation, tasks: [{ ...order(), ...change }] };
    const { status, json } = await centre.send('POST', '/run', body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
  });

  it('ignores fields it does not know', async () => {
    await world
      .worker()
      .handle('echo', (input) => input)
      .start();
    const each = { ...order(), future: true };
    expect(outcomes(await centre.run([each]))).toEqual(['accepted']);
  });

  describe('are refused with 401', () => {
    it.each<[string, Parameters<FakeCentre['send']>[3]]>([
      ['without a signature', { headers: { 'x-ek-signature': undefined } }],
      ['signed with another secret', { secret: 'another' }],
      ['in the name of another key', { headers: { 'x-ek-access-key': 'wk_another0123456789abc' } }],
      ['with a partner key', { headers: { 'x-ek-access-key': 'ak_test_0123456789abcdef' } }],
      ['dated 301 s ago', { skewSeconds: -302 }],
      ['dated ahead', { skewSeconds: 302 }],
      ['with an upper-case signature', { headers: { 'x-ek-signature': `v1=${'A'.repeat(64)}` } }],
    ])('%s', async (_, change) => {
      await world
        .worker()
        .handle('echo', () => null)
        .start();
      const { workerId, incarnation } = centre.worker;
      const body = { partition: 1, epoch: 1, workerId, incarnation, tasks: [order()] };
      const { status } = await centre.send('POST', '/run', body, change);
      expect(status).toBe(401);
      expect((await centre.send('GET', '/health', '', change)).status).toBe(401);
      expect((await centre.send('GET', '/health')).json).toMatchObject({ attempts: [] });
    });
  });

  it('are believed by the clock of the centre, however wrong the own one is', async () => {
    centre.clockOffsetMs = 3 * 3600_000;
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    const each = order();
    expect(outcomes(await centre.run([each]))).toEqual(['accepted']);
    const result = await until('result', () => centre.resultOf(each.taskId));
    expect(Math.abs(result.endedAt - centre.now)).toBeLessThan(10_000);
    expect(centre.badSignatures).toEqual(['register']);
  });

  it('that somebody recorded and sends again, within the window or after it, run nothing twice', async () => {
    let runs = 0;
    await world
      .worker()
      .handle('echo', () => ++runs)
      .start();
    const { workerId, incarnation } = centre.worker;
    const each = order();
    const body = JSON.stringify({ partition: 1, epoch: 1, workerId, incarnation, tasks: [each] });
    const timestamp = String(Math.floor(centre.now / 1000));
    const parts = { accessKey: KEY, timestamp, nonce: 'recorded-0123456789', method: 'POST', target: '/run', body };
    const recorded = { ...signedHeaders(parts, SECRET), 'content-length': String(Buffer.byteLength(body)) };
    const base = new URL(centre.worker.urls[0] as string);
    const send = () => exchange(base, 'POST', '/run', recorded, body);
    expect(((await send()).json as RunAnswer).results[0]?.outcome).toBe('accepted');
    expect(((await send()).json as RunAnswer).results[0]?.outcome).toBe('duplicate');
    await until('its result', () => centre.resultOf(each.taskId));
    expect(((await send()).json as RunAnswer).results[0]?.outcome).toBe('duplicate');
    expect(runs).toBe(1);
    centre.clockOffsetMs = 302_000;
    await until(
      'the worker knows the time',
      async_(async () => (await send()).status === 401),
    );
  });

  it('answers 413 to 2 MiB, announced or not, and goes on', async () => {
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    const large = 'x'.repeat(2 * 1024 * 1024);
    const heard = (change?: Parameters<FakeCentre['send']>[3]) =>
      centre.send('POST', '/run', large, change).then(
        ({ status }) => status,
        (error) => error.code,
      );
    // Hung up on while still sending, a client may see only that.
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(await heard());
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(
      await heard({ headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' } }),
    );
    expect(outcomes(await centre.run([order()]))).toEqual(['accepted']);
  });

  it('answers 404, 405 and 413', async () => {
    await world
      .worker()
      .handle('echo', () => null)
      .start();
    expect((await centre.send('GET', '/nothing')).status).toBe(404);
    expect((await centre.send('GET', '/run')).status).toBe(405);
    expect((await centre.send('POST', '/run', 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    expect((await centre.send('POST', '/run', 'not json')).status).toBe(400);
  });
});

/** Lets a condition be asynchronous: the last known answer is looked at. */
function async_(ask: () => Promise<boolean>): () => boolean {
  let known = false;
  let asking = false;
  return () => {
    if (!asking && !known) {
      asking = true;
      ask().then((answer) => {
        known = answer;
        asking = false;
      });
    }
    return known;
  };
}
