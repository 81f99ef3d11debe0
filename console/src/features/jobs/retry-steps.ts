import type { RetryPolicy } from '@evenkeel/sdk/contract';

export interface RetryWait {
  /** Before jitter. */
  ms: number;
  /** The least and the most it may be. */
  fromMs: number;
  toMs: number;
}
const CAP_MS = 30 * 60_000;

/** What the scheduler waits before each retry of a policy, to be drawn: the same figures, with the jitter as a span. */
export function retryWaits(policy: RetryPolicy): RetryWait[] {
  const exact = (ms: number): RetryWait => ({ ms, fromMs: ms, toMs: ms });
  switch (policy.kind) {
    case 'none':
      return [];
    case 'list':
      return policy.delaysMs.map(exact);
    case 'fixed':
      return Array.from({ length: policy.maxRetries }, () => exact(policy.delayMs));
    case 'exponential': {
      const cap = policy.maxDelayMs ?? CAP_MS;
      const jitter = policy.jitter ?? 0.1;
      return Array.from({ length: policy.maxRetries }, (_, n) => {
        const ms = Math.min(policy.delayMs * (policy.factor ?? 2) ** n, cap);
        return { ms, fromMs: Math.min(ms * (1 - jitter), cap), toMs: Math.min(ms * (1 + jitter), cap) };
      });
    }
  }
}
