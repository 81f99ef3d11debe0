import { type AttemptEnd, type AttemptFacts, settlement } from '../../src/decisions/settlement.js';

const facts = (more: Partial<AttemptFacts> = {}): AttemptFacts => ({ retries: 0, crashes: 0, cancelAsked: false, ...more });
const fixed = { kind: 'fixed', maxRetries: 2, delayMs: 1_000 } as const;
const settled = (end: AttemptEnd, more: Partial<AttemptFacts> = {}) => settlement(facts(more), end, 0.5);
const failed = (error = {}) => ({ outcome: 'failed', error: { name: 'Error', message: 'no', ...error } }) as const;

describe('the end of an attempt', () => {
  it.each<[string, AttemptEnd, Partial<AttemptFacts>, object]>([
    ['success ends the task', { outcome: 'succeeded' }, {}, { event: 'succeeded', reason: null, spends: null }],
    ['success wins over a cancel that came too late', { outcome: 'succeeded' }, { cancelAsked: true }, { event: 'succeeded' }],
    [
      'failure spends a retry',
      failed(),
      { retry: fixed },
      { event: 'attempt_failed', reason: 'handler_failed', spends: 'retry', delayMs: 1_000 },
    ],
    [
      'the last failure ends it',
      failed(),
      { retry: fixed, retries: 2 },
      { event: 'failed', reason: 'retries_exhausted', spends: null },
    ],
    [
      'without retries the first failure ends it',
      failed(),
      { retry: { kind: 'none' } },
      { event: 'failed', reason: 'handler_failed' },
    ],
    [
      'the worker may forbid a retry',
      failed({ retryable: false }),
      { retry: fixed },
      { event: 'failed', reason: 'not_retryable' },
    ],
    [
      'invalid params are not retried',
      failed({ name: 'InvalidParamsError', retryable: false }),
      {},
      { event: 'failed', reason: 'invalid_params' },
    ],
    [
      'too large a result is not retried',
      failed({ name: 'ResultTooLargeError', retryable: false }),
      {},
      { event: 'failed', reason: 'result_too_large' },
    ],
    ['the worker may name the delay', failed({ retryAfterMs: 7 }), { retry: fixed }, { event: 'attempt_failed', delayMs: 7 }],
    ['the named delay does not add retries', failed({ retryAfterMs: 7 }), { retry: fixed, retries: 2 }, { event: 'failed' }],
    [
      'a failure after a cancel was asked is the cancel',
      failed(),
      { retry: fixed, cancelAsked: true },
      { event: 'stopped', spends: null },
    ],
    [
      'a time-out spends a retry',
      { outcome: 'timed_out' },
      { retry: fixed },
      { event: 'attempt_failed', reason: 'attempt_timed_out', spends: 'retry' },
    ],
    [
      'the last time-out ends it',
      { outcome: 'timed_out' },
      { retry: { kind: 'none' } },
      { event: 'timed_out', reason: 'attempt_timed_out' },
    ],
    ['a drain spends nothing', { outcome: 'drained' }, { retry: fixed }, { event: 'returned', reason: 'drained', spends: null }],
    [
      'a lost worker spends the crash budget',
      { outcome: 'lost' },
      { crashes: 2 },
      { event: 'returned', reason: 'worker_lost', spends: 'crash' },
    ],
    [
      'the crash budget ends',
      { outcome: 'lost' },
      { crashes: 3 },
      { event: 'failed', reason: 'crash_retries_exhausted', spends: null },
    ],
    [
      'a lost worker after a cancel is the cancel',
      { outcome: 'lost' },
      { cancelAsked: true },
      { event: 'stopped', spends: null },
    ],
    [
      'what is not repeatable is not repeated after a failure',
      failed(),
      { retry: fixed, repeatable: false },
      { event: 'failed', reason: 'not_repeatable' },
    ],
    ['nor after a loss', { outcome: 'lost' }, { repeatable: false }, { event: 'failed', reason: 'not_repeatable' }],
    ['nor after a drain', { outcome: 'drained' }, { repeatable: false }, { event: 'failed', reason: 'not_repeatable' }],
    [
      'a stubborn one past its limit times out for good',
      { outcome: 'did_not_stop', because: 'timed_out' },
      { retry: fixed },
      { event: 'timed_out', reason: 'did_not_stop' },
    ],
    [
      'a stubborn one that was cancelled is cancelled',
      { outcome: 'did_not_stop', because: 'cancelled' },
      {},
      { event: 'stopped', reason: 'did_not_stop' },
    ],
  ])('%s', (_title, end, more, expected) => {
    expect(settled(end, more)).toMatchObject(expected);
  });

  it('backs off exponentially by default, within a tenth and capped at half an hour', () => {
    const delays = [0, 1, 2].map((retries) => settled(failed(), { retries }).delayMs);
    expect(delays).toEqual([60_000, 120_000, 240_000]);
    const capped = settlement(
      facts({ retries: 19, retry: { kind: 'exponential', maxRetries: 20, delayMs: 60_000 } }),
      failed(),
      0.999,
    );
    expect(capped.delayMs).toBe(30 * 60_000);
    expect(settlement(facts(), failed(), 0).delayMs).toBe(54_000);
  });

  it('follows a list of delays to its end', () => {
    const retry = { kind: 'list', delaysMs: [10, 30] } as const;
    expect(settled(failed(), { retry: { ...retry, delaysMs: [10, 30] } }).delayMs).toBe(10);
    expect(settled(failed(), { retry: { ...retry, delaysMs: [10, 30] }, retries: 1 }).delayMs).toBe(30);
    expect(settled(failed(), { retry: { ...retry, delaysMs: [10, 30] }, retries: 2 }).event).toBe('failed');
  });
});
