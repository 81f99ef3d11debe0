import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { AccessKeysStore } from './access-keys.store.js';

const EVERY_MS = 30_000;
const CHUNK = 500;

/** Writes when a key was last used, every half minute for all keys used since. A round that fails is lost: the figure is for people. */
@Injectable()
export class KeyUsage implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('key-usage');
  private used = new Set<string>();
  private readonly ticker = new Ticker(() => this.flush(), {
    everyMs: EVERY_MS,
    onError: (err) => this.logger.warn({ msg: 'last use of keys not written', err }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: AccessKeysStore,
    private readonly clock: Clock,
  ) {}

  note(accessKey: string): void {
    this.used.add(accessKey);
  }

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.ticker.stop();
  }

  private async flush(): Promise<void> {
    const keys = [...this.used].sort();
    this.used = new Set();
    for (let at = 0; at < keys.length; at += CHUNK) {
      await this.store.touch(this.dialect.root, keys.slice(at, at + CHUNK), this.clock.now());
    }
  }
}
