import { ROUTINGS, type Routing } from '@evenkeel/sdk/contract';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import type { Witness } from '../platform/witness.js';
import { Signals, SqlDialect } from '../ports.js';
import { SystemSettingStore } from './system-setting.store.js';

const CHANGED = 'settings.changed';
const RELOAD_MS = 2_000;
const ROUTING = 'routing';
const DEFAULT_ROUTING: Routing = 'equal_cost';

/**
 * Defaults of the whole installation that change while it runs. The database is the authority; every node reads it every two seconds
 * and at once when some node changes one, and keeps the last it read while the database is away.
 */
@Injectable()
export class SystemSettingsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(SystemSettingsService.name);
  private values: ReadonlyMap<string, unknown> = new Map();
  private readonly loop = new Ticker(() => this.reload(), {
    everyMs: RELOAD_MS,
    onError: (error) => this.log.warn('settings not read, keeping the last ones', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: SystemSettingStore,
    private readonly clock: Clock,
    private readonly signals: Signals,
  ) {
    signals.subscribe(CHANGED, () => this.loop.wake());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.reload();
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** How workers are chosen where neither task, job nor group say; a value of a later version counts as none. */
  get routing(): Routing {
    return ROUTINGS.find((routing) => routing === this.values.get(ROUTING)) ?? DEFAULT_ROUTING;
  }

  async setRouting(routing: Routing, witness?: Witness<Routing>): Promise<void> {
    await this.dialect.transaction(async (tx) => {
      const before = this.routing;
      await this.store.set(tx, ROUTING, routing, Math.round(this.clock.now()));
      await witness?.(tx, before, routing);
    });
    await this.reload();
    this.signals.publish(CHANGED, {});
  }

  private async reload(): Promise<void> {
    this.values = await this.store.all(this.dialect.root);
  }
}
