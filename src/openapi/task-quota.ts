import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import { rateLimit, rateLimited, tellRateLimit } from '../platform/http/rate-limit-headers.js';
import { type RateLimit, RateLimiter } from '../ports.js';

/**
 * How many tasks a key, and all keys of its app together, may create. A request costs the tasks it makes, but never more than may be
 * created at once: what costs more could never be made. The app's bucket is asked first.
 */
@Injectable()
export class TaskQuota {
  constructor(private readonly limiter: RateLimiter) {}

  /**
   * `items` of a batch cost one each at least. What was taken, for `giveBack`. Throws AppError `rate_limited`, or `batch_too_large` for
   * more of them than ever pass.
   */
  async take(caller: PartnerCaller, tasks: number, reply: FastifyReply, items = 1): Promise<number> {
    const limit = limitOf(caller);
    const cost = costOf(limit, tasks, items);
    const app = await this.limiter.take(`tasks:{${caller.appPublicId}}`, limit, cost);
    const verdict = app.outcome === 'allowed' ? await this.limiter.take(`tasks:{${caller.accessKey}}`, limit, cost) : app;
    if (verdict.outcome === 'never') {
      throw new AppError('batch_too_large', `at most ${limit.burst} tasks may be created at once`, {
        members: { maxItems: limit.burst },
      });
    }
    tellRateLimit(reply, 'tasks', limit, app.remaining < verdict.remaining ? app : verdict);
    if (verdict.outcome === 'limited') throw rateLimited('tasks', verdict, Math.random());
    return cost;
  }

  /** What was taken for more tasks than were made: of what another request was storing at that moment, or what was refused then. */
  async giveBack(caller: PartnerCaller, taken: number, tasks: number, items = 1): Promise<void> {
    const limit = limitOf(caller);
    const units = taken - costOf(limit, tasks, items);
    if (units <= 0) return;
    await this.limiter.giveBack(`tasks:{${caller.appPublicId}}`, limit, units);
    await this.limiter.giveBack(`tasks:{${caller.accessKey}}`, limit, units);
  }
}

const limitOf = ({ limits }: PartnerCaller): RateLimit => rateLimit(limits.tasksPerSecond, limits.taskBurst);

const costOf = ({ burst }: RateLimit, tasks: number, items: number): number =>
  Math.max(items, Math.min(tasks, Math.floor(burst)));
