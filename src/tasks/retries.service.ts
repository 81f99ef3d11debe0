import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { places } from '../decisions/overlap.js';
import type { Job } from '../jobs/job.js';
import { JobStore } from '../jobs/job.store.js';
import { OpenGroups } from '../jobs/open-groups.js';
import { Clock } from '../platform/clock.js';
import { type Sql, SqlDialect } from '../ports.js';
import { advance } from './advance.js';
import { AttemptStore } from './attempt.store.js';
import { Consequences } from './consequences.js';
import { FlowStore } from './flow.store.js';
import { Flows } from './flows.js';
import { JobTaskStore } from './job-task.store.js';
import { LifecycleService } from './lifecycle.service.js';
import { Rearming } from './rearming.js';
import type { AlsoWritten, AttemptRecord, RetryOutcome, TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';
import { UpstreamVerdicts } from './upstream-verdicts.js';

const OUTCOME_OF: Partial<Record<TaskRecord['state'], AttemptRecord['outcome']>> = {
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  CANCELLED: 'cancelled',
};

/**
 * Opens another attempt of a task that has ended without success, because somebody asked for it, and lets its flow go on from there.
 * One transaction on the locked rows of its job and itself: it comes wholly before or after a fire, an end or another retry.
 * If the process dies in it nothing has happened; after it, the task is found by looking although nobody was told.
 */
@Injectable()
export class RetriesService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly attempts: AttemptStore,
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly flowStore: FlowStore,
    private readonly verdicts: UpstreamVerdicts,
    private readonly flows: Flows,
    private readonly rearming: Rearming,
    private readonly consequences: Consequences,
    private readonly lifecycle: LifecycleService,
    private readonly clock: Clock,
    private readonly openGroups: OpenGroups,
  ) {}

  /** `appId` says whose task it must be; null for an operator, who may retry any. Throws AppError `state_conflict` of an archived group. */
  async retry(appId: number | null, id: string, actor: string, also?: AlsoWritten): Promise<RetryOutcome> {
    const reason = appId === null ? 'retried_by_operator' : 'retried_by_partner';
    const { outcome, written } = await this.dialect.transaction((tx) => this.reopen(tx, appId, id, { actor, reason, also }));
    this.lifecycle.announce(written);
    return outcome;
  }

  private async reopen(
    tx: Sql,
    appId: number | null,
    id: string,
    { actor, reason, also }: { actor: string; reason: ReasonCode; also?: AlsoWritten },
  ): Promise<{ outcome: RetryOutcome; written: TaskChange[] }> {
    const found = await this.store.find(tx, id);
    if (!found || (appId !== null && found.appId !== appId)) return { outcome: { outcome: 'not_found' }, written: [] };
    // A shard is retried with its parent, which then knows that it goes again.
    if (found.parentId !== null) return { outcome: { outcome: 'not_retryable', state: found.state }, written: [] };
    const [job] = found.jobId === null ? [] : await this.jobs.lock(tx, [found.jobId]);
    const [before] = await this.store.lock(tx, [id]);
    const ended = before && OUTCOME_OF[before.state];
    if (!before || !ended) return { outcome: { outcome: 'not_retryable', state: before?.state ?? found.state }, written: [] };
    await this.openGroups.check(tx, before.groupId);
    const now = this.clock.now();
    const outstanding = (await this.verdicts.of(tx, [before])).get(id)?.verdict.is !== 'done';
    const waits = outstanding || (job !== undefined && (await this.isTaken(tx, job)));
    const moved = advance(before, waits ? 'reopened_to_wait' : 'reopened', { at: now, actor, reason });
    if (!moved) return { outcome: { outcome: 'not_retryable', state: before.state }, written: [] };
    const change = { before, after: anew(moved, now) };
    await this.store.save(tx, [change]);
    if (before.workerId !== null)
      await this.attempts.archive(tx, [
        { task: before, outcome: ended, startedAt: before.startedAt, endedAt: before.endedAt ?? now, error: before.error },
      ]);
    if (job) await this.jobTasks.renewSlots(tx, [{ jobId: job.id, taskId: id, partition: before.partition }]);
    const rearmed = await this.rearming.below(tx, [change.after], { at: now, actor, reason });
    await this.flowStore.dropWaits(tx, [id]);
    if (outstanding) await this.flowStore.addWaits(tx, [change.after]);
    const decided = outstanding ? (await this.flows.decide(tx, [id], now, actor)).changes : [];
    const written = await this.consequences.follow(tx, decided, now, actor);
    const task = (await this.store.find(tx, id)) as TaskRecord;
    await also?.(tx, before, task);
    return { outcome: { outcome: 'retried', task }, written: [change, ...rearmed, ...written] };
  }

  /** Another task has the turn it would need. Nobody asked for a retry to have it skipped, so it waits whatever the overlap rule. */
  private async isTaken(tx: Sql, job: Job): Promise<boolean> {
    const most = places(job.overlap, job.maxParallel);
    return (await this.jobTasks.taken(tx, job.id, most)) >= most;
  }
}

/** Another attempt with nothing spent; an attempt that never began needs no successor. */
const anew = (task: TaskRecord, now: number): TaskRecord => ({
  ...task,
  attempt: task.attempt + (task.workerId === null ? 0 : 1),
  retries: 0,
  crashes: 0,
  dueAt: Math.floor(now),
  lease: null,
  workerId: null,
  workerIncarnation: null,
  startedAt: null,
  endedAt: null,
  cancelAskedAt: null,
  error: null,
  result: null,
});
