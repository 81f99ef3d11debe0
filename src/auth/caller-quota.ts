import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PartnerCaller } from '../platform/audience.js';
import { rateLimit, rateLimited, tellRateLimit } from '../platform/http/rate-limit-headers.js';
import { RateLimiter } from '../ports.js';

/**
 * Requests of a key, and of all keys of its app together, so that a second key does not double the quota. The app's bucket is asked
 * first and alone decides whether the key's is: what the app may not do costs the key nothing.
 */
@Injectable()
export class CallerQuota {
  constructor(private readonly limiter: RateLimiter) {}

  /** Takes one request and tells what is left. Throws AppError `rate_limited`. */
  async take(caller: PartnerCaller, reply: FastifyReply): Promise<void> {
    await this.ask(caller, reply, 1);
  }

  /** Tells what is left and takes nothing: for a caller who is known but refused. */
  async tell(caller: PartnerCaller, reply: FastifyReply): Promise<void> {
    await this.ask(caller, reply, 0);
  }

  private async ask(caller: PartnerCaller, reply: FastifyReply, cost: number): Promise<void> {
    const limit = rateLimit(caller.limits.requestsPerSecond, caller.limits.requestBurst);
    const buckets = [
      ['app', caller.appPublicId],
      ['key', caller.accessKey],
    ] as const;
    for (const [policy, owner] of buckets) {
      const verdict = await this.limiter.take(`requests:{${owner}}`, limit, cost);
      tellRateLimit(reply, policy, limit, verdict);
      if (verdict.outcome !== 'allowed' && cost > 0) throw rateLimited(policy, verdict, Math.random());
    }
  }
}
