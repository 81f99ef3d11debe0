import { randomBytes } from 'node:crypto';
import { RedisConnections } from '../../src/backends/cluster/redis-connections.js';

/** Connections as a node makes them, under a prefix of their own unless they are to share one. */
export async function connectRedis(url: URL, prefix = freshPrefix()): Promise<RedisConnections> {
  const redis = new RedisConnections(url, prefix);
  await redis.connect();
  return redis;
}

export const freshPrefix = (): string => `ek:test-${randomBytes(6).toString('hex')}:`;
