import { Injectable } from '@nestjs/common';
import { turns } from '../decisions/overlap.js';
import { firstFire } from '../decisions/plan-fires.js';
import { wasReopened } from '../decisions/timeline.js';
import type { Job } from '../jobs/job.js';
import { JobStore } from '../jobs/job.store.js';
import type { JobDue } from '../jobs/job-news.js';
import type { Sql } from '../ports.js';
import { advance } from './advance.js';
import { FlowStore } from './flow.store.js';
import { JobTaskStore } from './job-task.store.js';
import type { TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';

/** What the end of tasks made possible: tasks whose turn came, jobs of the kind `after` that now know their next fire. */
export interface Released {
  changes: TaskChange[];
  planned: JobDue[];
}
export const NOTHING_RELEASED: Released = { changes: [], planned: [] };

/**
 * Gives the place of an ended task to the next one of its job, in the transaction of the end. The job's row is locked first, as
 * the planner does before it looks at what is going: so either the planner sees the end, or this sees the task that waits.
 * Should neither happen (a node of an earlier version, a job deleted meanwhile), the sweep finds it within five seconds.
 */
@Injectable()
export class JobSlots {
  constructor(
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly store: TaskStore,
    private readonly flows: FlowStore,
  ) {}

  /** `changes`: those that ended a task. */
  async release(tx: Sql, changes: readonly TaskChange[], now: number, actor: string): Promise<Released> {
    const ended = changes.filter(({ after }) => after.jobId !== null);
    if (ended.length === 0) return NOTHING_RELEASED;
    const jobIds = [...new Set(ended.map(({ after }) => after.jobId as string))];
    const jobs = await this.jobs.lock(tx, jobIds);
    await this.jobTasks.dropSlots(
      tx,
      ended.map(({ after }) => after.id),
    );
    const counting = new Set(ended.filter(({ after }) => !wasReopened(after.timeline)).map(({ after }) => after.jobId));
    return this.passOn(tx, jobIds, jobs, now, actor, counting);
  }

  /** The turn of those whose upstreams are now done, if it is theirs. */
  async pass(tx: Sql, jobIds: readonly string[], now: number, actor: string): Promise<Released> {
    return this.passOn(tx, jobIds, await this.jobs.lock(tx, jobIds), now, actor);
  }

  /** The same for jobs nobody may have looked at since a task of theirs ended. */
  async review(tx: Sql, jobIds: readonly string[], now: number, actor: string): Promise<Released> {
    const jobs = await this.jobs.lock(tx, jobIds);
    await this.jobTasks.dropStaleSlots(tx, jobIds);
    return this.passOn(tx, jobIds, jobs, now, actor);
  }

  /** `ended`: jobs of which a task ended that nobody had retried. Nothing but that moves a fire of `after` that is planned already. */
  private async passOn(
    tx: Sql,
    jobIds: readonly string[],
    jobs: Job[],
    now: number,
    actor: string,
    ended: ReadonlySet<string | null> = new Set(),
  ): Promise<Released> {
    const byId = new Map(jobs.map((job) => [job.id, job]));
    const first: string[] = [];
    const fires: JobDue[] = [];
    for (const [id, occupation] of await this.jobTasks.occupation(tx, jobIds)) {
      const job = byId.get(id);
      const most = turns(job?.overlap ?? 'queue', job?.maxParallel ?? 1, occupation);
      if (most > 0) first.push(...(await this.jobTasks.firstWaiting(tx, id, most)));
      const open = job !== undefined && (ended.has(id) || (job.nextFireAt ?? job.pausedFireAt) === null);
      const idle = occupation.going + occupation.waiting === 0;
      const next = open && idle ? await this.planAfter(tx, job, now, ended.has(id)) : null;
      if (next !== null && job) fires.push({ id, partition: job.partition, dueAt: next });
    }
    const waiting = await this.flows.waitingAmong(tx, first);
    const free = first.filter((id) => !waiting.has(id));
    const changes = (await this.store.lock(tx, free)).flatMap((before) => {
      const after = unblocked(before, now, actor);
      return after ? [{ before, after }] : [];
    });
    await this.store.save(tx, changes);
    return { changes, planned: fires };
  }

  /**
   * The next fire of a job of the kind `after`, now that nothing of it is going; null if it has none or is paused. `endsNow`: its
   * latest task does; otherwise it is looked for.
   */
  private async planAfter(tx: Sql, job: Job, now: number, endsNow: boolean): Promise<number | null> {
    if (job.schedule.kind !== 'after') return null;
    const at = Math.floor(now);
    const endedAt = endsNow ? at : (await this.jobs.latestTask(tx, job.id)).endedAt;
    const next = firstFire(job.schedule, at, { going: false, endedAt });
    // Its time is over: nothing to write, however often the sweep looks.
    if (next === null && job.nextFireAt === null && job.pausedFireAt === null) return null;
    const active = job.state === 'active';
    await this.jobs.plan(tx, job.id, { ...job, nextFireAt: active ? next : null, pausedFireAt: active ? null : next });
    return active ? next : null;
  }
}

function unblocked(task: TaskRecord, now: number, actor: string): TaskRecord | null {
  return advance(task, task.dueAt > now ? 'unblocked_early' : 'unblocked', { at: now, actor });
}
