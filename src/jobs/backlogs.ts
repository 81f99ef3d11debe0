import type { Clock } from '../platform/clock.js';
import type { Sql } from '../ports.js';
import type { Group } from './group.js';
import type { GroupStore } from './group.store.js';

const COST_SHARE = 50;
/** Groups counted by one statement, and how large a backlog may be to be counted among others. */
const TOGETHER = 50;
const SMALL = 10_000;

/**
 * Which groups hold as many pending tasks as they may; counted every two seconds and never for a submit. What took long is counted
 * the more rarely, so that a huge backlog costs at most a fiftieth of the time.
 */
export class Backlogs {
  private readonly counts = new Map<number, number>();
  private readonly countAgainAt = new Map<number, number>();

  constructor(
    private readonly store: GroupStore,
    private readonly clock: Clock,
  ) {}

  isFull({ id, maxPending }: Pick<Group, 'id' | 'maxPending'>): boolean {
    return (this.counts.get(id) ?? -1) >= maxPending;
  }

  /** Counted last; exact up to the group's `maxPending`. */
  pendingOf(groupId: number): number {
    return this.counts.get(groupId) ?? 0;
  }

  async count(sql: Sql, groups: readonly Group[]): Promise<void> {
    const now = this.clock.monotonic();
    const due = groups.filter(({ id }) => now >= (this.countAgainAt.get(id) ?? 0));
    const small = due.filter(({ id }) => this.pendingOf(id) < SMALL);
    for (let i = 0; i < small.length; i += TOGETHER) await this.countTogether(sql, small.slice(i, i + TOGETHER));
    for (const group of due) if (!small.includes(group)) await this.countTogether(sql, [group]);
  }

  private async countTogether(sql: Sql, groups: readonly Group[]): Promise<void> {
    const startedAt = this.clock.monotonic();
    const limits = groups.map(({ id, maxPending }) => ({ id, limit: maxPending }));
    for (const [id, pending] of await this.store.countPending(sql, limits)) this.counts.set(id, pending);
    const now = this.clock.monotonic();
    for (const { id } of groups) this.countAgainAt.set(id, now + COST_SHARE * (now - startedAt));
  }
}
