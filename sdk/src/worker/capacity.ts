import type { TaskOrder } from '../contract/index.js';
import type { Handler } from './handler.js';

export const DEFAULT_POOL = 'default';

/** A number of attempts that may run at once, and of those that may wait beyond them. */
export class Limit {
  running = 0;
  waiting = 0;

  constructor(
    readonly slots: number,
    readonly places: number,
  ) {}

  get free(): boolean {
    return this.running < this.slots;
  }
  /** How many more may be accepted. */
  get room(): number {
    return Math.max(0, this.slots + this.places - this.running - this.waiting);
  }
}

export interface CapacityOptions {
  /** Slots and places in the queue by name; `default` is among them. */
  pools: ReadonlyMap<string, { slots: number; queue: number }>;
  /** Slots by group. Absent: groups share the pools freely. */
  groups?: Readonly<Record<string, number>>;
  handlers: Iterable<Handler>;
}

/**
 * Who may still be accepted and who may start. An attempt is under the limit of its pool, of its handler if it has one, and of its
 * group if groups have slots of their own. A limit narrower than its pool has the same share of the waiting places, so that the
 * waiting ones of one handler or group never fill the queue against the others.
 */
export class Capacity {
  private readonly pools = new Map<string, Limit>();
  private readonly handlers = new Map<string, { pool: Limit; own: Limit | undefined; limits: readonly Limit[] }>();
  private readonly groups: Map<string, Limit> | undefined;
  private readonly byGroup = new Map<string, readonly Limit[]>();

  constructor({ pools, groups, handlers }: CapacityOptions) {
    for (const [name, { slots, queue }] of pools) this.pools.set(name, new Limit(slots, queue));
    for (const { name, pool: poolName = DEFAULT_POOL, concurrency } of handlers) {
      const pool = this.pools.get(poolName);
      if (pool === undefined) throw new RangeError(`handler "${name}": there is no pool "${poolName}"`);
      const own = concurrency === undefined ? undefined : shareOf([pool], concurrency);
      this.handlers.set(name, { pool, own, limits: own === undefined ? [pool] : [pool, own] });
    }
    if (groups === undefined) return;
    const all = [...this.pools.values()];
    this.groups = new Map(Object.entries(groups).map(([group, slots]) => [group, shareOf(all, slots)]));
  }

  /**
   * The limits an order would be under; the same list each time for the same handler and group. undefined: the handler is unknown,
   * or its group has no slots here.
   */
  limitsOf({ handler, group }: Pick<TaskOrder, 'handler' | 'group'>): readonly Limit[] | undefined {
    const limits = this.handlers.get(handler)?.limits;
    if (limits === undefined || this.groups === undefined || group === undefined) return limits;
    const ofGroup = this.groups.get(group);
    if (ofGroup === undefined) return undefined;
    const key = `${handler}\n${group}`;
    let both = this.byGroup.get(key);
    if (both === undefined) {
      both = [...limits, ofGroup];
      this.byGroup.set(key, both);
    }
    return both;
  }

  /** How many more orders would be accepted if they were of the right kind. */
  get room(): number {
    let room = 0;
    for (const pool of this.pools.values()) room += Math.min(pool.room, this.roomOfHandlers(pool));
    if (this.groups === undefined) return room;
    let ofGroups = 0;
    for (const group of this.groups.values()) ofGroups += group.room;
    return Math.min(room, ofGroups);
  }

  /** Handlers of which none would be accepted. */
  get full(): string[] {
    return [...this.handlers].filter(([, { pool, own }]) => pool.room === 0 || own?.room === 0).map(([name]) => name);
  }

  private roomOfHandlers(pool: Limit): number {
    let room = 0;
    for (const { pool: theirs, own } of this.handlers.values()) {
      if (theirs !== pool) continue;
      if (own === undefined) return Number.POSITIVE_INFINITY;
      room += own.room;
    }
    return room;
  }
}

function shareOf(pools: Limit[], slots: number): Limit {
  const all = pools.reduce((sum, pool) => sum + pool.slots, 0);
  const places = pools.reduce((sum, pool) => sum + pool.places, 0);
  return new Limit(Math.min(slots, all), Math.min(places, Math.ceil((slots * places) / all)));
}
