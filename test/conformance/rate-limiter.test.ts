import { HotBuckets } from '../../src/backends/cluster/hot-buckets.js';
import { RedisRateLimiter } from '../../src/backends/cluster/redis-rate-limiter.js';
import { LocalRateLimiter } from '../../src/backends/embedded/local-rate-limiter.js';
import type { RateLimiter } from '../../src/ports.js';
import { PrivateRedis } from '../support/private-redis.js';
import { connectRedis, freshPrefix } from '../support/redis-adapters.js';
import { redisUrl } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const ADAPTERS = {
  LocalRateLimiter: async () => ({ limiter: new LocalRateLimiter() as RateLimiter, close: () => undefined }),
  'HotBuckets over RedisRateLimiter': async () => {
    const redis = await connectRedis(redisUrl());
    return { limiter: new HotBuckets(new RedisRateLimiter(redis)) as RateLimiter, close: () => redis.disconnect() };
  },
  RedisRateLimiter: async () => {
    const redis = await connectRedis(redisUrl());
    return { limiter: new RedisRateLimiter(redis) as RateLimiter, close: () => redis.disconnect() };
  },
};
/** A thousand a second and more, but nothing comes back within the test's burst of calls that could matter. */
const HOT = { intervalMicros: 900, burst: 500 };
/** So slow that no unit comes back while a test runs. */
const SLOW = { intervalMicros: 600_000_000, burst: 20 };

it('HotBuckets take nothing for who only asks what is left', async () => {
  const left = { outcome: 'allowed', remaining: 500, retryAfterMicros: 0, fullInMicros: 0 } as const;
  const costs: number[] = [];
  const shared = {
    take: async (_bucket: string, _limit: object, cost: number) => {
      costs.push(cost);
      return left;
    },
    giveBack: async () => undefined,
    divideAmong: () => undefined,
  };
  expect(await new HotBuckets(shared).take('asked', HOT, 0)).toEqual(left);
  expect(costs).toEqual([0]);
});

describe.each(Object.entries(ADAPTERS))('%s', (_name, open) => {
  let limiter: RateLimiter;
  let close: () => void;
  beforeAll(async () => {
    ({ limiter, close } = await open());
  });
  afterAll(() => close());

  it('lets exactly the burst through when two hundred ask at once', async () => {
    const verdicts = await Promise.all(Array.from({ length: 200 }, () => limiter.take('parallel', SLOW, 1)));
    expect(verdicts.filter((verdict) => verdict.outcome === 'allowed')).toHaveLength(20);
    expect(verdicts.filter((verdict) => verdict.outcome === 'limited')).toHaveLength(180);
  });

  it('counts a cost of many units and says what remains', async () => {
    expect(await limiter.take('costly', SLOW, 15)).toMatchObject({ outcome: 'allowed', remaining: 5, retryAfterMicros: 0 });
    const refused = await limiter.take('costly', SLOW, 6);
    expect(refused).toMatchObject({ outcome: 'limited', remaining: 5 });
    expect(refused.retryAfterMicros).toBeGreaterThan(0);
    expect(refused.retryAfterMicros).toBeLessThanOrEqual(SLOW.intervalMicros);
  });

  it('charges nothing for a refused take', async () => {
    await limiter.take('refused', SLOW, 15);
    for (let index = 0; index < 5; index++) await limiter.take('refused', SLOW, 6);
    expect(await limiter.take('refused', SLOW, 5)).toMatchObject({ outcome: 'allowed', remaining: 0 });
  });

  it('has again what was taken and given back, and never more than the burst', async () => {
    await limiter.take('returned', SLOW, 15);
    await limiter.giveBack('returned', SLOW, 10);
    expect(await limiter.take('returned', SLOW, 15)).toMatchObject({ outcome: 'allowed', remaining: 0 });
    for (let index = 0; index < 3; index++) await limiter.giveBack('returned', SLOW, 20);
    expect(await limiter.take('returned', SLOW, 20)).toMatchObject({ outcome: 'allowed', remaining: 0 });
    expect(await limiter.take('returned', SLOW, 1)).toMatchObject({ outcome: 'limited' });
    await limiter.giveBack('untouched', SLOW, 5);
    expect(await limiter.take('untouched', SLOW, 20)).toMatchObject({ outcome: 'allowed', remaining: 0 });
  });

  it('calls a cost above the burst impossible, not limited', async () => {
    expect(await limiter.take('never', SLOW, 21)).toEqual({
      outcome: 'never',
      remaining: 0,
      retryAfterMicros: 0,
      fullInMicros: 0,
    });
  });

  it('lets no more through than a fast bucket holds and what comes back meanwhile', async () => {
    const startedAt = performance.now();
    const verdicts = await Promise.all(Array.from({ length: 2_000 }, () => limiter.take('hot', HOT, 1)));
    const allowed = verdicts.filter((verdict) => verdict.outcome === 'allowed').length;
    const back = Math.ceil(((performance.now() - startedAt) * 1000) / HOT.intervalMicros);
    expect(allowed).toBeGreaterThanOrEqual(HOT.burst);
    expect(allowed).toBeLessThanOrEqual(HOT.burst + back);
  });

  it('keeps buckets apart', async () => {
    await limiter.take('first', SLOW, 20);
    expect(await limiter.take('second', SLOW, 20)).toMatchObject({ outcome: 'allowed' });
  });

  it('gives a unit back after its interval and not before', async () => {
    const limit = { intervalMicros: 100_000, burst: 2 };
    const emptiedAt = performance.now();
    await limiter.take('refill', limit, 2);
    await waitFor('a unit is back', async () => (await limiter.take('refill', limit, 1)).outcome === 'allowed');
    expect(performance.now() - emptiedAt).toBeGreaterThanOrEqual(95);
  });
});

describe('RedisRateLimiter on several nodes', () => {
  it('shares one bucket', async () => {
    const prefix = freshPrefix();
    const nodes = await Promise.all([connectRedis(redisUrl(), prefix), connectRedis(redisUrl(), prefix)]);
    const limiters = nodes.map((redis) => new RedisRateLimiter(redis));
    const verdicts = await Promise.all(
      limiters.flatMap((limiter) => Array.from({ length: 30 }, () => limiter.take('shared', SLOW, 1))),
    );
    expect(verdicts.filter((verdict) => verdict.outcome === 'allowed')).toHaveLength(20);
    for (const redis of nodes) redis.disconnect();
  });
});

describe('RedisRateLimiter without Redis', () => {
  it('limits in process while nobody knows of other nodes, and shares again when Redis returns without its scripts', async () => {
    const server = await PrivateRedis.start();
    const redis = await connectRedis(server.url);
    const limiter = new RedisRateLimiter(redis);
    await limiter.take('outage', SLOW, 20);
    await server.stop();
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter.take('outage', SLOW, 1)));
    expect(verdicts.filter((verdict) => verdict.outcome === 'allowed')).toHaveLength(20);
    await server.startAgain();
    await waitFor('redis is used again', async () => (await limiter.take('outage', SLOW, 1)).outcome === 'allowed');
    expect(await redis.commands.exists(`${redis.prefix}rate:outage`)).toBe(1);
    redis.disconnect();
    await server.stop();
  });

  it('gives this node its share, and lets a larger cost pass when the share is full, paid back before the next', async () => {
    const server = await PrivateRedis.start();
    const redis = await connectRedis(server.url);
    const limiter = new HotBuckets(new RedisRateLimiter(redis));
    limiter.divideAmong(3);
    await server.stop();
    const outcomes = async (bucket: string, costs: number[]) => {
      const told: string[] = [];
      for (const cost of costs) told.push((await limiter.take(bucket, SLOW, cost)).outcome);
      return told;
    };
    expect(await outcomes('small', Array(8).fill(1))).toEqual([...Array(6).fill('allowed'), ...Array(2).fill('limited')]);
    expect(await outcomes('large', [20, 1])).toEqual(['allowed', 'limited']);
    expect(await outcomes('begun', [1, 20, 5, 1])).toEqual(['allowed', 'limited', 'allowed', 'limited']);
    expect(await outcomes('never', [21])).toEqual(['never']);
    const { retryAfterMicros, remaining } = await limiter.take('large', SLOW, 1);
    // Twenty units of a share of six: fifteen have to come back before the next passes.
    expect(retryAfterMicros).toBeGreaterThan(14 * 3 * SLOW.intervalMicros);
    expect(remaining).toBe(0);
    redis.disconnect();
  });
});
