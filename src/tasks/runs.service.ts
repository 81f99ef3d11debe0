import { Injectable } from '@nestjs/common';
import { admission, type Occupation } from '../decisions/overlap.js';
import { belongsTo, type Job, type Whose } from '../jobs/job.js';
import { JobStore } from '../jobs/job.store.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { JobTaskStore, type NewJobTask, skippedAmong } from './job-task.store.js';
import { Replacements } from './replacements.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';

export interface RunRequest {
  /** JSON text; null for the job's own. */
  params: string | null;
  /** Start whatever else of the job is going. */
  force: boolean;
  clientRequestId: string | null;
  fingerprint: string | null;
  actor: string;
  /** Runs in the transaction that makes the task. */
  also?: (tx: Sql, taskId: string, job: Job) => Promise<void>;
}
export type RunOutcome =
  | { outcome: 'accepted' | 'replayed'; taskId: string }
  | { outcome: 'reused'; existingTaskId: string }
  | { outcome: 'not_found' };

/**
 * Runs a job now, by hand: one task with the job's policies and perhaps other params, outside its schedule. Its definition and its
 * next fire stay as they are, until the task ends: a job of the kind `after` then fires its delay after that end. Its overlap rule
 * decides what becomes of the task unless it is forced. One transaction on the job's locked row, so it is ordered with fires and ends.
 */
@Injectable()
export class RunsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly store: TaskStore,
    private readonly replacements: Replacements,
    private readonly clock: Clock,
    private readonly news: TaskNews,
  ) {}

  async run(whose: Whose, jobId: string, request: RunRequest): Promise<RunOutcome> {
    const earlier = await this.replay(whose, request);
    if (earlier) return earlier;
    try {
      const made = await this.dialect.transaction((tx) => this.insert(tx, whose, jobId, request));
      if (!made) return { outcome: 'not_found' };
      this.news.skipped(skippedAmong([made]));
      if (made.state === 'PENDING') {
        if (made.job.policies.shards === undefined) this.news.work([made.job.groupId]);
        else this.news.parents([{ id: made.id, partition: made.job.partition }]);
      }
      if (made.state === 'BLOCKED') await this.replacements.cancelReplaced([made.job], request.actor);
      return { outcome: 'accepted', taskId: made.id };
    } catch (error) {
      const raced = this.dialect.isUniqueViolation(error) ? await this.replay(whose, request) : null;
      if (!raced) throw error;
      return raced;
    }
  }

  private async insert(tx: Sql, whose: Whose, jobId: string, request: RunRequest): Promise<NewJobTask | null> {
    const [job] = await this.jobs.lock(tx, [jobId]);
    if (!job || !belongsTo(job, whose) || job.corrupt !== null) return null;
    const becomes = request.force ? 'start' : await this.admission(tx, job);
    const now = Math.floor(this.clock.now());
    const state = becomes === 'start' ? 'PENDING' : becomes === 'wait' ? 'BLOCKED' : 'SKIPPED';
    const id = newId('task');
    const reason = state === 'SKIPPED' ? ('overlap' as const) : null;
    const { clientRequestId, fingerprint, actor } = request;
    const params = request.params ?? job.params;
    const asked = { params, clientRequestId, fingerprint, actor };
    const task: NewJobTask = { id, job, state, reason, fireAt: null, dueAt: now, result: null, now, ...asked };
    await this.jobTasks.insert(tx, [task]);
    await request.also?.(tx, id, job);
    return task;
  }

  private async admission(tx: Sql, job: Job) {
    const occupation = await this.jobTasks.occupation(tx, [job.id]);
    return admission(job.overlap, job.maxParallel, occupation.get(job.id) as Occupation);
  }

  private async replay(appId: Whose, { clientRequestId, fingerprint }: RunRequest): Promise<RunOutcome | null> {
    if (clientRequestId === null || appId === 'anybody') return null;
    const [row] = await this.store.withRequestIds(this.dialect.root, appId, [clientRequestId]);
    if (!row) return null;
    return row.request_fp === fingerprint
      ? { outcome: 'replayed', taskId: row.id }
      : { outcome: 'reused', existingTaskId: row.id };
  }
}
