import { type CancelReason, LIMITS } from '../contract/index.js';

/** Thrown by a handler: do not repeat the task, whatever its retry policy says. */
export class NonRetryableError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NonRetryableError';
  }
}

/**
 * Thrown by a handler: repeat the task, but not before `ms` milliseconds have passed. Spends a retry like any failure. It never
 * throws itself, so that a wait somebody else named is followed as far as it can be: one below 0 counts as 0, one beyond 366 days
 * as 366 days, and for NaN the retry policy decides.
 */
export class RetryAfterError extends Error {
  /** What is asked of the centre: 0 to 366 days, or NaN. */
  readonly ms: number;

  constructor(ms: number, message = `retry after ${ms} ms`, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'RetryAfterError';
    this.ms = Math.min(Math.max(ms, 0), LIMITS.maxDelayMs);
  }
}

/** The reason of `ctx.signal`: why the attempt is asked to stop. */
export class AttemptAborted extends Error {
  constructor(readonly reason: CancelReason) {
    super(`the attempt is asked to stop: ${reason}`);
    this.name = 'AttemptAborted';
  }
}

/** The registration can never succeed as it is; the worker does not start. */
export class RegistrationRefused extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
    this.name = 'RegistrationRefused';
  }
}
