import { ROUTINGS, type Routing } from '@evenkeel/sdk/contract';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { checkMaintenance } from '../decisions/check-group.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { Ticker } from '../platform/ticker.js';
import type { Witness } from '../platform/witness.js';
import { Signals, SqlDialect } from '../ports.js';
import { type CountedSetting, counted } from './counted-setting.js';
import { isInForce, type Maintenance, maintenanceOf } from './maintenance.js';
import { SystemSettingStore } from './system-setting.store.js';

const CHANGED = 'settings.changed';
const RELOAD_MS = 2_000;
const ROUTING = 'routing';
const MAINTENANCE = 'maintenance';
/** Written by the migration that came with the writing of those entries. */
const PARTNER_ACTS_SINCE = 'partner_acts_since';
const DEFAULT_ROUTING: Routing = 'equal_cost';

/**
 * Defaults of the whole installation that change while it runs. The database is the authority; every node reads it every two seconds
 * and at once when some node changes one, and keeps the last it read while the database is away.
 */
@Injectable()
export class SystemSettingsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(SystemSettingsService.name);
  private values: ReadonlyMap<string, unknown> = new Map();
  private readonly listeners: (() => void)[] = [];
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

  /** A setting whose edits are counted, as this node knows it. What it may be is for whoever sets it to say. */
  counted(name: string): CountedSetting {
    return counted(this.values.get(name));
  }

  /** Sets it in the place of that version of it, which is 0 of one that was never set; false with the one in force if it is another. */
  async replace(
    name: string,
    version: number,
    value: unknown,
    witness?: Witness<CountedSetting>,
  ): Promise<[boolean, CountedSetting]> {
    const now = Math.round(this.clock.now());
    if (!this.values.has(name)) await this.store.ensure(this.dialect.root, name, now);
    const outcome = await this.dialect.transaction(async (tx): Promise<[boolean, CountedSetting]> => {
      const before = counted(await this.store.lock(tx, name));
      if (before.version !== version) return [false, before];
      const after = { version: version + 1, value };
      await this.store.set(tx, name, after, now);
      await witness?.(tx, before, after);
      return [true, after];
    });
    if (outcome[0]) {
      await this.reload();
      this.signals.publish(CHANGED, {});
    }
    return outcome;
  }

  /** Since when the audit log has what partners did to their jobs, epoch milliseconds; of before it says nothing. */
  get partnerActsSince(): number {
    const since = this.values.get(PARTNER_ACTS_SINCE);
    return typeof since === 'number' ? since : Number.POSITIVE_INFINITY;
  }

  /** Called when this node learns that a maintenance hold begins, ends or is another. Not when one ends by its own expiry. */
  onMaintenance(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The hold on all dispatch that is in force now; one with an expiry ends by itself. Each claim reads it once more from the row. */
  get maintenance(): Maintenance | null {
    const maintenance = maintenanceOf(this.values.get(MAINTENANCE));
    return maintenance && isInForce(maintenance, this.clock.now()) ? maintenance : null;
  }

  /**
   * Starts no task of any group, on every node and from the commit on; what runs goes on, schedules fire and submits are accepted.
   * `until` in epoch milliseconds, or null until it is released. Again: with the new reason. Throws AppError `validation_failed`.
   */
  async hold(reason: string, until: number | null, by: string, witness?: Witness<Maintenance>): Promise<void> {
    const errors = checkMaintenance(reason, until, this.clock.now());
    if (errors.length > 0) throw AppError.fields(errors);
    await this.setMaintenance({ reason, until, by, at: Math.round(this.clock.now()) }, witness);
  }

  /** False if there was none. */
  async release(witness?: Witness<Maintenance>): Promise<boolean> {
    return this.setMaintenance(null, witness);
  }

  private async setMaintenance(after: Maintenance | null, witness?: Witness<Maintenance>): Promise<boolean> {
    const changed = await this.dialect.transaction(async (tx) => {
      const stored = maintenanceOf(await this.store.lock(tx, MAINTENANCE));
      const before = stored && isInForce(stored, this.clock.now()) ? stored : null;
      if (!before && !after) return false;
      await this.store.set(tx, MAINTENANCE, after, Math.round(this.clock.now()));
      await witness?.(tx, before, after);
      return true;
    });
    await this.reload();
    this.signals.publish(CHANGED, {});
    return changed;
  }

  private async reload(): Promise<void> {
    const before = JSON.stringify(this.values.get(MAINTENANCE) ?? null);
    this.values = await this.store.all(this.dialect.root);
    if (JSON.stringify(this.values.get(MAINTENANCE) ?? null) !== before) for (const listener of this.listeners) listener();
  }
}
