import { Injectable } from '@nestjs/common';
import { TimingWheel } from '../decisions/timing-wheel.js';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { TaskStore } from '../tasks/task.store.js';
import { type DueSoon, TaskNews } from '../tasks/task-news.js';
import { PartitionsService } from './partitions.service.js';

const HORIZON_MS = 10_000;
/** The wheel is filled again well before its horizon is reached. */
const REFILL_MS = 4_000;
const READ_LIMIT = 5_000;
const BATCH = 500;

/**
 * Makes tasks PENDING when their time comes. What is due within ten seconds is read ahead into a timing wheel, so that each
 * starts on time without asking the database for every one of them. The wheel is a cache: a node that dies loses nothing, since
 * the next holder reads the same rows; an entry is checked against its row before it moves, so one that was cancelled, moved or
 * promoted by someone else does nothing.
 */
@Injectable()
export class DueService {
  private wheel: TimingWheel | undefined;
  private readonly partitionOf = new Map<string, number>();
  private refillAt = 0;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly lifecycle: LifecycleService,
    private readonly partitions: PartitionsService,
    private readonly clock: Clock,
    news: TaskNews,
  ) {
    news.onNews(({ due }) => this.add(due));
    partitions.onTaken(() => {
      this.refillAt = 0;
    });
  }

  /** Milliseconds until the next entry is due, at most until the next refill. */
  nextInMs(): number {
    const next = this.wheel?.nextDueAt();
    const refill = Math.max(0, this.refillAt - this.clock.monotonic());
    return next === undefined ? refill : Math.min(refill, Math.max(0, next - this.clock.now()));
  }

  /** Promotes everything that is due in the partitions this node holds. */
  async promoteDue(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    if (this.clock.monotonic() >= this.refillAt) await this.refill(held);
    for (;;) {
      const due = this.wheel?.takeDue(this.clock.now(), BATCH) ?? [];
      if (due.length === 0) return;
      const byPartition = new Map<number, string[]>();
      for (const { id } of due) {
        const partition = this.partitionOf.get(id) as number;
        this.partitionOf.delete(id);
        if (held.includes(partition)) byPartition.set(partition, [...(byPartition.get(partition) ?? []), id]);
      }
      for (const [partition, ids] of byPartition) await this.promote(partition, ids);
    }
  }

  private async promote(partition: number, ids: string[]): Promise<void> {
    const changes = await this.partitions.within(partition, (tx) =>
      this.lifecycle.promote(tx, ids, `node:${this.partitions.node}`),
    );
    this.lifecycle.announce(changes);
  }

  private async refill(held: number[]): Promise<void> {
    const now = this.clock.now();
    const entries = await this.store.wakingUntil(this.dialect.root, held, now + HORIZON_MS, READ_LIMIT);
    this.refillAt = this.clock.monotonic() + (entries.length === READ_LIMIT ? 0 : REFILL_MS);
    this.add(entries);
  }

  private add(entries: readonly DueSoon[]): void {
    this.wheel ??= new TimingWheel(HORIZON_MS * 2, this.clock.now());
    for (const { id, partition, dueAt } of entries) {
      if (this.partitions.epochOf(partition) === undefined) continue;
      if (this.wheel.add({ id, dueAt })) this.partitionOf.set(id, partition);
    }
  }
}
