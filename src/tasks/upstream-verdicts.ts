import { Injectable } from '@nestjs/common';
import { groupedBy } from '../decisions/grouped.js';
import { madeNoWork, type UpstreamTask, type WaitVerdict, waitVerdict } from '../decisions/upstream-wait.js';
import { JobEdgeStore } from '../jobs/job-edge.store.js';
import type { Sql } from '../ports.js';
import { type FlowMember, FlowStore, type UpstreamFact } from './flow.store.js';
import { PeriodStore } from './period.store.js';
import type { TaskRecord } from './task.js';

export interface Judged {
  verdict: WaitVerdict;
  /** The flow of the latest upstream; null if none is known. */
  flowId: string | null;
}

/**
 * Reads what tasks wait for, as it stands. The caller holds the locks of those tasks: whoever ends an upstream takes them before
 * it reads, so of two upstreams that end together the second sees the first.
 */
@Injectable()
export class UpstreamVerdicts {
  constructor(
    private readonly flows: FlowStore,
    private readonly edges: JobEdgeStore,
    private readonly periods: PeriodStore,
  ) {}

  /** At most six statements for a hundred tasks that wait for periods, however many others. */
  async of(tx: Sql, tasks: readonly TaskRecord[]): Promise<Map<string, Judged>> {
    const facts = groupedBy(await this.facts(tx, tasks), ({ taskId }) => taskId);
    return new Map(tasks.map(({ id }) => [id, judged(facts.get(id) ?? [])]));
  }

  /** What each waits or waited for, as it stands. Also for whoever only looks, without locks. */
  async facts(tx: Sql, tasks: readonly Pick<TaskRecord, 'id' | 'jobId' | 'fireAt'>[]): Promise<UpstreamFact[]> {
    const ids = (wanted: (task: Pick<TaskRecord, 'jobId' | 'fireAt'>) => boolean) => tasks.filter(wanted).map(({ id }) => id);
    const ofTasks = await this.flows.edgeFacts(
      tx,
      ids(({ jobId }) => jobId === null),
    );
    const ofPeriods = await this.periods.facts(
      tx,
      ids(({ jobId, fireAt }) => jobId !== null && fireAt !== null),
    );
    const ofJoins = await this.joinFacts(
      tx,
      ids(({ jobId, fireAt }) => jobId !== null && fireAt === null),
    );
    const worked = ofPeriods.filter(({ upstream }) => upstream === null || !madeNoWork(upstream));
    return [...ofTasks, ...worked, ...ofJoins];
  }

  private async joinFacts(tx: Sql, taskIds: readonly string[]): Promise<UpstreamFact[]> {
    const joins = await this.flows.joinsAmong(tx, taskIds);
    if (joins.length === 0) return [];
    const edges = await this.edges.upstreamsOf(tx, [...new Set(joins.map(({ joinJobId }) => joinJobId))]);
    const flowIds = [...new Set(joins.map(({ flowId }) => flowId))];
    const members = await this.flows.members(tx, flowIds, [...new Set(edges.map(({ upstreamId }) => upstreamId))]);
    return joins.flatMap(({ taskId, flowId, joinJobId }) => {
      const upstreams = edges.filter(({ downstreamId }) => downstreamId === joinJobId).map(({ upstreamId }) => upstreamId);
      return joined(members, flowId, upstreams).map((upstream) => ({ taskId, upstream, flowId }));
    });
  }
}

/** The tasks of the upstream jobs in the flow; null for a job that has none there yet. */
export function joined(members: readonly FlowMember[], flowId: string, upstreamJobs: readonly string[]): UpstreamTask[] {
  return upstreamJobs.flatMap((jobId): UpstreamTask[] => {
    const found = members.filter((member) => member.flowId === flowId && member.jobId === jobId);
    return found.length === 0 ? [null] : found.map(({ task }) => task);
  });
}

function judged(facts: readonly UpstreamFact[]): Judged {
  return {
    verdict: waitVerdict(facts.map(({ upstream }) => upstream)),
    flowId: facts.findLast(({ flowId }) => flowId !== null)?.flowId ?? null,
  };
}
