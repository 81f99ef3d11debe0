import { type AttemptContext, RegistrationRefused } from '../src/worker/index.js';
import { FakeCentre, order, until } from './fake-centre.js';
import { WorkerProcess } from './worker-process.js';
import { World } from './world.js';

/** Where it is to run out: long enough that a machine with much else to do is not taken for a silent centre. */
const LEASE_MS = 4_000;

describe('liveness', () => {
  let world: World;
  let centre: FakeCentre;
  let reasons: unknown[];
  const processes: WorkerProcess[] = [];
  const hang = (_: unknown, { signal }: AttemptContext) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason.reason);
        reject(signal.reason);
      }),
    );

  beforeEach(async () => {
    reasons = [];
    world = await World.open();
    centre = world.centre;
  });
  afterEach(async () => {
    for (const each of processes.splice(0)) await each.end('SIGKILL');
    await world.close();
  });

  it('beats carry strictly increasing sequence numbers, the figures, and every attempt with its phase', async () => {
    await world.worker({ slots: 1, queue: 3 }).handle('echo', hang).start();
    const [first, second] = [order(), order()];
    const { seq } = await centre.run([first, second]);
    const beat = await until('a beat after the answer', () =>
      centre.beats.find((each) => each.seq > seq && each.attempts.length === 2),
    );
    expect(beat).toMatchObject({
      workerId: 'w1',
      state: 'ready',
      active: 1,
      queued: 1,
      freeSlots: 2,
      memory: expect.any(Number),
    });
    expect(beat.attempts).toEqual([
      { taskId: first.taskId, lease: 2, phase: 'running' },
      { taskId: second.taskId, lease: 2, phase: 'queued' },
    ]);
    expect(beat.cpuIdlePercent).toBeGreaterThanOrEqual(0);
    expect(beat.cpuIdlePercent).toBeLessThanOrEqual(100);
    const seqs = centre.beats.map((each) => each.seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it('fences itself when the centre falls silent, and takes orders again after an acknowledged beat', async () => {
    centre.leaseMs = LEASE_MS;
    await world.worker().handle('echo', hang).start();
    const running = order();
    await centre.run([running]);
    await until('named', () => centre.beats.at(-1)?.attempts.length === 1);
    centre.behaviour.heartbeat = 'silent';
    await until('aborted', () => reasons[0] === 'lease_lost');
    const refused = order();
    expect((await centre.run([refused])).results[0]?.outcome).toBe('no_lease');
    expect((await centre.run([running])).results[0]?.outcome).toBe('duplicate');
    expect(await until('result', () => centre.resultOf(running.taskId))).toMatchObject({ outcome: 'drained' });
    centre.behaviour.heartbeat = 'serve';
    const beats = centre.beats.length;
    await until('acknowledged again', () => centre.beats.length > beats + 1);
    const answer = await centre.run([order(), refused]);
    expect(answer.results.map(({ outcome }) => outcome)).toEqual(['accepted', 'no_lease']);
  });

  it('runs on when the centre refuses at once', async () => {
    centre.leaseMs = LEASE_MS;
    await world.worker().handle('echo', hang).start();
    await centre.run([order()]);
    const { port } = centre;
    await centre.close();
    const closedAt = Date.now();
    await until('several leases have passed', () => Date.now() - closedAt > 2.5 * LEASE_MS);
    expect(reasons).toEqual([]);
    await centre.listen(port);
    const beats = centre.beats.length;
    await until('beats again', () => centre.beats.length > beats);
    expect(centre.beats.at(-1)?.attempts).toHaveLength(1);
  });

  it('runs on when the centre answers 503', async () => {
    centre.leaseMs = LEASE_MS;
    await world.worker().handle('echo', hang).start();
    await centre.run([order()]);
    centre.behaviour.heartbeat = { status: 503 };
    const since = Date.now();
    await until('several leases have passed', () => Date.now() - since > 2.5 * LEASE_MS);
    expect(reasons).toEqual([]);
  });

  it('fences itself when the centre no longer accepts its key', async () => {
    centre.leaseMs = LEASE_MS;
    await world.worker().handle('echo', hang).start();
    await centre.run([order()]);
    centre.behaviour.heartbeat = { status: 403, body: { code: 'key_disabled', title: 'key disabled' } };
    await until('aborted', () => reasons[0] === 'lease_lost');
  });

  it('turns to another centre URL within one beat', async () => {
    const other = await new FakeCentre().listen();
    try {
      other.heartbeatMs = centre.heartbeatMs;
      await world
        .worker({ centre: [centre.url, other.url] })
        .handle('echo', hang)
        .start();
      await centre.run([order()]);
      // On a busy machine it may have turned to the other already, and back.
      for (const [silent, heard] of [
        [centre, other],
        [other, centre],
      ] as const) {
        silent.behaviour.heartbeat = 'silent';
        heard.behaviour.heartbeat = 'serve';
        const before = heard.beats.length;
        await until('beats at the one that answers', () => heard.beats.length > before + 10);
        expect(heard.beats.at(-1)?.attempts).toHaveLength(1);
      }
      expect(reasons).toEqual([]);
    } finally {
      centre.behaviour.heartbeat = 'serve';
      await other.close();
    }
  });

  it('registers again when the centre does not know it, and goes on', async () => {
    await world.worker().handle('echo', hang).start();
    await centre.run([order()]);
    centre.behaviour.heartbeat = { status: 404, body: { code: 'not_found', title: 'not found' } };
    await until('registered again', () => centre.registrations.length === 2);
    centre.behaviour.heartbeat = 'serve';
    await until('beats', () => centre.beats.at(-1)?.attempts.length === 1);
    expect(centre.registrations[1]?.incarnation).toBe(centre.registrations[0]?.incarnation);
    expect(reasons).toEqual([]);
  });

  it('aborts and says so when another worker was given its name meanwhile', async () => {
    centre.leaseMs = LEASE_MS;
    const worker = world.worker().handle('echo', hang);
    await worker.start();
    await centre.run([order()]);
    centre.behaviour.register = { status: 409, body: { code: 'worker_id_in_use', title: 'in use', detail: 'in use' } };
    centre.behaviour.heartbeat = { status: 409, body: { code: 'worker_id_in_use', title: 'in use', detail: 'in use' } };
    await expect(worker.displaced).rejects.toThrow(RegistrationRefused);
    await until('aborted', () => reasons[0] === 'lease_lost');
  });

  it('asks to be registered until the centre is there, and says clearly that its key is refused', async () => {
    centre.behaviour.register = { status: 401, body: { code: 'auth_failed', title: 'auth failed' } };
    const started = world.worker().handle('echo', hang).start();
    await until('said so', () => world.logged('registration refused: will ask again'));
    expect(world.logged('registration refused: will ask again')?.fields.why).toContain('key');
    centre.behaviour.register = { status: 503 };
    centre.behaviour.register = 'serve';
    await started;
    expect(centre.registrations).toHaveLength(1);
  });

  it('does not start under a name that is in use', async () => {
    centre.behaviour.register = { status: 409, body: { code: 'worker_id_in_use', title: 'in use', detail: 'in use' } };
    await expect(world.worker().handle('echo', hang).start()).rejects.toThrow(/workerId "w1" is in use/);
  });

  it('keeps beating while a handler blocks the event loop, naming what it had accepted', async () => {
    const child = new WorkerProcess({ centre: centre.url, dataDir: world.dataDir });
    processes.push(child);
    await until('registered', () => centre.registrations.length === 1);
    const orders = [order({ handler: 'block', params: { ms: 6_000 } }), order()];
    await centre.run(orders);
    const beats = centre.beats.length;
    await until('beats meanwhile', () => centre.beats.length > beats + 5);
    expect(centre.results).toEqual([]);
    expect(centre.beats.at(-1)).toMatchObject({
      active: 2,
      queued: 0,
      attempts: orders.map(({ taskId }) => ({ taskId, phase: 'running' })),
    });
    await until('results', () => centre.results.length === 2);
  });

  it('sends progress and checkpoints of a handler that never gives way to the event loop', async () => {
    const child = new WorkerProcess({ centre: centre.url, dataDir: world.dataDir });
    processes.push(child);
    await until('registered', () => centre.registrations.length === 1);
    await centre.run([order({ handler: 'grind', params: { ms: 60_000 } })]);
    const of = (beat: (typeof centre.beats)[number]) => beat.attempts[0];
    await until('its progress rises', () => new Set(centre.beats.map((beat) => of(beat)?.progress)).size > 3);
    await until('checkpoints follow one another', () => {
      const states = centre.beats.flatMap((beat) => of(beat)?.checkpoint ?? []).map((state) => JSON.stringify(state));
      return new Set(states).size > 2;
    });
    expect(centre.results).toEqual([]);
  });

  it('aborts what ran across a freeze longer than the lease, although the next beat is acknowledged at once', async () => {
    centre.leaseMs = LEASE_MS;
    const child = new WorkerProcess({ centre: centre.url, dataDir: world.dataDir });
    processes.push(child);
    await until('registered', () => centre.registrations.length === 1);
    const running = order({ handler: 'hang' });
    await centre.run([running]);
    await until('named', () => centre.beats.at(-1)?.attempts.length === 1);
    child.child.kill('SIGSTOP');
    const frozenAt = Date.now();
    await until('the lease has passed', () => Date.now() - frozenAt > 2 * LEASE_MS);
    child.child.kill('SIGCONT');
    expect(await until('result', () => centre.resultOf(running.taskId))).toMatchObject({ outcome: 'drained' });
  });

  it('aborts what ran across a silence that was over before the blocked event loop could see it', async () => {
    centre.leaseMs = LEASE_MS;
    const child = new WorkerProcess({ centre: centre.url, dataDir: world.dataDir, slots: 2 });
    processes.push(child);
    await until('registered', () => centre.registrations.length === 1);
    const waiting = order({ handler: 'hang', priority: 10 });
    await centre.run([waiting, order({ handler: 'block', params: { ms: 4 * LEASE_MS } })]);
    await until('named', () => centre.beats.at(-1)?.attempts.length === 2);
    centre.behaviour.heartbeat = 'silent';
    const silentAt = Date.now();
    await until('the lease has passed', () => Date.now() - silentAt > 1.5 * LEASE_MS);
    centre.behaviour.heartbeat = 'serve';
    const beats = centre.beats.length;
    await until('acknowledged again', () => centre.beats.length > beats + 2);
    expect(centre.results).toEqual([]);
    expect(await until('result', () => centre.resultOf(waiting.taskId))).toMatchObject({ outcome: 'drained' });
  });
});
