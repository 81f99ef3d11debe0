import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { TaskStore } from '../tasks/task.store.js';
import { TaskNews } from '../tasks/task-news.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';
import { ReadAhead } from './read-ahead.js';

const BATCH = 500;
/** A partition whose tasks could not be promoted is read again after this. */
const RETRY_MS = 1_000;

/**
 * Makes tasks PENDING when their time comes, which is read ahead (`ReadAhead`). A node that dies loses nothing, since the next
 * holder reads the same rows; an entry is checked against its row before it moves, so one that was cancelled, moved or promoted by
 * someone else does nothing.
 */
@Injectable()
export class DueService {
  private readonly log = new Logger(DueService.name);
  private readonly ahead: ReadAhead;

  constructor(
    dialect: SqlDialect,
    store: TaskStore,
    private readonly lifecycle: LifecycleService,
    private readonly partitions: PartitionsService,
    clock: Clock,
    news: TaskNews,
  ) {
    this.ahead = new ReadAhead(clock, partitions, (held, until, limit) => store.wakingUntil(dialect.root, held, until, limit));
    news.onNews(({ due }) => this.ahead.add(due));
  }

  /** Milliseconds until the next entry is due, at most until the next read. */
  nextInMs(): number {
    return this.ahead.nextInMs();
  }

  /** Promotes everything that is due in the partitions this node holds. */
  async promoteDue(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    await this.ahead.fill(held);
    for (let due = this.ahead.takeDue(held, BATCH); due.size > 0; due = this.ahead.takeDue(held, BATCH))
      for (const [partition, ids] of due) await this.promote(partition, ids);
  }

  /** One partition that fails is read anew, without holding up the others. */
  private async promote(partition: number, ids: string[]): Promise<void> {
    try {
      const changes = await this.partitions.within(partition, (tx) =>
        this.lifecycle.promote(tx, ids, `node:${this.partitions.node}`),
      );
      this.lifecycle.announce(changes);
    } catch (error) {
      this.ahead.readAgainIn(RETRY_MS);
      if (!(error instanceof PartitionLostError))
        this.log.warn('due tasks not promoted, trying again', { partition, err: error });
    }
  }
}
