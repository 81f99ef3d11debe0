import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { SparingTicker } from '../platform/sparing-ticker.js';
import { SqlDialect } from '../ports.js';
import { appOf } from './endpoint-directory.js';
import { SendStore } from './send.store.js';

const COUNT_MS = 2_000;
const MOST_FAILING = 10_000;

/**
 * How many callbacks of each app wait to be sent, and how many of all have failed so far, counted every two seconds by each node, and
 * never for a task: so what arrives between two counts may overrun a limit. What takes long is counted the more rarely, at most a fiftieth of the time. A
 * count that fails leaves the last one standing. Nothing that has ended is ever left out because of it: only submits are refused.
 */
@Injectable()
export class PendingCallbacks implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(PendingCallbacks.name);
  private counts: ReadonlyMap<number, number> = new Map();
  private failures = 0;
  private readonly loop: SparingTicker;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: SendStore,
    clock: Clock,
  ) {
    this.loop = new SparingTicker(() => this.count(), clock, {
      everyMs: COUNT_MS,
      onError: (error) => this.log.warn('pending callbacks not counted, keeping the last count', { err: error }),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** At the last count. */
  of(appId: number): number {
    return this.counts.get(appId) ?? 0;
  }

  /** Of all apps: those that failed and are tried again, at the last count. */
  get failing(): { count: number; capped: boolean } {
    return { count: Math.min(this.failures, MOST_FAILING), capped: this.failures > MOST_FAILING };
  }

  /** Counts now. */
  async count(): Promise<void> {
    const counts = new Map<number, number>();
    for (const { target, sends } of await this.store.countByTarget(this.dialect.root))
      counts.set(appOf(target), (counts.get(appOf(target)) ?? 0) + sends);
    this.failures = await this.store.countFailing(this.dialect.root, MOST_FAILING + 1);
    this.counts = counts;
  }
}
