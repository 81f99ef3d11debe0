import type { RetryPolicy } from '@evenkeel/sdk/contract';

/** SPEC section 5: three retries, 60 s doubling to at most 30 minutes, a tenth of jitter either way. */
export const DEFAULT_RETRY: RetryPolicy = {
  kind: 'exponential',
  maxRetries: 3,
  delayMs: 60_000,
  factor: 2,
  maxDelayMs: 30 * 60_000,
  jitter: 0.1,
};

/**
 * Milliseconds until the next attempt, or null if the policy allows none.
 *
 * @param spent retries already spent
 * @param random 0 ≤ n < 1
 * @param wishedMs what the worker asked for; it replaces the computed delay, never the count
 */
export function retryDelay(policy: RetryPolicy, spent: number, random: number, wishedMs?: number): number | null {
  if (spent >= maxRetries(policy)) return null;
  if (wishedMs !== undefined) return wishedMs;
  switch (policy.kind) {
    case 'none':
      return null;
    case 'fixed':
      return policy.delayMs;
    case 'list':
      return policy.delaysMs[spent] as number;
    case 'exponential': {
      const cap = policy.maxDelayMs ?? 30 * 60_000;
      const plain = Math.min(policy.delayMs * (policy.factor ?? 2) ** spent, cap);
      const jitter = policy.jitter ?? 0.1;
      return Math.min(Math.round(plain * (1 + jitter * (2 * random - 1))), cap);
    }
  }
}

export function maxRetries(policy: RetryPolicy): number {
  if (policy.kind === 'none') return 0;
  return policy.kind === 'list' ? policy.delaysMs.length : policy.maxRetries;
}
