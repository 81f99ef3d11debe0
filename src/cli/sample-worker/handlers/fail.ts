import { NonRetryableError } from '@evenkeel/sdk/worker';

/** Fails every time. */
export function fail(params: { message?: unknown; retryable?: unknown } | null): never {
  const message = typeof params?.message === 'string' ? params.message : 'the fail handler fails';
  if (params?.retryable === false) throw new NonRetryableError(message);
  throw new Error(message);
}
