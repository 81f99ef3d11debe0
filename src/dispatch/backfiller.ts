import { Injectable, Logger } from '@nestjs/common';
import { firesBetween } from '../decisions/schedule/fires-between.js';
import type { Job } from '../jobs/job.js';
import { JobStore } from '../jobs/job.store.js';
import type { Backfill } from '../jobs/job-backfill.js';
import { JobBackfillStore } from '../jobs/job-backfill.store.js';
import { JobNews } from '../jobs/job-news.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { Ticker } from '../platform/ticker.js';
import { type Sql, SqlDialect } from '../ports.js';
import { JobTaskStore, type NewJobTask } from '../tasks/job-task.store.js';
import { TaskNews } from '../tasks/task-news.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';

const LOOK_MS = 2_000;
const HURRY_MS = 50;
/** Tasks of one backfill made by one transaction. */
const CHUNK = 200;

/**
 * Makes the tasks of backfills, oldest fire first, as many as the backfill may have unfinished at once: when some end, the next are
 * made. Each step is one transaction on the backfill's locked row in the partition this node holds, which inserts the tasks and
 * writes how far it is.
 *
 * If the process dies before the commit, neither the tasks nor the progress exist and the next holder makes them; after it both do.
 * Were both written apart by a mistake, the unique key (job, fire, shard, backfill) would refuse the second task. Its tasks take places
 * of the backfill in `job_slots`, not of the job: the job's overlap rule does not see them, and its own fires go on beside them.
 */
@Injectable()
export class Backfiller {
  private readonly log = new Logger(Backfiller.name);
  private working = false;
  private readonly loop = new Ticker(() => this.round(), {
    everyMs: LOOK_MS,
    onError: (error) => this.log.warn('backfills not continued, trying again', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly backfills: JobBackfillStore,
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly clock: Clock,
    private readonly news: TaskNews,
    jobNews: JobNews,
  ) {
    jobNews.onBackfillAsked(() => this.loop.wake());
    partitions.onTaken(() => this.loop.wake());
    // A task ended somewhere: perhaps one of a backfill.
    news.onNews(() => {
      if (this.working) this.loop.wakeIn(HURRY_MS);
    });
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
  }

  async round(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    const running = await this.backfills.running(this.dialect.root, held);
    this.working = running.length > 0;
    for (const { id, partition } of running) {
      try {
        const groups = await this.partitions.within(partition, (tx) => this.step(tx, id));
        if (groups.length > 0) this.news.work(groups);
      } catch (error) {
        if (!(error instanceof PartitionLostError))
          this.log.warn('backfill not continued, trying again', { backfill: id, err: error });
      }
    }
  }

  /** The groups that have something to start. */
  private async step(tx: Sql, id: string): Promise<number[]> {
    const backfill = await this.backfills.lock(tx, id);
    if (backfill?.state !== 'running') return [];
    const now = Math.floor(this.clock.now());
    const job = await this.jobAsAskedFor(tx, backfill);
    if (!job) {
      await this.backfills.advance(tx, { ...backfill, state: 'cancelled' }, now);
      return [];
    }
    const { going = 0, waiting = 0 } = (await this.jobTasks.occupation(tx, [id])).get(id) ?? {};
    const room = Math.min(CHUNK, backfill.maxParallel - going - waiting);
    if (room <= 0) return [];
    const fires = firesBetween(job.schedule, backfill.nextAt, backfill.untilAt, room);
    await this.jobTasks.insert(
      tx,
      fires.map((fireAt) => taskOf(job, backfill, fireAt, now)),
    );
    const last = fires.at(-1);
    const nextAt = last === undefined ? backfill.untilAt : last + 1;
    const done = firesBetween(job.schedule, nextAt, backfill.untilAt, 1).length === 0;
    const made = backfill.made + fires.length;
    await this.backfills.advance(tx, { ...backfill, nextAt, made, state: done ? 'done' : 'running' }, now);
    return fires.length > 0 ? [job.groupId] : [];
  }

  /** Null once the job is deleted: nobody wants its tasks any more. */
  private async jobAsAskedFor(tx: Sql, { jobId, jobVersion }: Backfill): Promise<Job | null> {
    const job = await this.jobs.find(tx, jobId);
    const definition = job && (await this.jobs.definition(tx, jobId, jobVersion));
    return job && definition ? { ...job, ...definition } : null;
  }
}

function taskOf(job: Job, { id, priority }: Backfill, fireAt: number, now: number): NewJobTask {
  const asked = { params: job.params, clientRequestId: null, fingerprint: null, result: null, reason: null };
  return {
    ...asked,
    id: newId('task'),
    job,
    state: 'PENDING',
    fireAt,
    dueAt: now,
    actor: `backfill:${id}`,
    now,
    backfill: { id, priority },
  };
}
