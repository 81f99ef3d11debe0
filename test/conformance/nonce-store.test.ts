import { RedisNonceStore } from '../../src/backends/cluster/redis-nonce-store.js';
import { LocalNonceStore } from '../../src/backends/embedded/local-nonce-store.js';
import { type NonceStore, PortUnavailableError } from '../../src/ports.js';
import { PrivateRedis } from '../support/private-redis.js';
import { connectRedis, freshPrefix } from '../support/redis-adapters.js';
import { redisUrl } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const now = (): number => Math.floor(Date.now() / 1000);

const ADAPTERS = {
  LocalNonceStore: async () => ({ store: new LocalNonceStore() as NonceStore, close: () => undefined }),
  RedisNonceStore: async () => {
    const redis = await connectRedis(redisUrl());
    return { store: new RedisNonceStore(redis) as NonceStore, close: () => redis.disconnect() };
  },
};

describe.each(Object.entries(ADAPTERS))('%s', (_name, open) => {
  let store: NonceStore;
  let close: () => void;
  beforeAll(async () => {
    ({ store, close } = await open());
  });
  afterAll(() => close());

  it('lets exactly one of a hundred parallel claims of one nonce through', async () => {
    const claims = await Promise.all(
      Array.from({ length: 100 }, () => store.claim('ak_live_one', 'parallel-nonce-0001', now(), 60_000)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('refuses a nonce that was used before', async () => {
    expect(await store.claim('ak_live_one', 'repeated-nonce-0001', now(), 60_000)).toBe(true);
    expect(await store.claim('ak_live_one', 'repeated-nonce-0001', now(), 60_000)).toBe(false);
  });

  it('keeps the nonces of two keys apart', async () => {
    expect(await store.claim('ak_live_one', 'same-nonce-000001', now(), 60_000)).toBe(true);
    expect(await store.claim('ak_live_two', 'same-nonce-000001', now(), 60_000)).toBe(true);
  });

  it('accepts a nonce again after its ttl and not before', async () => {
    const claimedAt = performance.now();
    expect(await store.claim('ak_live_one', 'expiring-nonce-001', now(), 200)).toBe(true);
    await waitFor('the nonce has expired', () => store.claim('ak_live_one', 'expiring-nonce-001', now(), 60_000));
    expect(performance.now() - claimedAt).toBeGreaterThanOrEqual(195);
  });
});

describe('RedisNonceStore on several nodes', () => {
  it('lets exactly one node through when all claim the same nonce', async () => {
    const prefix = freshPrefix();
    const nodes = await Promise.all(Array.from({ length: 4 }, () => connectRedis(redisUrl(), prefix)));
    const stores = nodes.map((redis) => new RedisNonceStore(redis));
    const claims = await Promise.all(
      stores.flatMap((store) => Array.from({ length: 25 }, () => store.claim('ak', 'shared-nonce-00001', now(), 60_000))),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    for (const redis of nodes) redis.disconnect();
  });
});

describe('RedisNonceStore without Redis', () => {
  it('throws PortUnavailableError at once, and works again when Redis returns', async () => {
    const server = await PrivateRedis.start();
    const redis = await connectRedis(server.url);
    const store = new RedisNonceStore(redis);
    expect(await store.claim('ak', 'before-outage-0001', now(), 60_000)).toBe(true);
    await server.stop();
    const startedAt = performance.now();
    await expect(store.claim('ak', 'during-outage-0001', now(), 60_000)).rejects.toThrow(PortUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(10_000); // Promised within 500 ms; this only tells an answer from none.
    await server.startAgain();
    const again = await waitFor('a claim passes', () =>
      store.claim('ak', 'after-outage-00001', now(), 60_000).catch(() => undefined),
    );
    expect(again).toBe(true);
    redis.disconnect();
    await server.stop();
  });

  it.each(['that was restarted without its data', 'that was emptied'])(
    'vouches for nothing that was signed before it lost what it knew, in a Redis %s',
    async (how) => {
      const server = await PrivateRedis.start();
      const redis = await connectRedis(server.url);
      const store = new RedisNonceStore(redis);
      const before = now() - 60;
      const replay = () => store.claim('ak', 'before-the-loss-01', before, 60_000);
      // New, it knows of nothing before itself either.
      await expect(replay()).rejects.toThrow(PortUnavailableError);
      expect(await store.claim('ak', 'before-the-loss-01', now(), 60_000)).toBe(true);
      if (how.includes('emptied')) await redis.commands.flushall();
      else {
        await server.stop();
        await server.startAgain();
      }
      await waitFor('Redis answers', () => redis.commands.ping().catch(() => undefined));
      await expect(replay()).rejects.toThrow(PortUnavailableError);
      expect(await store.claim('ak', 'after-the-loss-001', now() + 1, 60_000)).toBe(true);
      expect(await store.claim('ak', 'after-the-loss-001', now() + 1, 60_000)).toBe(false);
      redis.disconnect();
      await server.stop();
    },
  );

  it('throws PortUnavailableError when Redis is frozen', async () => {
    const server = await PrivateRedis.start();
    const redis = await connectRedis(server.url);
    const store = new RedisNonceStore(redis);
    server.freeze();
    const startedAt = performance.now();
    await expect(store.claim('ak', 'frozen-nonce-00001', now(), 60_000)).rejects.toThrow(PortUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(10_000); // Promised within 500 ms; this only tells an answer from none.
    server.thaw();
    redis.disconnect();
    await server.stop();
  });
});
