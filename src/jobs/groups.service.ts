import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import type { Witness } from '../platform/witness.js';
import { Signals, type Sql, SqlDialect } from '../ports.js';
import { type Group, type GroupSettings, settingsOf } from './group.js';
import { GroupStore } from './group.store.js';

export const DEFAULT_LIMITS = { maxRunning: 200, maxPending: 1_000_000 };
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
    await this.changed();
    return this.byGroupKey.get(key) as Group;
  }

  /** Null if the key is taken. */
  async create(key: string, stated: Partial<GroupSettings>, witness?: Witness<Group>): Promise<Group | null> {
    const settings = { ...DEFAULT_LIMITS, routing: null, ...stated };
    try {
      await this.dialect.transaction(async (tx) => {
        await this.store.insert(tx, key, settings, Math.round(this.clock.now()));
        await witness?.(tx, null, await this.store.lock(tx, key));
      });
    } catch (error) {
      if (this.dialect.isUniqueViolation(error)) return null;
      throw error;
    }
    await this.changed();
    return this.byGroupKey.get(key) as Group;
  }

  /**
   * New settings for a group that still is as `expected` says; else `conflict`, and nothing is written. What is absent stays.
   */
  async edit(
    key: string,
    change: Partial<GroupSettings>,
    expected: (current: Group) => boolean,
    witness?: Witness<Group>,
  ): Promise<{ outcome: 'changed' | 'conflict'; group: Group } | { outcome: 'not_found' }> {
    return this.write(key, witness, async (tx, before) => {
      if (!expected(before)) return null;
      const after = { ...before, ...change };
      await this.store.updateSettings(tx, before.id, settingsOf(after));
      return after;
    });
  }

  /** Nothing more of it is started until `until`, or until it is released; what runs goes on. Again: with the new reason. */
  hold(key: string, reason: string, until: number | null, witness?: Witness<Group>) {
    return this.setHold(key, { held: true, holdReason: reason, heldUntil: until }, witness);
  }

  release(key: string, witness?: Witness<Group>) {
    return this.setHold(key, { held: false, holdReason: null, heldUntil: null }, witness);
  }

  /** Listeners are told after a change on any node; a change whose signal is lost is only found by reading. */
  onChanged(listener: () => void): () => void {
    return this.signals.subscribe(CHANGED, listener);
  }

  private setHold(key: string, hold: Pick<Group, 'held' | 'holdReason' | 'heldUntil'>, witness?: Witness<Group>) {
    return this.write(key, witness, async (tx, before) => {
      const after = { ...before, ...hold };
      await this.store.updateHold(tx, after);
      return after;
    });
  }

  private async write(
    key: string,
    witness: Witness<Group> | undefined,
    write: (tx: Sql, before: Group) => Promise<Group | null>,
  ): Promise<{ outcome: 'changed' | 'conflict'; group: Group } | { outcome: 'not_found' }> {
    const outcome = await this.dialect.transaction(async (tx) => {
      const before = await this.store.lock(tx, key);
      if (!before) return { outcome: 'not_found' as const };
      const after = await write(tx, before);
      if (!after) return { outcome: 'conflict' as const, group: before };
      await witness?.(tx, before, after);
      return { outcome: 'changed' as const, group: after };
    });
    if (outcome.outcome === 'changed') await this.changed();
    return outcome;
  }

  private async changed(): Promise<void> {
    await this.reload();
    this.signals.publish(CHANGED, {});
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
