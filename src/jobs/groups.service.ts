import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { Signals, SqlDialect } from '../ports.js';
import type { Group } from './group.js';
import { GroupStore } from './group.store.js';

const DEFAULT_LIMITS = { maxRunning: 200, maxPending: 1_000_000 };
const CHANGED = 'groups.changed';
const RELOAD_MS = 2_000;
const COST_SHARE = 50;

/**
 * Every group, as each node keeps it: read again every two seconds and at once when some node changes one. The database is the
 * authority; a change is seen everywhere within that time even if the signal is lost.
 */
@Injectable()
export class GroupsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(GroupsService.name);
  private byGroupKey = new Map<string, Group>();
  private byGroupId = new Map<number, Group>();
  private readonly full = new Set<number>();
  private readonly countAgainAt = new Map<number, number>();
  private readonly loop = new Ticker(() => this.reload(), {
    everyMs: RELOAD_MS,
    onError: (error) => this.log.warn('groups not read, keeping the last ones', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: GroupStore,
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

  byKey(key: string): Group | undefined {
    return this.byGroupKey.get(key);
  }

  byId(id: number): Group | undefined {
    return this.byGroupId.get(id);
  }

  all(): Group[] {
    return [...this.byGroupId.values()];
  }

  /** The group holds as many pending tasks as it may; counted every two seconds, so soft by what arrives meanwhile. */
  backlogFull(groupId: number): boolean {
    return this.full.has(groupId);
  }

  /** Held now: a hold with an expiry ends by itself. */
  isHeld(group: Group): boolean {
    return group.held && (group.heldUntil === null || group.heldUntil > this.clock.now());
  }

  async ensure(key: string, limits: Partial<typeof DEFAULT_LIMITS> = {}): Promise<Group> {
    await this.store.ensure(this.dialect.root, key, { ...DEFAULT_LIMITS, ...limits }, Math.round(this.clock.now()));
    if (limits.maxRunning !== undefined) await this.store.setMaxRunning(this.dialect.root, key, limits.maxRunning);
    await this.reload();
    this.signals.publish(CHANGED, {});
    return this.byGroupKey.get(key) as Group;
  }

  /** How workers are chosen for its tasks that say nothing themselves; null for the system's default. False if there is no such group. */
  async setRouting(key: string, routing: Group['routing']): Promise<boolean> {
    if (!(await this.store.setRouting(this.dialect.root, key, routing))) return false;
    await this.reload();
    this.signals.publish(CHANGED, {});
    return true;
  }

  private async reload(): Promise<void> {
    const groups = await this.store.all(this.dialect.root);
    this.byGroupKey = new Map(groups.map((group) => [group.key, group]));
    this.byGroupId = new Map(groups.map((group) => [group.id, group]));
    await this.countBacklogs(groups);
  }

  /** A count that took long is repeated the more rarely, so that a huge backlog costs at most a fiftieth of the time. */
  private async countBacklogs(groups: Group[]): Promise<void> {
    for (const group of groups) {
      const startedAt = this.clock.monotonic();
      if (startedAt < (this.countAgainAt.get(group.id) ?? 0)) continue;
      const pending = await this.store.countPending(this.dialect.root, group.id, group.maxPending);
      if (pending >= group.maxPending) this.full.add(group.id);
      else this.full.delete(group.id);
      const now = this.clock.monotonic();
      this.countAgainAt.set(group.id, now + COST_SHARE * (now - startedAt));
    }
  }
}
