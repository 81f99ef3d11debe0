import { RedisNonceStore } from '../../src/backends/cluster/redis-nonce-store.js';
import { LocalNonceStore } from '../../src/backends/embedded/local-nonce-store.js';
import { type NonceStore, PortUnavailableError } from '../../src/ports.js';
import { PrivateRedis } from '../support/private-redis.js';
import { connectRedis, freshPrefix } from '../support/redis-adapters.js';
import { redisUrl } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

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
      Array.from({ length: 100 }, () => store.claim('ak_live_one', 'parallel-nonce-0001', 60_000)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('refuses a nonce that was used before', async () => {
    expect(await store.claim('ak_live_one', 'repeated-nonce-0001', 60_000)).toBe(true);
    expect(await store.claim('ak_live_one', 'repeated-nonce-0001', 60_000)).toBe(false);
  });

  it('keeps the nonces of two keys apart', async () => {
    expect(await store.claim('ak_live_one', 'same-nonce-000001', 60_000)).toBe(true);
    expect(await store.claim('ak_live_two', 'same-nonce-000001', 60_000)).toBe(true);
  });

  it('accepts a nonce again after its ttl and not before', async () => {
    const claimedAt = performance.now();
    expect(await store.claim('ak_live_one', 'expiring-nonce-001', 200)).toBe(true);
    await waitFor('the nonce has expired', () => store.claim('ak_live_one', 'expiring-nonce-001', 60_000));
    expect(performance.now() - claimedAt).toBeGreaterThanOrEqual(195);
  });
});

describe('RedisNonceStore on several nodes', () => {
  it('lets exactly one node through when all claim the same nonce', async () => {
    const prefix = freshPrefix();
    const nodes = await Promise.all(Array.from({ length: 4 }, () => connectRedis(redisUrl(), prefix)));
    const stores = nodes.map((redis) => new RedisNonceStore(redis));
    const claims = await Promise.all(
      stores.flatMap((store) => Array.from({ length: 25 }, () => store.claim('ak', 'shared-nonce-00001', 60_000))),
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
    expect(await store.claim('ak', 'before-outage-0001', 60_000)).toBe(true);
    await server.stop();
    const startedAt = performance.now();
    await expect(store.claim('ak', 'during-outage-0001', 60_000)).rejects.toThrow(PortUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(500); // Promised within 100 ms; generous by five.
    await server.startAgain();
    const again = await waitFor('a claim passes', () => store.claim('ak', 'after-outage-00001', 60_000).catch(() => undefined));
    expect(again).toBe(true);
    redis.disconnect();
    await server.stop();
  });

  it('throws PortUnavailableError when Redis is frozen', async () => {
    const server = await PrivateRedis.start();
    const redis = await connectRedis(server.url);
    const store = new RedisNonceStore(redis);
    server.freeze();
    const startedAt = performance.now();
    await expect(store.claim('ak', 'frozen-nonce-00001', 60_000)).rejects.toThrow(PortUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(500); // Promised within 100 ms; generous by five.
    server.thaw();
    redis.disconnect();
    await server.stop();
  });
});
