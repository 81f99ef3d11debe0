import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { RateLimiter } from '../ports.js';
import { AuditService } from './audit.service.js';

/** Sixty wrong signatures at once, then one per second. */
const TOLERATED = { intervalMicros: 1_000_000, burst: 60 } as const;
const CAPACITY = 10_000;
/** A pair that goes on guessing is logged once an hour, over all nodes. */
const TOLD = { intervalMicros: 3_600_000_000, burst: 1 } as const;

/**
 * Slows down who guesses: per claimed access key and address together, so that a stranger neither locks a partner out nor learns
 * whether a key exists. Failures are counted over all nodes; the pause each node imposes is its own, so a good request costs no
 * look-up anywhere but in memory.
 */
@Injectable()
export class FailedAuthentications {
  private readonly log = new Logger(FailedAuthentications.name);
  /** Monotonic milliseconds until which a pair has to wait. */
  private readonly pausedUntil = new Map<string, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /** Throws AppError `auth_throttled` while the pair has to wait. */
  check(accessKey: string, ip: string): void {
    if (this.pausedUntil.size === 0) return;
    const name = pair(accessKey, ip);
    const until = this.pausedUntil.get(name);
    if (until === undefined) return;
    const waitMs = until - this.clock.monotonic();
    if (waitMs > 0) {
      throw new AppError('auth_throttled', 'too many failed authentications of this access key from this address', {
        retryAfter: waitMs / 1000,
      });
    }
    this.pausedUntil.delete(name);
  }

  async count(accessKey: string, ip: string): Promise<void> {
    const name = pair(accessKey, ip);
    const verdict = await this.limiter.take(`auth-failed:${name}`, TOLERATED, 1);
    if (verdict.outcome !== 'limited') return;
    if (this.pausedUntil.size >= CAPACITY) this.pausedUntil.delete(this.pausedUntil.keys().next().value as string);
    this.pausedUntil.set(name, this.clock.monotonic() + verdict.retryAfterMicros / 1000);
    await this.tell(accessKey, ip, name);
  }

  /** The pause holds whether it can be logged or not. */
  private async tell(accessKey: string, ip: string, name: string): Promise<void> {
    const turn = await this.limiter.take(`auth-throttled:${name}`, TOLD, 1);
    if (turn.outcome !== 'allowed') return;
    const note = { actor: 'system', actorIp: ip, action: 'auth.throttled', object: { type: 'key', id: accessKey } };
    await this.audit.note(note).catch((error: unknown) => this.log.warn('throttling not logged', { err: error, accessKey }));
  }
}

const pair = (accessKey: string, ip: string): string => `${accessKey}|${ip}`;
