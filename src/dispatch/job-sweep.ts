import { Injectable, Logger } from '@nestjs/common';
import { JobStore } from '../jobs/job.store.js';
import { JobNews } from '../jobs/job-news.js';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { JobSlots } from '../tasks/job-slots.js';
import { JobTaskStore } from '../tasks/job-task.store.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { Replacements } from '../tasks/replacements.js';
import { PartitionsService } from './partitions.service.js';
import { type Reviewed, reviewByPartition } from './reviews.js';

const SWEEP_MS = 5_000;
const BATCH = 200;

/**
 * Looks every five seconds for jobs whose next step nobody took: a task that waits although its turn has come, one that was
 * replaced but not cancelled, a job of the kind `after` without a task and without a next fire. Each is what a process that died
 * between two transactions, or a node of an earlier version, may leave behind. Every look starts from the rows.
 *
 * A job that was just changed is looked at alone and at once: more may go at a time by its new definition. If the process that
 * changed it, or this one, dies before the look, or the news is lost, the next sweep is the look.
 */
@Injectable()
export class JobSweep {
  private readonly log = new Logger(JobSweep.name);
  private readonly loop = new Ticker(() => this.sweep(), {
    everyMs: SWEEP_MS,
    onError: (error) => this.log.warn('jobs not swept, trying again', { err: error }),
  });
  /** Changed jobs by id, with their partition. */
  private readonly told = new Map<string, number>();
  private readonly changes = new Ticker(() => this.lookAtChanged(), {
    everyMs: SWEEP_MS,
    onError: (error) => this.log.warn('changed jobs not looked at, the sweep will', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly slots: JobSlots,
    private readonly lifecycle: LifecycleService,
    private readonly replacements: Replacements,
    private readonly clock: Clock,
    news: JobNews,
  ) {
    news.onChanged(({ id, partition }) => {
      if (this.partitions.epochOf(partition) === undefined) return;
      this.told.set(id, partition);
      this.changes.wake();
    });
  }

  start(): void {
    this.loop.start();
    this.changes.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.loop.stop(), this.changes.stop()]);
  }

  async sweep(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    const { root } = this.dialect;
    const found = [...(await this.jobTasks.waitingJobs(root, held)), ...(await this.jobs.strandedAfter(root, held))];
    await this.reviewAll(found);
  }

  private async lookAtChanged(): Promise<void> {
    const changed = [...this.told].map(([id, partition]) => ({ id, partition }));
    this.told.clear();
    await this.reviewAll(changed);
  }

  private reviewAll(jobs: readonly Reviewed[]): Promise<void> {
    const look = (partition: number, ids: string[]) => this.review(partition, ids);
    return reviewByPartition(this.dialect, jobs, BATCH, look, (job, err) =>
      this.log.warn('job not looked at, the next sweep tries again', { job, err }),
    );
  }

  private async review(partition: number, ids: string[]): Promise<void> {
    const actor = `node:${this.partitions.node}`;
    const { released, jobs } = await this.partitions.within(partition, async (tx) => ({
      released: await this.slots.review(tx, ids, this.clock.now(), actor),
      jobs: await this.jobs.lock(tx, ids),
    }));
    this.lifecycle.announce(released.changes, released.planned);
    await this.replacements.cancelReplaced(jobs, actor);
  }
}
