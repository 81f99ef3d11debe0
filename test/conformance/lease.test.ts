import { RedlockLease } from '../../src/backends/cluster/redlock-lease.js';
import { LocalLease } from '../../src/backends/embedded/local-lease.js';
import { type HeldLease, type Lease, PortUnavailableError } from '../../src/ports.js';
import { PrivateRedis } from '../support/private-redis.js';
import { connectRedis } from '../support/redis-adapters.js';
import { redisUrl } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const ADAPTERS = {
  LocalLease: async () => ({ lease: new LocalLease() as Lease, close: () => undefined }),
  RedlockLease: async () => {
    const redis = await connectRedis(redisUrl());
    return { lease: new RedlockLease(redis) as Lease, close: () => redis.disconnect() };
  },
};

async function held(lease: Lease, name: string, ttlMs: number): Promise<HeldLease> {
  const acquired = await lease.acquire(name, ttlMs);
  if (!acquired) throw new Error(`${name} is taken`);
  return acquired;
}

describe.each(Object.entries(ADAPTERS))('%s', (_name, open) => {
  let lease: Lease;
  let close: () => void;
  beforeAll(async () => {
    ({ lease, close } = await open());
  });
  afterAll(() => close());

  it('gives one of thirty contenders the lease and the others null', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => lease.acquire('contended', 60_000)));
    expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
  });

  it('is free for the next after a release', async () => {
    const first = await held(lease, 'released', 60_000);
    await first.release();
    expect(first.isHeld()).toBe(false);
    const second = await held(lease, 'released', 60_000);
    expect(second.isHeld()).toBe(true);
  });

  it('is no longer believed held by the time another can have it', async () => {
    const first = await held(lease, 'expiring', 200);
    expect(first.isHeld()).toBe(true);
    const second = await waitFor('another has it', () => lease.acquire('expiring', 60_000));
    expect(first.isHeld()).toBe(false);
    expect(second.isHeld()).toBe(true);
  });

  it('can be extended beyond its first ttl while it is held', async () => {
    const first = await held(lease, 'extended', 1000);
    expect(await first.extend(60_000)).toBe(true);
    await waitFor('the first ttl has passed', pastMs(1100));
    expect(first.isHeld()).toBe(true);
    expect(await lease.acquire('extended', 1000)).toBeNull();
  });

  it('cannot be extended after it ran out, and its late release does not touch the next holder', async () => {
    const first = await held(lease, 'stolen', 100);
    const second = await waitFor('another has it', () => lease.acquire('stolen', 60_000));
    expect(await first.extend(60_000)).toBe(false);
    await first.release();
    expect(second.isHeld()).toBe(true);
    expect(await lease.acquire('stolen', 60_000)).toBeNull();
  });

  it('keeps names apart', async () => {
    await held(lease, 'one', 60_000);
    expect((await held(lease, 'two', 60_000)).isHeld()).toBe(true);
  });
});

describe('RedlockLease in trouble', () => {
  it('stops believing in a lease that was given to somebody else as soon as it extends', async () => {
    const redis = await connectRedis(redisUrl());
    const first = await held(new RedlockLease(redis), 'robbed', 60_000);
    await redis.commands.set(`${redis.prefix}lease:robbed`, 'somebody else');
    expect(await first.extend(60_000)).toBe(false);
    expect(first.isHeld()).toBe(false);
    await first.release();
    expect(await redis.commands.get(`${redis.prefix}lease:robbed`)).toBe('somebody else');
    redis.disconnect();
  });

  it('is not fooled by a jump of the wall clock', async () => {
    const redis = await connectRedis(redisUrl());
    const first = await held(new RedlockLease(redis), 'jump', 60_000);
    const realNow = Date.now;
    try {
      Date.now = () => realNow() + 3_600_000;
      expect(first.isHeld()).toBe(true);
      expect(await first.extend(60_000)).toBe(true);
      Date.now = () => realNow() - 3_600_000;
      expect(await first.extend(60_000)).toBe(true);
    } finally {
      Date.now = realNow;
    }
    redis.disconnect();
  });

  it('throws PortUnavailableError quickly when Redis is stopped, keeps what it holds until its ttl, and recovers', async () => {
    const server = await PrivateRedis.start();
    const redis = await connectRedis(server.url);
    const lease = new RedlockLease(redis);
    const first = await held(lease, 'outage', 60_000);
    await server.stop();
    await expectUnavailable(() => lease.acquire('other', 1000));
    await expectUnavailable(() => first.extend(60_000));
    expect(first.isHeld()).toBe(true);
    await first.release();
    await server.startAgain();
    const again = await waitFor('leases are given again', () => lease.acquire('outage', 1000).catch(() => null));
    expect(again.isHeld()).toBe(true);
    redis.disconnect();
    await server.stop();
  });

  it('throws PortUnavailableError when Redis is frozen, and stops holding by its own clock', async () => {
    const server = await PrivateRedis.start();
    const redis = await connectRedis(server.url);
    const lease = new RedlockLease(redis);
    const first = await held(lease, 'frozen', 700);
    server.freeze();
    await expectUnavailable(() => lease.acquire('other', 1000));
    await waitFor('it no longer believes in its lease', () => !first.isHeld());
    server.thaw();
    redis.disconnect();
    await server.stop();
  });
});

/** The promise is 500 ms; the deadline here only tells an answer from none. */
async function expectUnavailable(work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await expect(work()).rejects.toThrow(PortUnavailableError);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
}

function pastMs(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() > until;
}
