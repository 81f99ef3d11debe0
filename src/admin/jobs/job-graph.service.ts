import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { said } from '../../decisions/field-sentences.js';
import { wholeNumber } from '../../decisions/query-parameters.js';
import { stateOf } from '../../decisions/state-codes.js';
import { type JobEdge, JobEdgeStore } from '../../jobs/job-edge.store.js';
import { isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import type { JobGraph } from '../contract/jobs.js';
import { iso, isoOrNull, many, queryOf, shortText } from '../request-parts.js';
import { ConsoleJobStore, type RecentTaskRow } from './console-job.store.js';
import { ConsoleJobsService } from './console-jobs.service.js';

const MOST_NODES = 500;
const DEPTH = 3;
const JOBS_A_STATEMENT = 100;
const QUERY = {
  group: many(shortText(64)),
  focus: { parse: (value: string) => (isId('job', value) ? value : undefined), rule: said('job_id') },
  depth: wholeNumber(1, 20),
};

/** Jobs as a graph: of groups, or around one job. What the caller may not see is left out with its edges. */
@Injectable()
export class JobGraphService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly edges: JobEdgeStore,
    private readonly looks: ConsoleJobsService,
  ) {}

  async graph(request: ConsoleRequest): Promise<JobGraph> {
    const { group, focus, depth = DEPTH } = queryOf(request, QUERY);
    const { root } = this.dialect;
    const groupIds = this.looks.groupIds(request.caller, 'jobs.view', group);
    if (focus !== undefined) await this.looks.found(request.caller, focus);
    const found =
      focus === undefined
        ? await this.store.withEdges(root, groupIds, MOST_NODES + 1)
        : await this.around(focus, depth, MOST_NODES + 1);
    const ids = found.slice(0, MOST_NODES);
    const jobs = ids.length === 0 ? [] : await this.store.list(root, { groupIds, ids, limit: MOST_NODES });
    const shown = jobs.map(({ id }) => id);
    const last = await this.lastOf(shown);
    return {
      nodes: jobs.map((job) => {
        const task = last.get(job.id);
        return {
          id: job.id,
          key: job.key,
          group: this.looks.groupKey(job),
          kind: job.schedule.kind,
          state: job.state,
          nextFireAt: isoOrNull(job.nextFireAt),
          last: task ? { taskId: task.id, state: stateOf(task.state), at: iso(Number(task.created_at)) } : null,
        };
      }),
      edges: await this.among(shown),
      truncated: found.length > MOST_NODES,
    };
  }

  /** Nearest first. */
  private async around(focus: string, depth: number, limit: number): Promise<string[]> {
    const found = new Set([focus]);
    for (let step = 0, layer = [focus]; step < depth && layer.length > 0 && found.size < limit; step++) {
      const next: string[] = [];
      for (const { upstreamId, downstreamId } of await this.touching(layer))
        for (const id of [upstreamId, downstreamId])
          if (!found.has(id) && found.size < limit) {
            found.add(id);
            next.push(id);
          }
      layer = next;
    }
    return [...found];
  }

  private async among(ids: readonly string[]): Promise<JobGraph['edges']> {
    const shown = new Set(ids);
    const edges = new Map<string, JobGraph['edges'][number]>();
    for (const { upstreamId, downstreamId } of await this.touching(ids))
      if (shown.has(upstreamId) && shown.has(downstreamId))
        edges.set(`${upstreamId} ${downstreamId}`, { from: upstreamId, to: downstreamId });
    return [...edges.values()].sort((a, b) => (a.from + a.to < b.from + b.to ? -1 : 1));
  }

  private async touching(ids: readonly string[]): Promise<JobEdge[]> {
    const all: JobEdge[] = [];
    for (let at = 0; at < ids.length; at += JOBS_A_STATEMENT)
      all.push(...(await this.edges.touching(this.dialect.root, ids.slice(at, at + JOBS_A_STATEMENT))));
    return all;
  }

  private async lastOf(ids: readonly string[]): Promise<Map<string, RecentTaskRow>> {
    const last = new Map<string, RecentTaskRow>();
    for (let at = 0; at < ids.length; at += JOBS_A_STATEMENT)
      for (const row of await this.store.recent(this.dialect.root, ids.slice(at, at + JOBS_A_STATEMENT), 1))
        last.set(row.job_id, row);
    return last;
  }
}
