import { deeperThan, LIMITS, type ReportedError, type ResultOutcome } from '../contract/index.js';
import type { Attempt } from './attempt.js';
import { NonRetryableError, RetryAfterError } from './errors.js';
import { textOf } from './plain-text.js';

/** How an attempt ended, its result already written as JSON. */
export interface Ending {
  outcome: ResultOutcome;
  /** JSON text; only of `succeeded`. */
  result?: string;
  error?: ReportedError;
}

/**
 * What is reported of a handler that settled. An attempt that was told to stop (or ran past its limit) ends so whichever way the
 * handler settles; only a stop that is no verdict on the task (`draining`, `lease_lost`) leaves a success standing.
 */
export function endingOf(attempt: Attempt, elapsedMs: number, settled: { value: unknown } | { error: unknown }): Ending {
  const { timeoutMs } = attempt.order;
  const reason = attempt.aborted ?? (timeoutMs > 0 && elapsedMs > timeoutMs ? 'timed_out' : undefined);
  if (reason === 'timed_out' || reason === 'cancelled' || reason === 'replaced') return stopped(attempt, reason);
  if ('value' in settled) return succeeded(settled.value);
  return reason === undefined ? failed(settled.error) : stopped(attempt, reason);
}

/** What is reported of an attempt that was stopped before its handler ran, or whose handler never settled. */
export function stopped(attempt: Attempt, reason: NonNullable<Attempt['aborted']>): Ending {
  if (reason === 'timed_out') {
    const message = `the handler ran longer than its limit of ${attempt.order.timeoutMs} ms`;
    return { outcome: 'timed_out', error: { name: 'AttemptTimedOut', message } };
  }
  const message = `the attempt was asked to stop: ${reason}`;
  const outcome = reason === 'cancelled' || reason === 'replaced' ? 'cancelled' : 'drained';
  return { outcome, error: { name: 'AttemptAborted', message } };
}

export function succeeded(value: unknown): Ending {
  if (value === undefined || value === null) return { outcome: 'succeeded', result: 'null' };
  let result: string;
  try {
    result = JSON.stringify(value) ?? 'null';
  } catch (error) {
    const why = textOf(() => (error instanceof Error ? error.message : error)).split('\n')[0];
    return refused('ResultNotJsonError', `the handler's result cannot be written as JSON: ${why}`);
  }
  if (result.length * 3 > LIMITS.resultBytes && Buffer.byteLength(result) > LIMITS.resultBytes) {
    const bytes = Buffer.byteLength(result);
    return refused('ResultTooLargeError', `the handler's result is ${bytes} bytes of JSON; the limit is ${LIMITS.resultBytes}`);
  }
  if (deeperThan(result, LIMITS.carriedJsonDepth))
    return refused('ResultTooDeepError', `the handler's result is nested deeper than ${LIMITS.carriedJsonDepth} levels`);
  return { outcome: 'succeeded', result };
}

/** Failed for good: repeating the attempt would end the same way. */
export function refused(name: string, message: string): Ending {
  return { outcome: 'failed', error: { name, message: message.slice(0, LIMITS.errorMessageLength), retryable: false } };
}

/** Whatever was thrown: what cannot be read of it is left out, and never throws anew. */
export function failed(thrown: unknown): Ending {
  if (!isError(thrown)) {
    const message = (typeof thrown === 'string' ? thrown : safeText(thrown)).slice(0, LIMITS.errorMessageLength);
    return { outcome: 'failed', error: { name: 'NonErrorThrown', message } };
  }
  const error: ReportedError = {
    name: textOf(() => thrown.name || 'Error').slice(0, LIMITS.nameLength),
    message: textOf(() => thrown.message).slice(0, LIMITS.errorMessageLength),
  };
  const stack = textOf(() => thrown.stack ?? '');
  if (stack !== '') error.stack = stack.slice(0, LIMITS.errorStackLength);
  if (thrown instanceof NonRetryableError) error.retryable = false;
  if (thrown instanceof RetryAfterError && !Number.isNaN(thrown.ms)) error.retryAfterMs = Math.round(thrown.ms);
  return { outcome: 'failed', error };
}

function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return textOf(() => Object.prototype.toString.call(value));
  }
}

/** An AttemptResult as JSON. The ids are such that they need no escaping. */
export function resultJson({ order }: Attempt, { outcome, result, error }: Ending, endedAt: number, costMs: number): string {
  const what =
    (result === undefined ? '' : `,"result":${result}`) + (error === undefined ? '' : `,"error":${JSON.stringify(error)}`);
  const startedAt = Math.round(endedAt - costMs);
  return `{"taskId":"${order.taskId}","lease":${order.lease},"outcome":"${outcome}"${what},"startedAt":${startedAt},"endedAt":${endedAt}}`;
}
