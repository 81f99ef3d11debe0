import type { ReasonCode, ReportedError, ResultOutcome, RetryPolicy } from '@evenkeel/sdk/contract';
import { DEFAULT_RETRY, maxRetries, retryDelay } from './retry-backoff.js';
import type { TaskEvent } from './task-state.js';

/** Lost workers a task may outlive before it is given up. */
export const DEFAULT_CRASH_RETRIES = 3;

/** What of a task decides how the end of its attempt is settled. */
export interface AttemptFacts {
  retries: number;
  crashes: number;
  cancelAsked: boolean;
  retry?: RetryPolicy;
  repeatable?: false;
  crashRetries?: number;
}

/** How an attempt ended, as its worker says or as recovery found. */
export type AttemptEnd =
  | { outcome: Exclude<ResultOutcome, 'failed'> }
  | { outcome: 'failed'; error?: ReportedError }
  | { outcome: 'lost' }
  /** Ordered to stop, never did. */
  | { outcome: 'did_not_stop'; because: 'timed_out' | 'cancelled' };

export interface Settlement {
  event: Extract<TaskEvent, 'succeeded' | 'attempt_failed' | 'failed' | 'timed_out' | 'returned' | 'stopped'>;
  reason: ReasonCode | null;
  spends: 'retry' | 'crash' | null;
  /** With `attempt_failed`: milliseconds until the next attempt is due. */
  delayMs?: number;
}

/**
 * What the end of an attempt does to its task. Success counts whenever it arrives in time; a cancel that was asked for wins over
 * every other end; drains spend nothing; losses spend the crash budget, failures and time-outs the retries.
 */
export function settlement(facts: AttemptFacts, end: AttemptEnd, random: number): Settlement {
  if (end.outcome === 'succeeded') return { event: 'succeeded', reason: null, spends: null };
  if (end.outcome === 'did_not_stop')
    return { event: end.because === 'timed_out' ? 'timed_out' : 'stopped', reason: 'did_not_stop', spends: null };
  if (facts.cancelAsked || end.outcome === 'cancelled') return { event: 'stopped', reason: 'cancel_requested', spends: null };
  switch (end.outcome) {
    case 'drained':
      return facts.repeatable === false
        ? { event: 'failed', reason: 'not_repeatable', spends: null }
        : { event: 'returned', reason: 'drained', spends: null };
    case 'lost':
      if (facts.repeatable === false) return { event: 'failed', reason: 'not_repeatable', spends: null };
      return facts.crashes < (facts.crashRetries ?? DEFAULT_CRASH_RETRIES)
        ? { event: 'returned', reason: 'worker_lost', spends: 'crash' }
        : { event: 'failed', reason: 'crash_retries_exhausted', spends: null };
    case 'timed_out':
      return unsuccessful(facts, 'timed_out', 'attempt_timed_out', random);
    case 'failed': {
      if (end.error?.retryable === false) return { event: 'failed', reason: fatalReason(end.error.name), spends: null };
      return unsuccessful(facts, 'failed', 'handler_failed', random, end.error?.retryAfterMs);
    }
  }
}

function unsuccessful(
  facts: AttemptFacts,
  final: 'failed' | 'timed_out',
  reason: ReasonCode,
  random: number,
  wishedMs?: number,
): Settlement {
  const policy = facts.retry ?? DEFAULT_RETRY;
  if (facts.repeatable === false) return { event: final, reason: 'not_repeatable', spends: null };
  const delayMs = retryDelay(policy, facts.retries, random, wishedMs);
  if (delayMs !== null) return { event: 'attempt_failed', reason, spends: 'retry', delayMs };
  return { event: final, reason: maxRetries(policy) > 0 ? 'retries_exhausted' : reason, spends: null };
}

function fatalReason(errorName: string): ReasonCode {
  if (errorName === 'InvalidParamsError') return 'invalid_params';
  if (errorName === 'ResultTooLargeError') return 'result_too_large';
  return 'not_retryable';
}
