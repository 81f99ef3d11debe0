import { Injectable } from '@nestjs/common';
import { admission, type Occupation } from '../decisions/overlap.js';
import { dueAt } from '../decisions/schedule/next-fire.js';
import { isWithin } from '../decisions/schedule/window.js';
import { waitVerdict } from '../decisions/upstream-wait.js';
import type { Job } from '../jobs/job.js';
import { JobStore } from '../jobs/job.store.js';
import type { JobEdge } from '../jobs/job-edge.store.js';
import { newId } from '../platform/ids.js';
import type { Sql } from '../ports.js';
import { type FlowMember, FlowStore } from './flow.store.js';
import { JobTaskStore, type NewJobTask } from './job-task.store.js';
import type { TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';
import { failureActor, failureEvidence } from './upstream-failure.js';
import { joined } from './upstream-verdicts.js';

export interface Joined {
  /** The tasks made, as if each had been waiting until now. */
  made: TaskChange[];
  /** Joins made earlier that wait again, because an upstream was retried. */
  waiting: string[];
}

/**
 * Fires jobs of the kind `upstream`: once in each flow, when all their upstreams have succeeded in it; or makes their task as skipped
 * when the first of them fails. The job's row is locked before its upstreams are looked at, so of two that end together the
 * second sees the first; and were that to fail, the unique key (flow, join) would refuse the second task.
 */
@Injectable()
export class Joins {
  constructor(
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly flows: FlowStore,
    private readonly store: TaskStore,
  ) {}

  async join(
    tx: Sql,
    ended: readonly TaskRecord[],
    edges: readonly (JobEdge & { kind: string })[],
    now: number,
  ): Promise<Joined> {
    const joining = edges.filter(({ kind }) => kind === 'upstream');
    if (joining.length === 0) return { made: [], waiting: [] };
    const jobs = (await this.jobs.lock(tx, [...new Set(joining.map(({ downstreamId }) => downstreamId))])).filter((job) =>
      fires(job, now),
    );
    const upstreams = new Set(joining.map(({ upstreamId }) => upstreamId));
    const below = ended.filter(({ jobId }) => upstreams.has(jobId as string));
    const pairs = pairsOf(jobs, below);
    const flowIds = [...new Set(pairs.map(({ flowId }) => flowId))];
    const members = await this.flows.members(tx, flowIds, [
      ...new Set(jobs.flatMap((job) => [job.id, ...(job.upstreams ?? [])])),
    ]);
    const isJoin = (member: FlowMember, job: Job, flowId: string) => member.flowId === flowId && member.joinJobId === job.id;
    const fresh = pairs.filter(({ job, flowId }) => !members.some((member) => isJoin(member, job, flowId)));
    const waiting = members.filter(({ joinJobId, task }) => joinJobId !== null && task.state === 'BLOCKED');
    return {
      made: await this.make(tx, fresh, members, now),
      waiting: await this.waitingAmong(
        tx,
        waiting.map(({ taskId }) => taskId),
      ),
    };
  }

  private async make(
    tx: Sql,
    pairs: readonly { job: Job; flowId: string }[],
    members: readonly FlowMember[],
    now: number,
  ): Promise<TaskChange[]> {
    const tasks: NewJobTask[] = [];
    const occupations = await this.jobTasks.occupation(tx, [...new Set(pairs.map(({ job }) => job.id))]);
    for (const { job, flowId } of pairs) {
      const verdict = waitVerdict(joined(members, flowId, job.upstreams ?? []));
      if (verdict.is === 'outstanding') continue;
      const common = {
        id: newId('task'),
        job,
        flowId,
        fireAt: null,
        params: job.params,
        clientRequestId: null,
        fingerprint: null,
        now,
      };
      if (verdict.is === 'failed') {
        const told = { actor: failureActor(verdict), result: failureEvidence(verdict) };
        tasks.push({ ...common, ...told, state: 'SKIPPED', reason: 'upstream_failed', dueAt: now });
        continue;
      }
      const occupation = occupations.get(job.id) as Occupation;
      const becomes = admission(job.overlap, job.maxParallel, occupation);
      const due = dueAt(now, job.schedule.jitterMs ?? 0, Math.random());
      const made = { ...common, actor: `job:${job.key}`, result: null, dueAt: due };
      if (becomes === 'skip') tasks.push({ ...made, state: 'SKIPPED', reason: 'overlap' });
      else tasks.push({ ...made, state: becomes === 'wait' ? 'BLOCKED' : due > now ? 'SCHEDULED' : 'PENDING', reason: null });
      if (becomes === 'wait') occupation.waiting += 1;
      if (becomes === 'start') occupation.going += 1;
    }
    await this.jobTasks.insert(tx, tasks);
    await this.flows.addToFlows(
      tx,
      tasks.map(({ id, job, flowId }) => ({ flowId: flowId as string, taskId: id, jobId: job.id, joinJobId: job.id })),
    );
    const made = await this.store.lock(
      tx,
      tasks.map(({ id }) => id),
    );
    return made.map((after) => ({ before: { ...after, state: 'BLOCKED', version: 0 }, after }));
  }

  private async waitingAmong(tx: Sql, ids: readonly string[]): Promise<string[]> {
    return [...(await this.flows.waitingAmong(tx, ids))];
  }
}

const fires = (job: Job, now: number): boolean =>
  job.state === 'active' &&
  job.corrupt === null &&
  job.schedule.kind === 'upstream' &&
  (job.upstreams ?? []).length > 0 &&
  isWithin(job.schedule, now);

/** Each job with each flow in which one of its upstreams has just ended. */
function pairsOf(jobs: readonly Job[], ended: readonly TaskRecord[]): { job: Job; flowId: string }[] {
  return jobs.flatMap((job) => {
    const of = ended.filter(({ jobId }) => job.upstreams?.includes(jobId as string));
    return [...new Set(of.map((task) => task.flowId ?? task.id))].map((flowId) => ({ job, flowId }));
  });
}
