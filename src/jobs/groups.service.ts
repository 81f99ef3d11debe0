import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { checkGroupKey, checkGroupSettings, checkHold } from '../decisions/check-group.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { Ticker } from '../platform/ticker.js';
import type { Witness } from '../platform/witness.js';
import { Signals, SqlDialect } from '../ports.js';
import { Backlogs } from './backlogs.js';
import {
  type ArchiveOutcome,
  type Group,
  type GroupChangeOutcome,
  type GroupCreateOutcome,
  type GroupSettings,
  isHeldAt,
} from './group.js';
import { GroupStore } from './group.store.js';

export const DEFAULT_LIMITS = { maxRunning: 200, maxPending: 1_000_000 };
const CHANGED = 'groups.changed';
const RELOAD_MS = 2_000;

/**
 * Every group, as each node keeps it: read again every two seconds and at once when some node changes one. The database is the
 * authority: a change is seen everywhere within that time even if the signal is lost, and quota and hold are read once more by each
 * claim, so that they hold from the commit on.
 */
@Injectable()
export class GroupsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(GroupsService.name);
  private byGroupKey = new Map<string, Group>();
  private byGroupId = new Map<number, Group>();
  private readonly backlogs: Backlogs;
  private readonly listeners: ((groups: Group[]) => void)[] = [];
  private readonly loop = new Ticker(() => this.round(), {
    everyMs: RELOAD_MS,
    onError: (error) => this.log.warn('groups not read, keeping the last ones', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: GroupStore,
    private readonly clock: Clock,
    private readonly signals: Signals,
  ) {
    this.backlogs = new Backlogs(store, clock);
    signals.subscribe(CHANGED, () => this.loop.wake());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.round();
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

  /** Called with the groups whose settings or hold are others than before, as soon as this node knows. */
  onChange(listener: (groups: Group[]) => void): void {
    this.listeners.push(listener);
  }

  /** The group holds as many pending tasks as it may; counted every two seconds, so soft by what arrives meanwhile. */
  backlogFull(groupId: number): boolean {
    const group = this.byGroupId.get(groupId);
    return group !== undefined && this.backlogs.isFull(group);
  }

  /** Pending tasks as counted last, exact up to the group's `maxPending`. */
  pendingOf(groupId: number): number {
    return this.backlogs.pendingOf(groupId);
  }

  /** Held now: a hold with an expiry ends by itself. */
  isHeld(group: Group): boolean {
    return isHeldAt(group, this.clock.now());
  }

  /** The group, created if there is none. A `maxRunning` that is stated is set either way. */
  async ensure(key: string, limits: Partial<typeof DEFAULT_LIMITS> = {}, witness?: Witness<Group>): Promise<Group> {
    const created = await this.insert(key, limits, witness);
    if (!created && limits.maxRunning !== undefined) await this.write(key, null, { maxRunning: limits.maxRunning }, witness);
    await this.tell();
    return this.byGroupKey.get(key) as Group;
  }

  /** Listeners are told after a change on any node; a change whose signal is lost is only found by reading. */
  onChanged(listener: () => void): () => void {
    return this.signals.subscribe(CHANGED, listener);
  }

  /** How workers are chosen for its tasks that say nothing themselves; null for the system's default. False if there is no such group. */
  async setRouting(key: string, routing: Group['routing'], witness?: Witness<Group>): Promise<boolean> {
    return (await this.update(key, null, { routing }, witness)).outcome === 'changed';
  }

  /** Throws AppError `validation_failed`. */
  async create(key: string, settings: Partial<GroupSettings> = {}, witness?: Witness<Group>): Promise<GroupCreateOutcome> {
    refuse([...checkGroupKey(key), ...checkGroupSettings(settings)]);
    const created = await this.insert(key, settings, witness);
    if (!created) return { outcome: 'key_taken' };
    await this.tell();
    return { outcome: 'created', group: created };
  }

  /**
   * Changes the settings that are stated, on every node at once. An edit made from another version than the current one is refused
   * with the group as it is; null for whatever version. `policies` are replaced as a whole. Throws AppError `validation_failed`.
   */
  async update(
    key: string,
    expectedVersion: number | null,
    changes: Partial<GroupSettings>,
    witness?: Witness<Group>,
  ): Promise<GroupChangeOutcome> {
    refuse(checkGroupSettings(changes));
    const outcome = await this.write(key, expectedVersion, changes, witness);
    if (outcome.outcome === 'changed') await this.tell();
    return outcome;
  }

  /**
   * Stops starting tasks of the group, everywhere and at once; what runs goes on and submits are accepted. `until` in epoch
   * milliseconds, or null until it is released. Again: with the new reason. Throws AppError `validation_failed`. Null if there is no
   * such group.
   */
  async hold(key: string, reason: string, until: number | null, witness?: Witness<Group>): Promise<Group | null> {
    refuse(checkHold(reason, until, this.clock.now()));
    return this.writeHold(key, { held: true, holdReason: reason, heldUntil: until }, witness);
  }

  /** Ends a hold. Null if there is no such group. */
  async release(key: string, witness?: Witness<Group>): Promise<Group | null> {
    return this.writeHold(key, { held: false, holdReason: null, heldUntil: null }, witness);
  }

  /**
   * From then on the group takes no new work; what it has accepted is dispatched and ends. Refused while it has jobs: whoever brings it one
   * locks the same row (`OpenGroups`), so no job is ever in an archived group. Submits are refused by each node as soon as it knows.
   */
  archive(key: string, witness?: Witness<Group>): Promise<ArchiveOutcome> {
    return this.writeArchive(key, this.now(), witness);
  }

  /** Takes new work again. */
  unarchive(key: string, witness?: Witness<Group>): Promise<ArchiveOutcome> {
    return this.writeArchive(key, null, witness);
  }

  /** Null if the key is taken. */
  private insert(key: string, settings: Partial<GroupSettings>, witness?: Witness<Group>): Promise<Group | null> {
    return this.dialect.transaction(async (tx) => {
      if (!(await this.store.ensure(tx, key, { ...DEFAULT_LIMITS, ...settings }, this.now()))) return null;
      const group = await this.store.lock(tx, key);
      await witness?.(tx, null, group);
      return group;
    });
  }

  private async writeArchive(key: string, archivedAt: number | null, witness?: Witness<Group>): Promise<ArchiveOutcome> {
    const outcome = await this.dialect.transaction(async (tx): Promise<ArchiveOutcome> => {
      const before = await this.store.lock(tx, key);
      if (!before) return { outcome: 'not_found' };
      if ((before.archivedAt === null) === (archivedAt === null)) return { outcome: 'unchanged' };
      const jobs = archivedAt === null ? 0 : await this.store.countJobs(tx, before.id);
      if (jobs > 0) return { outcome: 'has_jobs', jobs };
      const group = { ...before, archivedAt };
      await this.store.archive(tx, before.id, archivedAt);
      await witness?.(tx, before, group);
      return { outcome: 'changed', group };
    });
    if (outcome.outcome === 'changed') await this.tell();
    return outcome;
  }

  private async writeHold(
    key: string,
    hold: Pick<Group, 'held' | 'holdReason' | 'heldUntil'>,
    witness?: Witness<Group>,
  ): Promise<Group | null> {
    const changed = await this.dialect.transaction(async (tx) => {
      const before = await this.store.lock(tx, key);
      if (!before) return null;
      const after = { ...before, ...hold };
      await this.store.hold(tx, after);
      await witness?.(tx, before, after);
      return after;
    });
    if (changed) await this.tell();
    return changed;
  }

  private write(
    key: string,
    expectedVersion: number | null,
    changes: Partial<GroupSettings>,
    witness?: Witness<Group>,
  ): Promise<GroupChangeOutcome> {
    return this.dialect.transaction(async (tx): Promise<GroupChangeOutcome> => {
      const current = await this.store.lock(tx, key);
      if (!current) return { outcome: 'not_found' };
      if (expectedVersion !== null && expectedVersion !== current.version) return { outcome: 'conflict', current };
      const changed = { ...current, ...changes };
      await this.store.change(tx, changed);
      const group = { ...changed, version: current.version + 1 };
      await witness?.(tx, current, group);
      return { outcome: 'changed', group };
    });
  }

  private async tell(): Promise<void> {
    await this.reload();
    this.signals.publish(CHANGED, {});
  }

  private async round(): Promise<void> {
    await this.backlogs.count(this.dialect.root, await this.reload());
  }

  private async reload(): Promise<Group[]> {
    const groups = await this.store.all(this.dialect.root);
    const changed = groups.filter((group) => JSON.stringify(group) !== JSON.stringify(this.byGroupId.get(group.id)));
    this.byGroupKey = new Map(groups.map((group) => [group.key, group]));
    this.byGroupId = new Map(groups.map((group) => [group.id, group]));
    if (changed.length > 0) for (const listener of this.listeners) listener(changed);
    return groups;
  }

  private now(): number {
    return Math.round(this.clock.now());
  }
}

function refuse(errors: ReturnType<typeof checkGroupSettings>): void {
  if (errors.length > 0) throw AppError.fields(errors);
}
