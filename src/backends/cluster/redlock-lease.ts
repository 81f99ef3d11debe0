import Redlock, { ExecutionError, type Lock, ResourceLockedError } from 'redlock';
import { type HeldLease, Lease, PortUnavailableError } from '../../ports.js';
import type { RedisConnections } from './redis-connections.js';

/** Clocks of two machines may run apart by this share of the ttl, and Redis expires keys to a millisecond or two. */
const DRIFT_SHARE = 0.01;
const DRIFT_MS = 2;

/**
 * Redlock on one Redis. Whether a lease is still held is judged by this process's monotonic clock from before the request was
 * sent, drift taken off: Redlock's own signal comes too late after a stall, and its wall clock may jump.
 */
export class RedlockLease extends Lease {
  private readonly redlock: Redlock;

  constructor(private readonly redis: RedisConnections) {
    super();
    this.redlock = new Redlock([redis.leases], { retryCount: 0, driftFactor: DRIFT_SHARE });
    this.redlock.on('error', () => undefined); // Every failure also reaches the caller, who decides.
  }

  async acquire(name: string, ttlMs: number): Promise<HeldLease | null> {
    if (this.redis.leases.status !== 'ready') throw new PortUnavailableError('lease');
    const sentAt = performance.now();
    try {
      const lock = await this.redlock.acquire([`${this.redis.prefix}lease:${name}`], ttlMs);
      return new RedlockHeldLease(lock, heldUntil(sentAt, ttlMs));
    } catch (error) {
      if (await isTaken(error)) return null;
      throw new PortUnavailableError('lease', error);
    }
  }
}

class RedlockHeldLease implements HeldLease {
  constructor(
    private lock: Lock,
    private until: number,
  ) {}

  isHeld(): boolean {
    return performance.now() < this.until;
  }

  /** While Redis is away: throws PortUnavailableError, and the lease is held as long as it was. */
  async extend(ttlMs: number): Promise<boolean> {
    if (!this.isHeld()) return false;
    const sentAt = performance.now();
    this.lock.expiration = Date.now() + (this.until - sentAt) + 1000; // Redlock must not judge by the wall clock; we have judged.
    try {
      this.lock = await this.lock.extend(ttlMs);
    } catch (error) {
      if (!(await isTaken(error))) throw new PortUnavailableError('lease', error);
      this.until = 0;
      return false;
    }
    this.until = heldUntil(sentAt, ttlMs);
    return this.isHeld();
  }

  async release(): Promise<void> {
    this.until = 0;
    try {
      await this.lock.release();
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error; // Taken by another, or Redis is away and it runs out by itself.
    }
  }
}

const heldUntil = (sentAt: number, ttlMs: number): number => sentAt + ttlMs - (ttlMs * DRIFT_SHARE + DRIFT_MS);

/** True when Redis answered and somebody else has it; false when it did not answer. */
async function isTaken(error: unknown): Promise<boolean> {
  if (!(error instanceof ExecutionError)) return false;
  const attempts = await Promise.all(error.attempts);
  const votes = attempts.flatMap((attempt) => [...attempt.votesAgainst.values()]);
  return votes.length > 0 && votes.every((vote) => vote instanceof ResourceLockedError);
}
