import type { CancelReason } from '../contract/index.js';

/** Thrown by a handler: do not repeat the task, whatever its retry policy says. */
export class NonRetryableError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NonRetryableError';
  }
}

/** Thrown by a handler: repeat the task, but not before `ms` milliseconds have passed. Spends a retry like any failure. */
export class RetryAfterError extends Error {
  constructor(
    readonly ms: number,
    message = `retry after ${ms} ms`,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'RetryAfterError';
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError('RetryAfterError: ms must be a number from 0');
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
