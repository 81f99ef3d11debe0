import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import { rateLimit, rateLimited, tellRateLimit } from '../platform/http/rate-limit-headers.js';
import { RateLimiter } from '../ports.js';

/** How many tasks a key, and all keys of its app together, may create; a batch costs its items. The app's bucket is asked first. */
@Injectable()
export class TaskQuota {
  constructor(private readonly limiter: RateLimiter) {}

  /** Throws AppError `rate_limited`, or `batch_too_large` if waiting could never help. */
  async take(caller: PartnerCaller, cost: number, reply: FastifyReply): Promise<void> {
    const limit = rateLimit(caller.limits.tasksPerSecond, caller.limits.taskBurst);
    const app = await this.limiter.take(`tasks:{${caller.appPublicId}}`, limit, cost);
    const verdict = app.outcome === 'allowed' ? await this.limiter.take(`tasks:{${caller.accessKey}}`, limit, cost) : app;
    if (verdict.outcome === 'never') {
      throw new AppError('batch_too_large', `at most ${limit.burst} tasks may be created at once`, {
        members: { maxItems: limit.burst },
      });
    }
    tellRateLimit(reply, 'tasks', limit, app.remaining < verdict.remaining ? app : verdict);
    if (verdict.outcome === 'limited') throw rateLimited('tasks', verdict, Math.random());
  }
}
