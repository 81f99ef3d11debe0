import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../src/contract/index.js';
import { runHandler, startHandler } from '../src/testing/index.js';
import {
  type AttemptContext,
  defineTask,
  NonRetryableError,
  RetryAfterError,
  type StandardSchemaV1,
} from '../src/worker/index.js';

const positive: StandardSchemaV1<number, number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (typeof value === 'number' && value > 0 ? { value } : { issues: [{ message: 'must be positive' }] }),
  },
};
const halve = defineTask({ name: 'halve', input: positive, output: positive });

describe('the test kit', () => {
  it('gives what a handler answered, logged, told and kept', async () => {
    const handler = (n: number, ctx: AttemptContext) => {
      ctx.log.info('halving', { n });
      ctx.progress(0.5);
      ctx.checkpoint({ at: n });
      ctx.progress(1);
      return n / 2;
    };
    expect(await runHandler(halve, handler, 4)).toEqual({
      outcome: 'succeeded',
      result: 2,
      error: undefined,
      retryable: false,
      logs: [{ level: 'info', message: 'halving', fields: { n: 4 } }],
      progress: [0.5, 1],
      checkpoints: [{ at: 4 }],
    });
  });

  it('refuses input by the schema of the task, for good, without calling the handler', async () => {
    const called: number[] = [];
    const end = await runHandler(halve, (n) => called.push(n), -1);
    expect(end).toMatchObject({
      outcome: 'failed',
      retryable: false,
      error: { name: 'InvalidParamsError', message: 'must be positive' },
    });
    expect(called).toEqual([]);
  });

  it('says whether and when a failure would be repeated', async () => {
    const failing = (error: Error) =>
      runHandler('any', () => Promise.reject(error), null).then(({ outcome, retryable, error: told }) => [
        outcome,
        retryable,
        told?.retryAfterMs,
      ]);
    expect(await failing(new Error('x'))).toEqual(['failed', true, undefined]);
    expect(await failing(new NonRetryableError('x'))).toEqual(['failed', false, undefined]);
    expect(await failing(new RetryAfterError(1500))).toEqual(['failed', true, 1500]);
    expect(await failing(new RetryAfterError(LIMITS.maxDelayMs + 1))).toEqual(['failed', true, LIMITS.maxDelayMs]);
    expect(await failing(new RetryAfterError(Number.POSITIVE_INFINITY))).toEqual(['failed', true, LIMITS.maxDelayMs]);
    expect(await failing(new RetryAfterError(-1))).toEqual(['failed', true, 0]);
    expect(await failing(new RetryAfterError(Number.NaN))).toEqual(['failed', true, undefined]);
  });

  it('gives the handler what the centre would say', async () => {
    const look = (_: unknown, ctx: AttemptContext) => ({
      taskId: ctx.taskId,
      key: ctx.idempotencyKey,
      attempt: ctx.attempt,
      restored: ctx.restored(),
      owned: ['a', 'b', 'c', 'd', 'e', 'f'].filter((key) => ctx.shard?.owns(key)).length,
      at: ctx.scheduledAt,
    });
    const scheduledAt = new Date('2026-03-01T10:00:00.000Z');
    const shard = { index: 0, total: 1, share: { from: 0, to: 1 } };
    const { result } = await runHandler('look', look, null, { taskId: 't', attempt: 2, checkpoint: [7], shard, scheduledAt });
    expect(result).toEqual({ taskId: 't', key: 't', attempt: 2, restored: [7], owned: 6, at: scheduledAt.toISOString() });
  });

  it('asks a handler to stop, for each reason as the centre would', async () => {
    const hang = (_: unknown, { signal }: AttemptContext) =>
      new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason.reason)));
    const cancelled = startHandler('hang', hang, null);
    cancelled.abort();
    expect(await cancelled.ended).toMatchObject({ outcome: 'cancelled', retryable: false });
    const draining = startHandler('hang', hang, null);
    draining.abort('draining');
    expect(await draining.ended).toMatchObject({ outcome: 'succeeded', result: 'draining' });
  });

  it('shows what a running handler has told so far', async () => {
    const run = startHandler(
      'slow',
      async (_: unknown, ctx: AttemptContext) => {
        ctx.progress(0.1);
        await delay(10);
        ctx.progress(0.9);
      },
      null,
    );
    expect(run.progress).toEqual([0.1]);
    await run.ended;
    expect(run.progress).toEqual([0.1, 0.9]);
  });

  it('ends a handler at its time limit, under fake timers too', async () => {
    jest.useFakeTimers();
    try {
      const run = startHandler(
        'hang',
        (_: unknown, { signal }: AttemptContext) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
        null,
        { timeoutMs: 3600_000 },
      );
      await jest.advanceTimersByTimeAsync(3600_001);
      expect(await run.ended).toMatchObject({ outcome: 'timed_out', retryable: true, error: { name: 'AttemptTimedOut' } });
    } finally {
      jest.useRealTimers();
    }
  });
});
