import { Injectable, Logger } from '@nestjs/common';
import { JobStore } from '../jobs/job.store.js';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { JobSlots } from '../tasks/job-slots.js';
import { JobTaskStore } from '../tasks/job-task.store.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { Replacements } from '../tasks/replacements.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';

const SWEEP_MS = 5_000;
const BATCH = 200;

/**
 * Looks every five seconds for jobs whose next step nobody took: a task that waits although its turn has come, one that was
 * replaced but not cancelled, a job of the kind `after` without a task and without a next fire. Each is what a process that died
 * between two transactions, or a node of an earlier version, may leave behind. Every look starts from the rows.
 */
@Injectable()
export class JobSweep {
  private readonly log = new Logger(JobSweep.name);
  private readonly loop = new Ticker(() => this.sweep(), {
    everyMs: SWEEP_MS,
    onError: (error) => this.log.warn('jobs not swept, trying again', { err: error }),
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
  ) {}

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
  }

  async sweep(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    const { root } = this.dialect;
    const found = [...(await this.jobTasks.waitingJobs(root, held)), ...(await this.jobs.strandedAfter(root, held))];
    const byPartition = new Map<number, string[]>();
    for (const { id, partition } of found) byPartition.set(partition, [...(byPartition.get(partition) ?? []), id]);
    for (const [partition, ids] of byPartition)
      for (let i = 0; i < ids.length; i += BATCH) await this.review(partition, ids.slice(i, i + BATCH));
  }

  private async review(partition: number, ids: string[]): Promise<void> {
    const actor = `node:${this.partitions.node}`;
    try {
      const { released, jobs } = await this.partitions.within(partition, async (tx) => ({
        released: await this.slots.review(tx, ids, this.clock.now(), actor),
        jobs: await this.jobs.lock(tx, ids),
      }));
      this.lifecycle.announce(released.changes, released.planned);
      await this.replacements.cancelReplaced(jobs, actor);
    } catch (error) {
      if (!(error instanceof PartitionLostError)) throw error;
    }
  }
}
