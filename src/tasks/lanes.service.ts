import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { laneOf } from '../decisions/partitioning.js';
import { filterText, type WorkerFilter } from '../decisions/worker-filter.js';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { Signals, type Sql, SqlDialect } from '../ports.js';
import { type FilteredLane, LaneStore } from './lane.store.js';

const CHANGED = 'lanes.changed';
const RELOAD_MS = 2_000;
const TELL_MS = 50;
/** A lane in use is stamped this often, so that lanes nobody uses any more can be told. */
const STAMP_MS = 24 * 3_600_000;

/**
 * The lanes of tasks that ask for certain workers, as every node keeps them: dispatch looks only into lanes it knows, so a lane is on
 * record before the first task of it. Read every two seconds and at once when some node adds one.
 */
@Injectable()
export class LanesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(LanesService.name);
  private byGroup = new Map<number, FilteredLane[]>();
  /** When each was last stamped, as read; by group and lane. */
  private stamped = new Map<string, number>();
  private readonly loop = new Ticker(() => this.reload(), {
    everyMs: RELOAD_MS,
    onError: (error) => this.log.warn('lanes not read, keeping the last ones', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: LaneStore,
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

  /** Lanes with a filter that tasks of the group may be in. */
  ofGroup(groupId: number): readonly FilteredLane[] {
    return this.byGroup.get(groupId) ?? [];
  }

  /** In the transaction of the insert, before it; it costs nothing for tasks without a filter. */
  async ensure(sql: Sql, tasks: readonly { groupId: number; handler: string; options: WorkerFilter }[]): Promise<void> {
    const now = Math.round(this.clock.now());
    const missing = new Map<string, FilteredLane>();
    for (const { groupId, handler, options } of tasks) {
      if (options.workerTags === undefined && options.workerZone === undefined) continue;
      const filter = filterText(options);
      if (filter === '') continue;
      const lane = laneOf(handler, filter);
      const key = `${groupId}:${lane}`;
      if ((this.stamped.get(key) ?? 0) < now - STAMP_MS) missing.set(key, { groupId, lane, handler, filter });
    }
    if (missing.size === 0) return;
    await this.store.ensure(sql, [...missing.values()], now);
    // The transaction has probably committed by then; if not, the next regular read sees it.
    setTimeout(() => this.signals.publish(CHANGED, {}), TELL_MS).unref();
  }

  private async reload(): Promise<void> {
    const byGroup = new Map<number, FilteredLane[]>();
    const stamped = new Map<string, number>();
    for (const { usedAt, ...lane } of await this.store.all(this.dialect.root)) {
      byGroup.set(lane.groupId, [...(byGroup.get(lane.groupId) ?? []), lane]);
      stamped.set(`${lane.groupId}:${lane.lane}`, usedAt);
    }
    this.byGroup = byGroup;
    this.stamped = stamped;
  }
}
