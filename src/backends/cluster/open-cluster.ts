import type { Config } from '../../platform/config.js';
import type { Adapters, Purpose } from '../adapters.js';
import { requireMigrated } from '../migrate.js';
import { HotBuckets } from './hot-buckets.js';
import { openMysql } from './mysql-data-source.js';
import { MysqlDialect } from './mysql-dialect.js';
import { isRefusedByRedis, UnreachableError, untilReachable } from './reach.js';
import { RedisConnections } from './redis-connections.js';
import { RedisNonceStore } from './redis-nonce-store.js';
import { RedisRateLimiter } from './redis-rate-limiter.js';
import { RedisSignals } from './redis-signals.js';
import { RedlockLease } from './redlock-lease.js';

/** How long a command waits for Redis, which it can do without. */
const COMMAND_WAIT_MS = 4000;
const COMMAND_CONNECT_MS = 3000;

/**
 * Waits up to a minute for each service, a command some seconds for Redis; an old schema is refused with the command that brings it
 * up to date.
 */
export async function openCluster(
  config: Pick<Config, 'databaseUrl' | 'redisUrl' | 'dbPoolSize'>,
  purpose: Purpose,
): Promise<Adapters> {
  const { databaseUrl, redisUrl } = config as { databaseUrl: URL; redisUrl: URL };
  const silenceMs = purpose === 'migrate' ? 0 : undefined;
  const dataSource = await untilReachable('mysql', databaseUrl, () =>
    openMysql({ url: databaseUrl, poolSize: config.dbPoolSize, silenceMs }),
  );
  try {
    if (purpose !== 'migrate') await requireMigrated(dataSource);
    const prefix = `ek:${databaseUrl.pathname.slice(1)}:`;
    const { redis, signals } =
      purpose === 'command'
        ? await openRedisForCommand(redisUrl, prefix)
        : await untilReachable('redis', redisUrl, () => openRedis(redisUrl, prefix));
    return {
      dataSource,
      dialect: new MysqlDialect(dataSource),
      lease: new RedlockLease(redis),
      signals,
      nonceStore: new RedisNonceStore(redis),
      rateLimiter: new HotBuckets(new RedisRateLimiter(redis)),
      close: async () => {
        redis.disconnect();
        if (dataSource.isInitialized) await dataSource.destroy();
      },
    };
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw error;
  }
}

interface OpenRedis {
  redis: RedisConnections;
  signals: RedisSignals;
}

/** `limitMs`: gives the attempt up after so long. */
async function openRedis(url: URL, prefix: string, limitMs?: number): Promise<OpenRedis> {
  const redis = new RedisConnections(url, prefix);
  const late = limitMs === undefined ? undefined : setTimeout(() => redis.disconnect(), limitMs);
  try {
    await redis.connect();
    const signals = new RedisSignals(redis);
    await signals.start();
    return { redis, signals };
  } catch (error) {
    redis.disconnect();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/**
 * Without Redis closed connections: what a command changes is in the database all the same, and it says itself that nobody was told.
 * Throws UnreachableError if Redis refuses this process.
 */
async function openRedisForCommand(url: URL, prefix: string): Promise<OpenRedis> {
  try {
    return await untilReachable('redis', url, () => openRedis(url, prefix, COMMAND_CONNECT_MS), COMMAND_WAIT_MS);
  } catch (error) {
    if (!(error instanceof UnreachableError) || isRefusedByRedis(error.cause)) throw error;
    const redis = new RedisConnections(url, prefix);
    redis.disconnect();
    return { redis, signals: new RedisSignals(redis) };
  }
}
