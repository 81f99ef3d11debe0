import { Injectable } from '@nestjs/common';
import { addressBlock } from '../decisions/address-block.js';
import { Clock } from '../platform/clock.js';
import { quotaExceeded } from '../platform/http/rate-limit-headers.js';
import { RateLimiter } from '../ports.js';

/** A thousand unproven requests at once, then fifty per second. */
const TOLERATED = { intervalMicros: 20_000, burst: 1_000 } as const;
const CAPACITY = 10_000;

/**
 * The limit of an address before anybody there has proven who it is. Only requests that turn out unproven count, so that partners
 * behind one gateway are not limited by each other's traffic; an address that sent too many is refused before anything is hashed,
 * parsed or looked up. The worker channel is left out: a stranger must not be able to make workers look lost. Counted over all nodes; the pause is each node's own.
 */
@Injectable()
export class Strangers {
  /** Monotonic milliseconds until which an address has to wait. */
  private readonly pausedUntil = new Map<string, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /** Throws AppError `rate_limited` while the address has to wait. */
  check(ip: string): void {
    if (this.pausedUntil.size === 0) return;
    const name = addressBlock(ip);
    const waitMs = (this.pausedUntil.get(name) ?? 0) - this.clock.monotonic();
    if (waitMs > 0) {
      throw quotaExceeded('address', 'too many requests of this address failed to prove who sends them', waitMs / 1000);
    }
    this.pausedUntil.delete(name);
  }

  async count(ip: string): Promise<void> {
    const name = addressBlock(ip);
    const verdict = await this.limiter.take(`unproven:${name}`, TOLERATED, 1);
    if (verdict.outcome !== 'limited') return;
    if (this.pausedUntil.size >= CAPACITY) this.pausedUntil.delete(this.pausedUntil.keys().next().value as string);
    this.pausedUntil.set(name, this.clock.monotonic() + Math.max(1_000, verdict.retryAfterMicros / 1000));
  }
}
