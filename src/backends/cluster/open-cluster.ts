import type { Config } from '../../platform/config.js';
import type { Adapters, Purpose } from '../adapters.js';
import { requireMigrated } from '../migrate.js';
import { HotBuckets } from './hot-buckets.js';
import { openMysql } from './mysql-data-source.js';
import { MysqlDialect } from './mysql-dialect.js';
import { untilReachable } from './reach.js';
import { RedisConnections } from './redis-connections.js';
import { RedisNonceStore } from './redis-nonce-store.js';
import { RedisRateLimiter } from './redis-rate-limiter.js';
import { RedisSignals } from './redis-signals.js';
import { RedlockLease } from './redlock-lease.js';

/** Waits up to a minute for each service; an old schema is refused with the command that brings it up to date. */
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
    const redis = await untilReachable('redis', redisUrl, () => openRedis(redisUrl, `ek:${databaseUrl.pathname.slice(1)}:`));
    const signals = new RedisSignals(redis);
    await signals.start();
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

async function openRedis(url: URL, prefix: string): Promise<RedisConnections> {
  const redis = new RedisConnections(url, prefix);
  try {
    await redis.connect();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}
