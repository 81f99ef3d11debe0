import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { NonceStore, PortUnavailableError } from '../../ports.js';
import { within } from './deadline.js';
import type { RedisConnections } from './redis-connections.js';

/** A busy machine keeps an answer longer than one would think, and a late answer serves a partner better than a refusal. */
const ANSWER_WITHIN_MS = 500;
/** Longer than anything that was signed before a loss can still be valid. */
const LOSS_MATTERS_S = 660;

/** A Redis without the first mark is new or has lost its data: from when on claims are known is noted beside it. */
const REMEMBER = `
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[2], redis.call('TIME')[1], 'EX', ${LOSS_MATTERS_S})
  redis.call('SET', KEYS[1], '1')
end`;
/** 1: claimed, 0: used before, -1: signed before claims are known. */
const CLAIM = `${REMEMBER}
local since = redis.call('GET', KEYS[2])
if since and tonumber(ARGV[1]) < tonumber(since) then return -1 end
if redis.call('SET', KEYS[3], '1', 'PX', ARGV[2], 'NX') then return 1 end
return 0`;

type WithScripts = Redis & {
  evenkeelRemember(known: string, since: string): Promise<null>;
  evenkeelClaim(known: string, since: string, nonce: string, signedAt: number, ttlMs: number): Promise<-1 | 0 | 1>;
};

/**
 * One script per claim, so that Redis decides for all nodes. It must not evict (`noeviction`): an evicted nonce is a replay. A Redis
 * that lost its data (restarted without a file, emptied, replaced) is noticed by a mark that is gone; the second of the loss itself
 * stays open.
 */
export class RedisNonceStore extends NonceStore {
  readonly outlivesProcess = true;
  private readonly logger = new Logger(RedisNonceStore.name);
  private readonly known: string;
  private readonly since: string;

  constructor(private readonly redis: RedisConnections) {
    super();
    const { commands, prefix } = redis;
    this.known = `${prefix}nonces:known`;
    this.since = `${prefix}nonces:since`;
    commands.defineCommand('evenkeelRemember', { numberOfKeys: 2, lua: REMEMBER });
    commands.defineCommand('evenkeelClaim', { numberOfKeys: 3, lua: CLAIM });
    commands.on('ready', () => this.remember());
    if (commands.status === 'ready') this.remember();
  }

  async claim(accessKey: string, nonce: string, signedAt: number, ttlMs: number): Promise<boolean> {
    const { commands, prefix } = this.redis;
    if (commands.status !== 'ready') throw new PortUnavailableError('nonce store');
    const name = `${prefix}nonce:${accessKey}:${nonce}`;
    const claim = (commands as WithScripts).evenkeelClaim(this.known, this.since, name, signedAt, ttlMs);
    const answer = await within(ANSWER_WITHIN_MS, claim).catch((error: unknown) => {
      throw new PortUnavailableError('nonce store', error);
    });
    if (answer === -1) throw new PortUnavailableError('nonce store');
    return answer === 1;
  }

  /** As soon as there is a connection, so that a loss is dated before the first claim after it. If it fails, that claim dates it. */
  private remember(): void {
    (this.redis.commands as WithScripts)
      .evenkeelRemember(this.known, this.since)
      .catch((err: unknown) => this.logger.debug({ msg: 'nonces not dated yet', err }));
  }
}
