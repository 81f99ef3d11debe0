import type { RetryPolicy } from '@evenkeel/sdk/contract';
import { retryWaits } from '../../console/src/features/jobs/retry-steps.js';
import { DEFAULT_RETRY, maxRetries, retryDelay } from '../../src/decisions/retry-backoff.js';

const LAST = 1 - Number.EPSILON;

describe('the picture of a retry policy', () => {
  it.each<RetryPolicy>([
    DEFAULT_RETRY,
    { kind: 'none' },
    { kind: 'fixed', maxRetries: 4, delayMs: 1_500 },
    { kind: 'list', delaysMs: [0, 10_000, 90_000] },
    { kind: 'exponential', maxRetries: 12, delayMs: 1_000 },
    { kind: 'exponential', maxRetries: 6, delayMs: 7_000, factor: 3, maxDelayMs: 400_000, jitter: 0.5 },
    { kind: 'exponential', maxRetries: 3, delayMs: 60_000, jitter: 0 },
  ])('shows what the scheduler waits, jitter and all: %j', (policy) => {
    const waits = retryWaits(policy);
    expect(waits).toHaveLength(maxRetries(policy));
    waits.forEach(({ ms, fromMs, toMs }, spent) => {
      expect(ms).toBeCloseTo(retryDelay(policy, spent, 0.5) as number, -1);
      expect(fromMs).toBeCloseTo(retryDelay(policy, spent, 0) as number, -1);
      expect(toMs).toBeCloseTo(retryDelay(policy, spent, LAST) as number, -1);
    });
  });
});
