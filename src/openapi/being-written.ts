import { AppError } from '../platform/errors.js';

/** The refusal of a clientRequestId whose first request has not ended: whoever sends it again is told what became of it. */
export const beingWritten = (): AppError =>
  new AppError('idempotency_in_progress', 'the same clientRequestId is still being written', { retryAfter: 1 });
