import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import { rateLimit, rateLimited, tellRateLimit } from '../platform/http/rate-limit-headers.js';
import { RateLimiter } from '../ports.js';

/**
 * How many tasks a key, and all keys of its app together, may create. A request costs the tasks it makes, but never more than may be
 * created at once: what costs more could never be made. The app's bucket is asked first.
 */
@Injectable()
export class TaskQuota {
  constructor(private readonly limiter: RateLimiter) {}

  /** `items` of a batch cost one each at least. Throws AppError `rate_limited`, or `batch_too_large` for more of them than ever pass. */
  async take(caller: PartnerCaller, tasks: number, reply: FastifyReply, items = 1): Promise<void> {
    const limit = rateLimit(caller.limits.tasksPerSecond, caller.limits.taskBurst);
    const cost = Math.max(items, Math.min(tasks, Math.floor(limit.burst)));
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
