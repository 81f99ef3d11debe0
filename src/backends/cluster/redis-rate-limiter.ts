import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { type RateLimit, RateLimiter, type RateVerdict } from '../../ports.js';
import { LocalRateLimiter } from '../embedded/local-rate-limiter.js';
import { within } from './deadline.js';
import type { RedisConnections } from './redis-connections.js';

const ANSWER_WITHIN_MS = 80;

/** As `gcra`, by the clock of Redis. Returns allowed (1, 0, -1 for never), remaining, retry after and full in, in microseconds. */
const GCRA = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if cost > burst then return {-1, 0, 0, 0} end
local tat = tonumber(redis.call('GET', KEYS[1]) or now)
if tat < now then tat = now end
local tolerance = interval * burst
local next = tat + interval * cost
local allowedAt = next - tolerance
if allowedAt > now then return {0, math.floor((tolerance - (tat - now)) / interval), allowedAt - now, tat - now} end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000) + 1000)
return {1, math.floor((tolerance - (next - now)) / interval), 0, next - now}`;

/** A bucket that would be more than full is forgotten, and so is full. */
const GIVE_BACK = `
local tat = redis.call('GET', KEYS[1])
if not tat then return end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local next = tonumber(tat) - tonumber(ARGV[1]) * tonumber(ARGV[2])
if next <= now then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000) + 1000) end`;

type Answer = [allowed: number, remaining: number, retryAfterMicros: number, fullInMicros: number];
type WithGcra = Redis & {
  evenkeelGcra(key: string, interval: number, burst: number, cost: number): Promise<Answer>;
  evenkeelGiveBack(key: string, interval: number, units: number): Promise<null>;
};

/** Buckets in Redis, one script per take; while Redis is away, this node's share of each in process. */
export class RedisRateLimiter extends RateLimiter {
  private readonly logger = new Logger(RedisRateLimiter.name);
  private readonly fallback = new LocalRateLimiter();
  private away = false;

  constructor(private readonly redis: RedisConnections) {
    super();
    redis.commands.defineCommand('evenkeelGcra', { numberOfKeys: 1, lua: GCRA });
    redis.commands.defineCommand('evenkeelGiveBack', { numberOfKeys: 1, lua: GIVE_BACK });
  }

  async take(bucket: string, limit: RateLimit, cost: number): Promise<RateVerdict> {
    const { commands, prefix } = this.redis;
    if (commands.status !== 'ready') return this.takeLocally(bucket, limit, cost);
    try {
      const script = (commands as WithGcra).evenkeelGcra(`${prefix}rate:${bucket}`, limit.intervalMicros, limit.burst, cost);
      const answer = await within(ANSWER_WITHIN_MS, script);
      if (this.away) this.logger.log('rate limits are shared again');
      this.away = false;
      return verdict(answer);
    } catch (error) {
      return this.takeLocally(bucket, limit, cost, error);
    }
  }

  async giveBack(bucket: string, { intervalMicros }: RateLimit, units: number): Promise<void> {
    const { commands, prefix } = this.redis;
    if (commands.status !== 'ready') return;
    try {
      await within(ANSWER_WITHIN_MS, (commands as WithGcra).evenkeelGiveBack(`${prefix}rate:${bucket}`, intervalMicros, units));
    } catch (error) {
      this.logger.debug('units of a rate limit were not given back', { err: error });
    }
  }

  divideAmong(nodes: number): void {
    this.fallback.divideAmong(nodes);
  }

  private takeLocally(bucket: string, limit: RateLimit, cost: number, error?: unknown): Promise<RateVerdict> {
    if (!this.away) this.logger.warn('rate limits are divided among the nodes while redis is away', { err: error });
    this.away = true;
    return this.fallback.take(bucket, limit, cost);
  }
}

function verdict([allowed, remaining, retryAfterMicros, fullInMicros]: Answer): RateVerdict {
  if (allowed === -1) return { outcome: 'never', remaining: 0, retryAfterMicros: 0, fullInMicros: 0 };
  return { outcome: allowed === 1 ? 'allowed' : 'limited', remaining, retryAfterMicros, fullInMicros };
}
