import { Injectable, Logger } from '@nestjs/common';
import { TimingWheel } from '../decisions/timing-wheel.js';
import { JobStore } from '../jobs/job.store.js';
import { type JobDue, JobNews } from '../jobs/job-news.js';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { Replacements } from '../tasks/replacements.js';
import { TaskNews } from '../tasks/task-news.js';
import { type Fired, FiresService } from './fires.service.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';

const HORIZON_MS = 10_000;
/** The wheel is filled again well before its horizon is reached. */
const REFILL_MS = 4_000;
const READ_LIMIT = 5_000;
/** Jobs fired by one transaction. */
const BATCH = 200;
const PARALLEL_PARTITIONS = 3;

/**
 * Turns jobs into tasks when their time comes, in the partitions this node holds; called by the dispatcher's tick. What fires within
 * ten seconds is read ahead into a timing wheel, so that it fires on time without asking the database for every job.
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
  private wheel: TimingWheel | undefined;
  private readonly partitionOf = new Map<string, number>();
  private refillAt = 0;
  private sooner: () => void = () => {};

  constructor(
    private readonly dialect: SqlDialect,
    private readonly jobs: JobStore,
    private readonly fires: FiresService,
    private readonly replacements: Replacements,
    private readonly lifecycle: LifecycleService,
    private readonly partitions: PartitionsService,
    private readonly clock: Clock,
    private readonly news: TaskNews,
    jobNews: JobNews,
  ) {
    jobNews.onPlanned((due) => {
      this.add(due);
      this.sooner();
    });
    partitions.onTaken(() => {
      this.refillAt = 0;
    });
  }

  /** Called when something may be due earlier than `nextInMs` last said. */
  onSooner(listener: () => void): void {
    this.sooner = listener;
  }

  /** Milliseconds until the next entry is due, at most until the next refill. */
  nextInMs(): number {
    const next = this.wheel?.nextDueAt();
    const refill = Math.max(0, this.refillAt - this.clock.monotonic());
    return next === undefined ? refill : Math.min(refill, Math.max(0, next - this.clock.now()));
  }

  /** Fires everything that is due in the partitions this node holds. */
  async fireDue(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    if (this.clock.monotonic() >= this.refillAt) await this.refill(held);
    for (;;) {
      const batches = this.takeDue(held);
      if (batches.length === 0) return;
      await Promise.all(
        Array.from({ length: Math.min(PARALLEL_PARTITIONS, batches.length) }, async () => {
          for (let batch = batches.shift(); batch; batch = batches.shift()) await this.fire(batch);
        }),
      );
    }
  }

  private takeDue(held: readonly number[]): { partition: number; ids: string[] }[] {
    const byPartition = new Map<number, string[]>();
    for (const { id } of this.wheel?.takeDue(this.clock.now(), READ_LIMIT) ?? []) {
      const partition = this.partitionOf.get(id) as number;
      this.partitionOf.delete(id);
      if (!held.includes(partition)) continue;
      const ids = byPartition.get(partition);
      if (ids) ids.push(id);
      else byPartition.set(partition, [id]);
    }
    return [...byPartition].flatMap(([partition, ids]) =>
      Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) => ({
        partition,
        ids: ids.slice(i * BATCH, (i + 1) * BATCH),
      })),
    );
  }

  private async fire({ partition, ids }: { partition: number; ids: string[] }): Promise<void> {
    try {
      for (const fired of await this.fires.fire(partition, ids)) await this.announce(fired);
    } catch (error) {
      this.refillAt = this.clock.monotonic() + 1_000;
      if (!(error instanceof PartitionLostError)) this.log.warn('jobs not fired, trying again', { partition, err: error });
    }
  }

  private async announce({ groups, parents, due, next, waiting, changes }: Fired): Promise<void> {
    this.add(next);
    this.lifecycle.announce(changes);
    if (groups.size > 0) this.news.work(groups);
    this.news.parents(parents);
    this.news.dueSoon(due);
    if (waiting.length > 0) await this.replacements.cancelReplaced(waiting, `node:${this.partitions.node}`);
  }

  private async refill(held: number[]): Promise<void> {
    const entries = await this.jobs.firingUntil(this.dialect.root, held, this.clock.now() + HORIZON_MS, READ_LIMIT);
    this.refillAt = this.clock.monotonic() + (entries.length === READ_LIMIT ? 0 : REFILL_MS);
    this.add(entries);
  }

  private add(entries: readonly JobDue[]): void {
    this.wheel ??= new TimingWheel(HORIZON_MS * 2, this.clock.now());
    for (const { id, partition, dueAt } of entries) {
      if (this.partitions.epochOf(partition) === undefined) continue;
      if (this.wheel.add({ id, dueAt })) this.partitionOf.set(id, partition);
    }
  }
}
