import { Injectable, Logger } from '@nestjs/common';
import { JobStore } from '../jobs/job.store.js';
import { JobNews } from '../jobs/job-news.js';
import { Clock } from '../platform/clock.js';
import { slices } from '../platform/slices.js';
import { SqlDialect } from '../ports.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { Replacements } from '../tasks/replacements.js';
import { TaskNews } from '../tasks/task-news.js';
import { type Fired, FiresService } from './fires.service.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';
import { ReadAhead } from './read-ahead.js';

/** Jobs fired by one transaction: its statements and its sync are the same for one as for five hundred. */
const BATCH = 500;
const PARALLEL_PARTITIONS = 3;
/** Making up for an outage may take minutes: after this long it lets the rest of the tick have its turn. */
const BUDGET_MS = 1_000;
/** A partition whose jobs could not be fired is read again after this. */
const RETRY_MS = 1_000;

/**
 * Turns jobs into tasks when their time comes, in the partitions this node holds; called by the dispatcher's tick. What fires soon
 * is read ahead (`ReadAhead`).
 *
 * If the process dies
 * - while reading ahead: nothing was written, the next holder reads the same rows;
 * - after an entry was taken from the wheel: the wheel was a cache, the row is still due;
 * - inside the transaction of `FiresService`: it rolls back, the jobs are still due;
 * - after its commit, before anybody was told: the tasks are PENDING or SCHEDULED rows and the jobs have moved on, so both are found
 *   by looking;
 * - before the tasks that were replaced are cancelled: the sweep (`JobSweep`) does it.
 * In no case is a fire lost or made twice. A partition that fails is logged and read anew, without holding up the others or the tick.
 */
@Injectable()
export class Planner {
  private readonly log = new Logger(Planner.name);
  private readonly ahead: ReadAhead;
  private sooner: () => void = () => {};

  constructor(
    dialect: SqlDialect,
    jobs: JobStore,
    private readonly fires: FiresService,
    private readonly replacements: Replacements,
    private readonly lifecycle: LifecycleService,
    private readonly partitions: PartitionsService,
    private readonly clock: Clock,
    private readonly news: TaskNews,
    jobNews: JobNews,
  ) {
    this.ahead = new ReadAhead(clock, partitions, (held, until, limit) => jobs.firingUntil(dialect.root, held, until, limit));
    jobNews.onPlanned((due) => {
      this.ahead.add(due);
      this.sooner();
    });
  }

  /** Called when something may be due earlier than `nextInMs` last said. */
  onSooner(listener: () => void): void {
    this.sooner = listener;
  }

  /** Milliseconds until the next entry is due, at most until the next read. */
  nextInMs(): number {
    return this.ahead.nextInMs();
  }

  /** Fires what is due in the partitions this node holds, earliest first; what takes too long goes on in the next tick, which comes at once. */
  async fireDue(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    await this.ahead.fill(held);
    const until = this.clock.monotonic() + BUDGET_MS;
    while (this.clock.monotonic() < until) {
      const batches = this.takeDue(held);
      if (batches.length === 0) return;
      const next = () => (this.clock.monotonic() < until ? batches.shift() : undefined);
      await Promise.all(
        Array.from({ length: Math.min(PARALLEL_PARTITIONS, batches.length) }, async () => {
          for (let batch = next(); batch; batch = next()) await this.fire(batch);
        }),
      );
      if (batches.length > 0) this.ahead.readAgainIn(0);
    }
  }

  private takeDue(held: readonly number[]): { partition: number; ids: string[] }[] {
    return [...this.ahead.takeDue(held)].flatMap(([partition, due]) => slices(due, BATCH).map((ids) => ({ partition, ids })));
  }

  private async fire({ partition, ids }: { partition: number; ids: string[] }): Promise<void> {
    try {
      for (const fired of await this.fires.fire(partition, ids)) await this.announce(fired);
    } catch (error) {
      this.ahead.readAgainIn(RETRY_MS);
      if (!(error instanceof PartitionLostError)) this.log.warn('jobs not fired, trying again', { partition, err: error });
    }
  }

  private async announce({ groups, parents, due, next, waiting, skipped, changes }: Fired): Promise<void> {
    this.ahead.add(next);
    this.lifecycle.announce(changes);
    if (groups.size > 0) this.news.work(groups);
    this.news.parents(parents);
    this.news.dueSoon(due);
    this.news.skipped(skipped);
    if (waiting.length > 0) await this.replacements.cancelReplaced(waiting, `node:${this.partitions.node}`);
  }
}
