import { TimingWheel } from '../decisions/timing-wheel.js';
import type { Clock } from '../platform/clock.js';
import type { PartitionsService } from './partitions.service.js';

const HORIZON_MS = 10_000;
/** The wheel is filled again well before its horizon is reached. */
const REFILL_MS = 4_000;
/** What a full read left out is read this long before it is due. */
const MARGIN_MS = 1_000;
const READ_LIMIT = 5_000;

/** Something of a partition that is due at an instant (epoch milliseconds). */
export interface PartitionDue {
  id: string;
  partition: number;
  dueAt: number;
}

/** The rows of these partitions that are due before `until`, earliest first, no more than `limit`. */
export type ReadDue = (partitions: number[], until: number, limit: number) => Promise<PartitionDue[]>;

/**
 * What is due within ten seconds in the partitions this node holds, read ahead into a timing wheel, so that it happens on time
 * without asking the database for every one. Purely a cache: if the process dies, or an entry is dropped, the row is still due and
 * is read again; whoever takes an entry checks it against its row.
 */
export class ReadAhead {
  private wheel: TimingWheel | undefined;
  private readonly partitionOf = new Map<string, number>();
  /** Monotonic. */
  private readAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly partitions: PartitionsService,
    private readonly read: ReadDue,
  ) {
    partitions.onTaken(() => this.readAgainIn(0));
  }

  /** Reads anew in at most so many milliseconds. */
  readAgainIn(ms: number): void {
    this.readAt = Math.min(this.readAt, this.clock.monotonic() + ms);
  }

  /** Milliseconds until the next entry is due, at most until the next read. */
  nextInMs(): number {
    const next = this.wheel?.nextDueAt();
    const read = Math.max(0, this.readAt - this.clock.monotonic());
    return next === undefined ? read : Math.min(read, Math.max(0, next - this.clock.now()));
  }

  /** Call it before `takeDue`: reads, if it is time. */
  async fill(held: number[]): Promise<void> {
    if (this.clock.monotonic() < this.readAt) return;
    // Set before the read: a partition that is taken while it is under way is not in it and asks for another.
    this.readAt = this.clock.monotonic() + REFILL_MS;
    try {
      const entries = await this.read(held, this.clock.now() + HORIZON_MS, READ_LIMIT);
      const last = entries[READ_LIMIT - 1];
      if (last) this.readAgainIn(Math.max(0, last.dueAt - this.clock.now() - MARGIN_MS));
      this.add(entries);
    } catch (error) {
      this.readAgainIn(0);
      throw error;
    }
  }

  add(entries: readonly PartitionDue[]): void {
    this.wheel ??= new TimingWheel(HORIZON_MS * 2, this.clock.now());
    for (const { id, partition, dueAt } of entries) {
      if (this.partitions.epochOf(partition) === undefined) continue;
      if (this.wheel.add({ id, dueAt })) this.partitionOf.set(id, partition);
    }
  }

  /** Takes what is due now, by partition, earliest first and no more than `limit`; what is not held any more is dropped. */
  takeDue(held: readonly number[], limit = READ_LIMIT): Map<number, string[]> {
    const byPartition = new Map<number, string[]>();
    for (const { id } of this.wheel?.takeDue(this.clock.now(), limit) ?? []) {
      const partition = this.partitionOf.get(id) as number;
      this.partitionOf.delete(id);
      if (!held.includes(partition)) continue;
      const ids = byPartition.get(partition);
      if (ids) ids.push(id);
      else byPartition.set(partition, [id]);
    }
    return byPartition;
  }
}
