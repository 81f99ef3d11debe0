import { NonceStore, PortUnavailableError } from '../../ports.js';
import { within } from './deadline.js';
import type { RedisConnections } from './redis-connections.js';

const ANSWER_WITHIN_MS = 80;

/** One SET NX PX per claim, which Redis decides for all nodes. It must not evict (`noeviction`): an evicted nonce is a replay. */
export class RedisNonceStore extends NonceStore {
  readonly outlivesProcess = true;

  constructor(private readonly redis: RedisConnections) {
    super();
  }

  async claim(accessKey: string, nonce: string, ttlMs: number): Promise<boolean> {
    const { commands, prefix } = this.redis;
    if (commands.status !== 'ready') throw new PortUnavailableError('nonce store');
    try {
      return (
        (await within(ANSWER_WITHIN_MS, commands.set(`${prefix}nonce:${accessKey}:${nonce}`, '1', 'PX', ttlMs, 'NX'))) === 'OK'
      );
    } catch (error) {
      throw new PortUnavailableError('nonce store', error);
    }
  }
}
