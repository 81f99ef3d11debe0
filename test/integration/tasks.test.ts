import type { AttemptResult, Json } from '@evenkeel/sdk/contract';
import { JsonText } from '../../src/decisions/json-text.js';
import { parseTimeline } from '../../src/decisions/timeline.js';
import type { Sql } from '../../src/ports.js';
import type { TaskRecord } from '../../src/tasks/task.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP, TaskWorld } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const steps = (task: TaskRecord) =>
  parseTimeline(task.timeline).map(({ seq, to, reason }) => [seq, to, reason].filter((part) => part !== undefined));

describe.each(ADAPTERS)('the record of a task (%s)', (adapter) => {
  let database: FreshDatabase;
  let world: TaskWorld;

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    world = await new TaskWorld(await database.open()).prepare();
  });
  afterAll(() => database?.drop());

  const result = (taskId: string, lease: number, more: Partial<AttemptResult> = {}): AttemptResult => ({
    taskId,
    lease,
    outcome: 'succeeded',
    startedAt: world.now,
    endedAt: world.now,
    ...more,
  });
  const settle = async (...results: AttemptResult[]) =>
    (await world.lifecycle.settle('w1', results)).map(({ verdict }) => verdict);
  const within = <T>(work: (tx: Sql) => Promise<T>) => world.backends.dialect.transaction(work);

  describe('submitting', () => {
    it('makes one task of forty parallel submits of one clientRequestId', async () => {
      const same = { clientRequestId: 'order-1', fingerprint: 'f1' };
      const outcomes = (await Promise.all(Array.from({ length: 40 }, () => world.tasks.submit([world.newTask(same)])))).flat();
      expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(39);
      expect(new Set(outcomes.map((each) => 'task' in each && each.task.id)).size).toBe(1);
    });

    it('tells a second use of the id with other parameters, and names the task', async () => {
      const id = await world.submit({ clientRequestId: 'order-2', fingerprint: 'f1' });
      expect(await world.tasks.submit([world.newTask({ clientRequestId: 'order-2', fingerprint: 'f2' })])).toEqual([
        { outcome: 'reused', existingTaskId: id },
      ]);
    });

    it('takes ids of different case, and of different apps, as different', async () => {
      const ids = await Promise.all([
        world.submit({ clientRequestId: 'Order-3', fingerprint: 'f' }),
        world.submit({ clientRequestId: 'order-3', fingerprint: 'f' }),
        world.submit({ clientRequestId: 'order-3', fingerprint: 'f', appId: 2 }),
      ]);
      expect(new Set(ids).size).toBe(3);
    });

    it('lets a bad neighbour fail alone', async () => {
      const bad = world.newTask({ handler: null as unknown as string });
      const all = await Promise.allSettled([
        world.tasks.submit([world.newTask()]),
        world.tasks.submit([bad]),
        world.tasks.submit([world.newTask()]),
      ]);
      expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });

    it('keeps any JSON text, numbers beyond double precision and other scripts included', async () => {
      const params = '{"n":9007199254740993,"t":"你好 ☕ \\u0000","__proto__":{"a":1}}';
      expect((await world.find(await world.submit({ params, metadata: { 名: '值' } }))).params).toBe(params);
    });
  });

  describe('a result', () => {
    it('that comes before the confirmation was written tells both', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      expect(await settle(result(id, lease, { result: { ok: '好' } }))).toEqual(['applied']);
      const task = await world.find(id);
      expect(task).toMatchObject({ state: 'SUCCEEDED', result: '{"ok":"好"}', version: 4 });
      expect(steps(task)).toEqual([
        [1, 'PENDING'],
        [2, 'DISPATCHED'],
        [3, 'RUNNING'],
        [4, 'SUCCEEDED'],
      ]);
    });

    it('that comes after it is told as well, and a confirmation after the result changes nothing', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      const acceptance = { taskId: id, lease, workerId: 'w1', incarnation: 'I1', at: world.now };
      await world.lifecycle.accept([acceptance]);
      expect((await world.find(id)).state).toBe('RUNNING');
      await settle(result(id, lease));
      await world.lifecycle.accept([acceptance]);
      expect(steps(await world.find(id))).toEqual([
        [1, 'PENDING'],
        [2, 'DISPATCHED'],
        [3, 'RUNNING'],
        [4, 'SUCCEEDED'],
      ]);
    });

    it('is applied once, however often it is sent', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      expect(await settle(result(id, lease, { result: 1 }), result(id, lease, { result: 2 }))).toEqual(['applied', 'duplicate']);
      expect(await settle(result(id, lease, { outcome: 'failed' }))).toEqual(['duplicate']);
      expect((await world.find(id)).result).toBe('1');
    });

    it('of an unknown task, another lease or another worker is unknown and changes nothing', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      expect(await settle(result('task_00000000000000000000000000', 1), result(id, lease + 5))).toEqual(['unknown', 'unknown']);
      expect(await world.lifecycle.settle('w2', [result(id, lease)])).toMatchObject([
        { verdict: expect.not.stringMatching('applied') },
      ]);
      expect((await world.find(id)).state).toBe('DISPATCHED');
    });

    it('of a lost attempt is late: kept, told in the timeline, and changes nothing', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      await within((tx) => world.lifecycle.end(tx, [{ taskId: id, lease, end: { outcome: 'lost' } }], 'node:n1'));
      const second = await world.claim(id, 'w2');
      const exact = { result: new JsonText('{"n":9007199254740993}') as unknown as Json };
      expect(await settle(result(id, lease, exact))).toEqual(['late']);
      expect(await world.tasks.lateResultsOf(id)).toEqual([
        { attempt: 1, at: expect.any(Number), outcome: 'succeeded', error: null, result: '{"n":9007199254740993}' },
      ]);
      expect(await world.lifecycle.settle('w2', [result(id, second, { result: 'new' })])).toMatchObject([{ verdict: 'applied' }]);
      expect(await settle(result(id, lease, { result: 'old' }))).toEqual(['late']);
      const task = await world.find(id);
      expect(task).toMatchObject({ state: 'SUCCEEDED', result: '"new"', attempt: 2, crashes: 1 });
      expect(await world.tasks.attemptsOf(id)).toMatchObject([{ attempt: 1, outcome: 'lost', workerId: 'w1' }]);
      expect(steps(task).filter(([, , reason]) => reason === 'late_result')).toHaveLength(2);
    });

    it('that fails goes to RETRYING with its due time, then to PENDING when that has come, not before', async () => {
      const id = await world.submit({ options: { retry: { kind: 'fixed', maxRetries: 1, delayMs: 60_000 } } });
      const lease = await world.claim(id);
      await settle(result(id, lease, { outcome: 'failed', error: { name: 'E', message: 'first' } }));
      const waiting = await world.find(id);
      expect(waiting).toMatchObject({ state: 'RETRYING', reason: 'handler_failed', retries: 1, attempt: 2, workerId: null });
      expect(waiting.dueAt).toBeGreaterThan(world.now + 50_000);
      expect(await within((tx) => world.lifecycle.promote(tx, [id], 'node:n1'))).toEqual([]);
      expect((await world.find(id)).state).toBe('RETRYING');
      expect(await world.tasks.attemptsOf(id)).toMatchObject([{ attempt: 1, outcome: 'failed', error: { message: 'first' } }]);
    });
  });

  it('goes back to PENDING when its order is refused, and spends no attempt', async () => {
    const id = await world.submit();
    for (let i = 0; i < 3; i++) {
      const lease = await world.claim(id);
      await within((tx) => world.lifecycle.refuse(tx, [{ taskId: id, lease, reason: 'busy' }], 'node:n1'));
    }
    const task = await world.find(id);
    expect(task).toMatchObject({ state: 'PENDING', attempt: 1, retries: 0, crashes: 0, workerId: null, lease: null });
    expect(parseTimeline(task.timeline)).toMatchObject([{ to: 'PENDING' }, { to: 'DISPATCHED' }, { reason: 'busy', count: 3 }]);
  });

  it('knows a result it has applied when it comes again, whatever the reason it ended for', async () => {
    const id = await world.submit({ options: { repeatable: false } });
    const lease = await world.claim(id);
    const failed = result(id, lease, { outcome: 'failed' });
    expect(await settle(failed)).toEqual(['applied']);
    const { version, reason } = await world.find(id);
    expect(reason).toBe('not_repeatable');
    expect(await settle(failed)).toEqual(['duplicate']);
    expect((await world.find(id)).version).toBe(version);
  });

  it('keeps as late what the worker of a lost and cancelled attempt still says', async () => {
    const id = await world.submit();
    const lease = await world.claim(id);
    await world.tasks.requestCancel(APP, id, 'app:test');
    await within((tx) => world.lifecycle.end(tx, [{ taskId: id, lease, end: { outcome: 'lost' } }], 'node:n1'));
    expect(await world.find(id)).toMatchObject({ state: 'CANCELLED', reason: 'cancel_requested' });
    expect(await settle(result(id, lease))).toEqual(['late']);
    const task = await world.find(id);
    expect(task.state).toBe('CANCELLED');
    expect(parseTimeline(task.timeline).at(-1)).toMatchObject({ reason: 'late_result' });
    expect(await world.tasks.lateResultsOf(id)).toMatchObject([{ attempt: 1, outcome: 'succeeded' }]);
  });

  it('ignores a refusal of an older lease', async () => {
    const id = await world.submit();
    const lease = await world.claim(id);
    await within((tx) => world.lifecycle.refuse(tx, [{ taskId: id, lease: lease - 1, reason: 'busy' }], 'node:n1'));
    expect((await world.find(id)).state).toBe('DISPATCHED');
  });

  describe('cancelling', () => {
    it('ends at once what no worker can be running', async () => {
      const id = await world.submit({ delayMs: 60_000 });
      expect(await world.tasks.requestCancel(APP, id, 'app:test')).toMatchObject({ outcome: 'cancelled' });
      expect(await world.tasks.requestCancel(APP, id, 'app:test')).toMatchObject({ outcome: 'cancelled' });
      expect(await world.find(id)).toMatchObject({ state: 'CANCELLED', reason: 'cancelled_by_partner' });
    });

    it('asks the worker of a running one, and its report of whatever failure is the cancel', async () => {
      const id = await world.submit({ options: { retry: { kind: 'fixed', maxRetries: 5, delayMs: 10 } } });
      const lease = await world.claim(id);
      const asked: string[] = [];
      world.tasks.onCancelAsked((task) => asked.push(task.id));
      expect(await world.tasks.requestCancel(APP, id, 'app:test')).toMatchObject({ outcome: 'requested' });
      expect(asked).toEqual([id]);
      expect(await settle(result(id, lease, { outcome: 'failed' }))).toEqual(['applied']);
      expect(await world.find(id)).toMatchObject({ state: 'CANCELLED', attempt: 1 });
    });

    it('of another app is as of a task that is not there', async () => {
      const id = await world.submit();
      expect(await world.tasks.requestCancel(2, id, 'app:other')).toEqual({ outcome: 'not_found' });
      expect((await world.find(id)).state).toBe('PENDING');
    });

    it('racing a success ends in exactly one terminal state, two hundred times', async () => {
      for (let i = 0; i < 200; i++) {
        const id = await world.submit();
        const lease = await world.claim(id);
        const [cancelled, verdicts] = await Promise.all([
          world.tasks.requestCancel(APP, id, 'app:test'),
          settle(result(id, lease)),
        ]);
        const task = await world.find(id);
        expect(verdicts).toEqual(['applied']);
        expect(task.state).toBe('SUCCEEDED');
        expect(['requested', 'already_terminal']).toContain(cancelled.outcome);
        expect(parseTimeline(task.timeline).filter(({ to }) => to === 'SUCCEEDED')).toHaveLength(1);
      }
    });
  });

  it('hands out pending tasks by priority, then by due time', async () => {
    const low = await world.submit({ handler: 'a', priority: 1 });
    const first = await world.submit({ handler: 'a' });
    const later = await world.find(first);
    await waitFor('the clock has moved on', () => world.now > later.dueAt);
    const second = await world.submit({ handler: 'b' });
    const urgent = await world.submit({ handler: 'b', priority: 10 });
    expect(await world.heads(['a', 'b'])).toEqual([urgent, first, second, low]);
    expect((await world.heads(['a', 'b'], 1))[0]).toBe(urgent);
    expect(await world.heads(['b'])).toEqual([urgent, second]);
  });

  it('lists newest first, page by page, filtered, and only the own', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift(await world.submit({ appId: 9, handler: i % 2 ? 'odd' : 'even' }));
    await world.submit({ appId: 8 });
    const page = await world.tasks.list({ appId: 9, limit: 4 });
    const rest = await world.tasks.list({ appId: 9, limit: 4, before: page.at(-1)?.id });
    expect([...page, ...rest].map(({ id }) => id)).toEqual(ids);
    expect(await world.tasks.list({ appId: 9, limit: 50, handler: 'odd' })).toHaveLength(3);
    expect(await world.tasks.list({ appId: 9, limit: 50, states: ['SUCCEEDED'] })).toEqual([]);
    expect(await world.tasks.list({ appId: 9, limit: 50, createdBefore: world.now - 60_000 })).toEqual([]);
    expect(await world.tasks.list({ appId: 9, limit: 50, createdAfter: world.now - 60_000 })).toHaveLength(7);
  });

  it('wakes whoever waits for its end', async () => {
    const id = await world.submit();
    const lease = await world.claim(id);
    const startedAt = performance.now();
    const waited = world.tasks.waitForEnd(id, 30_000, new AbortController().signal);
    await settle(result(id, lease));
    await waited;
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    expect((await world.find(id)).state).toBe('SUCCEEDED');
  });

  it('lets a waiting caller go when it disconnects', async () => {
    const id = await world.submit();
    const gone = new AbortController();
    const waited = world.tasks.waitForEnd(id, 30_000, gone.signal);
    gone.abort();
    await waited;
  });
});
