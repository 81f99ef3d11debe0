import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { slices } from '../platform/slices.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { AccessKeysStore, type KeyUse } from './access-keys.store.js';

const EVERY_MS = 5_000;
const CHUNK = 100;

/**
 * Writes how keys were last used, every five seconds for all keys used since. A round that fails is lost: it is for people. All nodes
 * write of the same key; one whose row another holds has its turn in the next round.
 */
@Injectable()
export class KeyUsage implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('key-usage');
  private used = new Map<string, KeyUse>();
  private readonly ticker = new Ticker(() => this.flush(), {
    everyMs: EVERY_MS,
    onError: (err) => this.logger.warn({ msg: 'last use of keys not written', err }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: AccessKeysStore,
  ) {}

  note(use: KeyUse): void {
    this.used.set(use.accessKey, use);
  }

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.ticker.stop();
  }

  /** One round; also for tests. */
  async flush(): Promise<void> {
    const uses = [...this.used.values()].sort((a, b) => (a.accessKey < b.accessKey ? -1 : 1));
    this.used = new Map();
    const { forUpdateSkipLocked } = this.dialect;
    for (const some of slices(uses, CHUNK)) {
      const held = await this.dialect.transaction((tx) => this.store.touch(tx, some, forUpdateSkipLocked));
      for (const use of held) if (!this.used.has(use.accessKey)) this.used.set(use.accessKey, use);
    }
  }
}
