import { type RateLimit, RateLimiter, type RateVerdict } from '../../ports.js';

/** A node fetches the units of this share of a second at once. */
const SHARE_OF_SECOND = 100;
const SHARE_OF_BURST = 10;
const KEPT_MS = 100;
const PURSES = 10_000;

interface Purse {
  left: number;
  until: number;
  last: RateVerdict;
  refill: Promise<void> | undefined;
}

/**
 * Buckets of a thousand units a second and more, without a call to the shared store for each unit: a node takes the units of a
 * hundredth of a second at once and spends them here. What is taken counts at once for everybody, so no more ever pass than the
 * limit allows; what a node does not spend within 100 ms is lost to the app. Slower buckets are asked exactly.
 */
export class HotBuckets extends RateLimiter {
  private readonly purses = new Map<string, Purse>();

  constructor(
    private readonly shared: RateLimiter,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    super();
  }

  async take(bucket: string, limit: RateLimit, cost: number): Promise<RateVerdict> {
    const share = shareOf(limit);
    // Who only asks what is left must not make this node take a share.
    if (cost === 0 || cost > share) return this.shared.take(bucket, limit, cost);
    const purse = this.purseOf(bucket);
    if (!canSpend(purse, cost, this.monotonic())) {
      purse.refill ??= this.refill(purse, bucket, limit, share);
      await purse.refill;
    }
    if (!canSpend(purse, cost, this.monotonic())) return this.shared.take(bucket, limit, cost);
    purse.left -= cost;
    return purse.last;
  }

  giveBack(bucket: string, limit: RateLimit, units: number): Promise<void> {
    return this.shared.giveBack(bucket, limit, units);
  }

  divideAmong(nodes: number): void {
    this.shared.divideAmong(nodes);
  }

  private async refill(purse: Purse, bucket: string, limit: RateLimit, share: number): Promise<void> {
    try {
      const verdict = await this.shared.take(bucket, limit, share);
      if (verdict.outcome !== 'allowed') return;
      purse.left = share;
      purse.until = this.monotonic() + KEPT_MS;
      purse.last = verdict;
    } finally {
      purse.refill = undefined;
    }
  }

  private purseOf(bucket: string): Purse {
    const known = this.purses.get(bucket);
    if (known) return known;
    if (this.purses.size >= PURSES) this.purses.clear();
    const purse: Purse = {
      left: 0,
      until: 0,
      last: { outcome: 'never', remaining: 0, retryAfterMicros: 0, fullInMicros: 0 },
      refill: undefined,
    };
    this.purses.set(bucket, purse);
    return purse;
  }
}

const canSpend = (purse: Purse, cost: number, now: number): boolean => purse.left >= cost && purse.until > now;

/** Units fetched at once; 0 for a bucket that is asked exactly. */
function shareOf({ intervalMicros, burst }: RateLimit): number {
  const share = Math.floor(Math.min(1e6 / intervalMicros / SHARE_OF_SECOND, burst / SHARE_OF_BURST));
  return share >= 10 ? share : 0;
}
