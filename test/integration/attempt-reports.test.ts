import { type Json, LIMITS, type LogLine } from '@evenkeel/sdk/contract';
import type { Backends } from '../../src/backends/backends.js';
import { JsonText } from '../../src/decisions/json-text.js';
import { ProgressService } from '../../src/dispatch/progress.service.js';
import { ReportsService } from '../../src/dispatch/reports.service.js';
import type { RunningBuffer } from '../../src/dispatch/running-buffer.js';
import { AttemptLogStore } from '../../src/tasks/attempt-log.store.js';
import { LOG_BEGIN, type LogPlace, TaskLogs } from '../../src/tasks/task-logs.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP, TaskWorld } from '../support/task-world.js';

describe.each(ADAPTERS)('what an attempt reports while it runs (%s)', (adapter) => {
  let database: FreshDatabase;
  let backends: Backends;
  let world: TaskWorld;
  let logs: TaskLogs;
  let progress: ProgressService;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
    world = await new TaskWorld(backends).prepare();
    logs = newLogs();
    progress = new ProgressService(backends.dialect, world.progress, backends.clock);
  });
  afterAll(() => database?.drop());

  const newLogs = () => new TaskLogs(backends.dialect, new AttemptLogStore(backends.dialect), world.store, backends.clock);
  const line = (taskId: string, lease: number, seq: number, more: Partial<LogLine> = {}): LogLine => ({
    taskId,
    lease,
    attempt: 1,
    seq,
    at: world.now,
    level: 'info',
    message: `line ${seq}`,
    ...more,
  });
  const lines = (taskId: string, lease: number, from: number, to: number, more: Partial<LogLine> = {}) =>
    Array.from({ length: to - from + 1 }, (_, i) => line(taskId, lease, from + i, more));
  const readAll = async (taskId: string, limit = 1_000): Promise<string[]> => {
    const read: string[] = [];
    for (let after: LogPlace = LOG_BEGIN; ; ) {
      const page = await logs.page(taskId, after, limit);
      read.push(...page.lines.map(({ attempt, message }) => `${attempt} ${message}`));
      if (page.lines.length === 0) return read;
      after = page.after;
    }
  };
  const succeed = (taskId: string, lease: number) =>
    world.lifecycle.settle('w1', [{ taskId, lease, outcome: 'succeeded', startedAt: world.now, endedAt: world.now }]);
  const fail = (taskId: string, lease: number) =>
    world.lifecycle.settle('w1', [
      { taskId, lease, outcome: 'failed', error: { name: 'Error', message: 'no' }, startedAt: world.now, endedAt: world.now },
    ]);
  const retry = { retry: { kind: 'fixed', maxRetries: 1, delayMs: 0 } } as const;
  const claimNext = async (id: string) => {
    await backends.dialect.transaction((tx) => world.lifecycle.promote(tx, [id], 'node:n1'));
    return world.claim(id);
  };
  const beat = (taskId: string, lease: number, more: object, incarnation = 'I1') =>
    progress.note({ workerId: 'w1', incarnation, attempts: [{ taskId, lease, phase: 'running', ...more }] });

  describe('its log', () => {
    it('is readable while it runs, in order, page by page, over all attempts, and says when nothing more will come', async () => {
      const id = await world.submit({ options: retry });
      const first = await world.claim(id);
      expect(await logs.append('w1', lines(id, first, 1, 3))).toEqual([]);
      expect(await logs.append('w1', lines(id, first, 4, 5))).toEqual([]);
      expect(await readAll(id)).toEqual([1, 2, 3, 4, 5].map((n) => `1 line ${n}`));
      expect((await logs.page(id, { attempt: 1, seq: 5 }, 10)).done).toBe(false);
      await fail(id, first);
      const second = await claimNext(id);
      await logs.append('w1', lines(id, second, 1, 2, { attempt: 2 }));
      await succeed(id, second);
      expect(await readAll(id, 3)).toEqual([...[1, 2, 3, 4, 5].map((n) => `1 line ${n}`), '2 line 1', '2 line 2']);
      expect((await logs.page(id, LOG_BEGIN, 7)).done).toBe(true);
      expect((await logs.page(id, LOG_BEGIN, 6)).done).toBe(false);
    });

    it('has each line once, however often and by whichever nodes at once it is sent', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      const other = newLogs();
      await Promise.all([1, 2, 3, 4].map((n) => (n % 2 ? logs : other).append('w1', lines(id, lease, 1, 100))));
      await logs.append('w1', lines(id, lease, 50, 110));
      expect(await readAll(id, 7)).toEqual(Array.from({ length: 110 }, (_, i) => `1 line ${i + 1}`));
    });

    it('takes late lines of an attempt that has ended, also of one another followed', async () => {
      const id = await world.submit({ options: retry });
      const first = await world.claim(id);
      await fail(id, first);
      expect(await logs.append('w1', lines(id, first, 1, 1))).toEqual([]);
      const second = await claimNext(id);
      await succeed(id, second);
      expect(await logs.append('w1', lines(id, second, 1, 1, { attempt: 2 }))).toEqual([]);
      expect(await readAll(id)).toEqual(['1 line 1', '2 line 1']);
    });

    it('is nobody else’s: lines of unknown tasks, of other workers’ attempts and of leases that never were are refused', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      const mine = await world.submit();
      const own = await world.claim(mine, 'w2');
      const sent = [line('task_unknown', 1, 1), line(id, lease, 1), line(mine, own + 7, 1), line(mine, own, 1)];
      expect(await logs.append('w2', sent)).toEqual([
        { taskId: 'task_unknown', lease: 1, reason: 'unknown' },
        { taskId: id, lease, reason: 'unknown' },
        { taskId: mine, lease: own + 7, reason: 'unknown' },
      ]);
      expect(await readAll(id)).toEqual([]);
      expect(await readAll(mine)).toEqual(['1 line 1']);
    });

    it('is capped, with a notice as its last line', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      const message = 'x'.repeat(LIMITS.logMessageBytes);
      for (let seq = 1; seq <= 60; seq += 20)
        expect(await logs.append('w1', lines(id, lease, seq, seq + 19, { message }))).toEqual([]);
      const tooMuch = [{ taskId: id, lease, reason: 'too_much' }];
      expect(await logs.append('w1', lines(id, lease, 61, 80, { message }))).toEqual(tooMuch);
      expect(await logs.append('w1', lines(id, lease, 81, 82))).toEqual(tooMuch);
      const kept = await readAll(id);
      expect(kept.at(-1)).toContain('no further line of it is kept');
      expect(kept.length).toBeLessThan(70);
    });

    it('keeps what other lines are sent beside the refused ones, NUL and all', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      expect(await logs.append('w1', [line(id, lease, 1, { message: 'a\0b' }), line('task_no', 3, 1)])).toHaveLength(1);
      expect(await readAll(id)).toEqual(['1 a\uFFFDb']);
    });

    it('lets a reader wait for the next line', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      const waiting = logs.pageWithin(id, LOG_BEGIN, 10, 20_000, new AbortController().signal);
      await logs.append('w1', lines(id, lease, 1, 1));
      expect((await waiting).lines.map(({ message }) => message)).toEqual(['line 1']);
    });
  });

  describe('its progress', () => {
    it('is stored without moving the version or the timeline, and ends with the attempt', async () => {
      const id = await world.submit({ options: retry });
      const lease = await world.claim(id);
      const before = await world.find(id);
      await beat(id, lease, { progress: 0.4321, checkpoint: 1 });
      const after = await world.find(id);
      expect(after).toMatchObject({ progress: 0.4321, version: before.version, timeline: before.timeline });
      await fail(id, lease);
      await claimNext(id);
      expect((await world.find(id)).progress).toBeNull();
    });

    it('is not believed of an attempt that is no longer the task’s, or of another incarnation', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      await beat(id, lease - 1, { progress: 0.1, checkpoint: 'old lease' });
      await beat(id, lease, { progress: 0.2, checkpoint: 'other life' }, 'I2');
      expect(await world.find(id)).toMatchObject({ progress: null, checkpointAt: null });
      await succeed(id, lease);
      await beat(id, lease, { progress: 0.9, checkpoint: 'too late' });
      expect(await world.find(id)).toMatchObject({ progress: null, checkpointAt: null });
    });
  });

  describe('its checkpoint', () => {
    const checkpointOf = async (id: string) => (await world.progress.checkpointsOf(backends.dialect.root, [id])).get(id);

    it('is durable when the beat is acknowledged, outlives the attempt, and is forgotten with the success', async () => {
      const id = await world.submit({ options: retry });
      const first = await world.claim(id);
      await beat(id, first, { checkpoint: { page: 3 } });
      await beat(id, first, { checkpoint: { page: 4 } });
      expect(await checkpointOf(id)).toBe('{"page":4}');
      await fail(id, first);
      const second = await claimNext(id);
      const [order] = await world.claims.dispatched(backends.dialect.root, [id]);
      expect(order?.checkpoint_at).not.toBeNull();
      expect(await checkpointOf(id)).toBe('{"page":4}');
      await succeed(id, second);
      expect(await checkpointOf(id)).toBeUndefined();
      expect((await world.find(id)).checkpointAt).toBeNull();
    });

    it('that is too large leaves the one before it', async () => {
      const id = await world.submit();
      const lease = await world.claim(id);
      await beat(id, lease, { checkpoint: 'small' });
      await beat(id, lease, { checkpoint: 'x'.repeat(LIMITS.checkpointBytes) });
      expect(await checkpointOf(id)).toBe('"small"');
    });
  });

  it('a result larger than may be stored ends its task for that reason, without a retry, whatever its worker let pass', async () => {
    const end = async (result: string) => {
      const id = await world.submit({ options: retry });
      const lease = await world.claim(id);
      const at = { startedAt: world.now, endedAt: world.now };
      const [ack] = await world.lifecycle.settle('w1', [{ taskId: id, lease, outcome: 'succeeded', result, ...at }]);
      expect(ack?.verdict).toBe('applied');
      return world.find(id);
    };
    const [fits, more] = ['x'.repeat(LIMITS.resultBytes - 2), '你'.repeat(LIMITS.resultBytes / 3)];
    expect(await end(fits)).toMatchObject({ state: 'SUCCEEDED', result: JSON.stringify(fits) });
    expect(await end(more)).toMatchObject({
      state: 'FAILED',
      reason: 'result_too_large',
      attempt: 1,
      result: null,
      error: { name: 'ResultTooLargeError' },
    });
  });

  it('a result holds no half of a surrogate pair, which strict receivers of callbacks cannot read', async () => {
    const end = async (result: unknown) => {
      const id = await world.submit();
      const lease = await world.claim(id);
      const at = { startedAt: world.now, endedAt: world.now };
      await world.lifecycle.settle('w1', [{ taskId: id, lease, outcome: 'succeeded', result: result as Json, ...at }]);
      return (await world.find(id)).result;
    };
    expect(await end({ 'a \udc00': 'half \ud83d of 😀' })).toBe('{"a \ufffd":"half \ufffd of 😀"}');
    expect(await end(new JsonText('["\\ud83d\\ude00 \\uDE00",1.10]'))).toBe('["\\ud83d\\ude00 \ufffd",1.10]');
  });

  it('a cancel that races a success ends in exactly one terminal state, a thousand times', async () => {
    const ROUNDS = 1_000;
    const AT_ONCE = 50;
    const ends: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      const ids = await Promise.all(Array.from({ length: AT_ONCE }, () => world.submit()));
      const leases = await Promise.all(ids.map((id) => world.claim(id)));
      await Promise.all(
        ids.flatMap((id, i) => {
          const cancel = () => world.tasks.requestCancel(APP, id, 'app:test');
          const settle = () => succeed(id, leases[i] as number);
          return i % 2 ? [cancel(), settle()] : [settle(), cancel()];
        }),
      );
      for (const id of ids) {
        const task = await world.find(id);
        ends[task.state] = (ends[task.state] ?? 0) + 1;
        const terminal = JSON.parse(`[${task.timeline}]`).filter(([, from, to]: number[]) => from !== to && (to as number) >= 7);
        expect(terminal).toHaveLength(1);
      }
    }
    expect(ends).toEqual({ SUCCEEDED: ROUNDS });
  }, 120_000);

  it('results for unknown tasks, of other workers, with NUL and sent twice get a verdict each and change nothing else', async () => {
    const reports = new ReportsService(backends.dialect, world.store, world.lifecycle, {
      forget: () => {},
    } as unknown as RunningBuffer);
    const id = await world.submit();
    const lease = await world.claim(id);
    const at = { startedAt: world.now, endedAt: world.now };
    const result = { taskId: id, lease, outcome: 'succeeded' as const, result: 'a\0b', ...at };
    const verdicts = async (workerId: string, results: (typeof result)[]) =>
      (await reports.apply(workerId, results)).map(({ verdict }) => verdict);
    expect(await verdicts('w1', [{ ...result, taskId: 'task_no' }])).toEqual(['unknown']);
    expect(await verdicts('stranger', [result])).toEqual(['unknown']);
    expect(await verdicts('w1', [{ ...result, lease: lease + 1 }])).toEqual(['unknown']);
    expect((await world.find(id)).state).toBe('DISPATCHED');
    expect(await verdicts('w1', [result, result])).toEqual(['applied', 'duplicate']);
    expect(await verdicts('w1', [result])).toEqual(['duplicate']);
    expect(JSON.parse((await world.find(id)).result as string)).toBe('a\0b');
  });
});
