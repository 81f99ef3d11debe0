import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';

/**
 * Options under which a command fails at once when Redis is away instead of waiting for it: nothing is queued, nothing is sent
 * twice (a re-sent script would count twice).
 */
const FAIL_FAST: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1000,
  retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 5), 1000),
  lazyConnect: true,
};

/** Three connections: short commands (nonces, rates, publishing), leases, and the subscription, which may do nothing else. */
export class RedisConnections {
  private readonly logger = new Logger('Redis');
  readonly commands: Redis;
  readonly leases: Redis;
  readonly subscriber: Redis;
  private away = false;

  constructor(
    url: URL,
    /** Begins every key and channel, so that two installations may share a Redis. */
    readonly prefix: string,
  ) {
    this.commands = new Redis(url.href, { ...FAIL_FAST, commandTimeout: 1000, enableAutoPipelining: true });
    this.leases = new Redis(url.href, { ...FAIL_FAST, commandTimeout: 180 });
    this.subscriber = new Redis(url.href, { ...FAIL_FAST, enableOfflineQueue: true, maxRetriesPerRequest: null });
    for (const connection of this.all) connection.on('error', (error) => this.report(error));
    this.commands.on('ready', () => {
      if (this.away) this.logger.log('redis is back');
      this.away = false;
    });
  }

  /** Rejects if any of them cannot be made now; `disconnect` then leaves nothing behind. */
  async connect(): Promise<void> {
    await Promise.all(this.all.map((connection) => connection.connect()));
  }

  /** At once: what is under way fails. */
  disconnect(): void {
    for (const connection of this.all) connection.disconnect();
  }

  private get all(): Redis[] {
    return [this.commands, this.leases, this.subscriber];
  }

  private report(error: unknown): void {
    if (!this.away) this.logger.warn('redis is away', { err: error });
    this.away = true;
  }
}
