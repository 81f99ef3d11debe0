import type { FieldError, JobWarning } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { circleThrough } from '../decisions/dependency-graph.js';
import { said } from '../decisions/field-sentences.js';
import type { JobDefinition } from '../decisions/job-definition.js';
import { jobWarnings } from '../decisions/job-warnings.js';
import { type StandingJob, stoppedUpstreams } from '../decisions/stopped-upstreams.js';
import { AppError } from '../platform/errors.js';
import { reasonText } from '../platform/problem-reasons.js';
import type { Sql } from '../ports.js';
import type { Job } from './job.js';
import { JobEdgeStore } from './job-edge.store.js';

type Downstream = Pick<Job, 'id' | 'key' | 'groupId' | 'appId'>;

/** Of an upstream that is not there for whoever states it. */
export const unknownUpstream = (place: number): FieldError => ({
  pointer: `/upstreams/${place}`,
  code: 'unknown_job',
  ...said('no_upstream'),
});

/** Dependencies that form a circle: the ids of its jobs in their order, for who may not name all of them to everybody. */
export class DependencyCircle extends AppError {
  constructor(
    readonly circle: readonly string[],
    path: readonly string[],
  ) {
    super('dependency_cycle', reasonText('circle', { path: path.join(' waits for ') }), { members: { path, reason: 'circle' } });
  }
}

/**
 * Which jobs a job waits for: the edges of the graph, changed in the transaction that writes the definition. One row is locked by
 * whoever changes edges, so of two changes that close a circle together the second sees the first and is refused.
 */
@Injectable()
export class JobUpstreams {
  constructor(private readonly edges: JobEdgeStore) {}

  /** The definition with ids in place of keys. Throws AppError: an upstream that is no job of the app, or a circle. */
  async resolve(tx: Sql, job: Downstream, definition: JobDefinition): Promise<JobDefinition> {
    const stated = definition.upstreams ?? [];
    if (stated.length === 0) return definition;
    await this.edges.lockGraph(tx);
    const named = await this.edges.named(tx, job.appId, job.groupId, stated);
    const errors: FieldError[] = [];
    const ids = stated.map((name, i) => {
      const found =
        named.find(({ id }) => id === name) ?? named.find(({ key, groupId }) => key === name && groupId === job.groupId);
      if (!found) errors.push(unknownUpstream(i));
      return found?.id ?? name;
    });
    if (errors.length > 0) throw AppError.fields(errors);
    const upstreams = [...new Set(ids)];
    const circle = circleThrough(job.id, upstreams, await this.above(tx, upstreams));
    if (circle) throw await this.refusal(tx, job, circle);
    return { ...definition, upstreams };
  }

  /** Writes the edges of a resolved definition; the caller holds the job's lock or has just inserted it. `before` null: unknown. */
  async save(tx: Sql, id: string, before: readonly string[] | null, after: readonly string[]): Promise<void> {
    if (before?.length === 0 && after.length === 0) return;
    await this.edges.lockGraph(tx);
    await this.edges.replace(tx, id, after);
  }

  /**
   * Throws AppError `job_has_dependants`: they would fire without what they need, or never again. The job's own edges stay while a task of it
   * waits for them, or that would start without its upstreams.
   */
  async drop(tx: Sql, id: string): Promise<void> {
    await this.edges.lockGraph(tx);
    const dependants = (await this.edges.downstreamsOf(tx, [id])).map(({ key }) => key).sort();
    if (dependants.length > 0)
      throw AppError.because(
        'job_has_dependants',
        'job_awaited',
        { dependants: dependants.slice(0, 10).join(', ') },
        { members: { dependants: dependants.slice(0, 100) } },
      );
    if (!(await this.edges.isWaitedOn(tx, id))) await this.edges.replace(tx, id, []);
  }

  /** What its dependencies cannot bring about, as the jobs above it are now. */
  async warnings(sql: Sql, { schedule, upstreams = [] }: Pick<Job, 'schedule' | 'upstreams'>): Promise<JobWarning[]> {
    if (upstreams.length === 0) return [];
    return jobWarnings({ kind: schedule.kind, upstreams }, await this.graphAbove(sql, upstreams));
  }

  /** Ids of the stopped jobs above it because of which it does not run as its dependencies say, as they are now. */
  async stopped(sql: Sql, { schedule, upstreams = [] }: Pick<Job, 'schedule' | 'upstreams'>): Promise<string[]> {
    if (upstreams.length === 0) return [];
    return stoppedUpstreams({ kind: schedule.kind, upstreams }, await this.graphAbove(sql, upstreams));
  }

  private async graphAbove(sql: Sql, ids: readonly string[]): Promise<Map<string, StandingJob>> {
    const above = await this.above(sql, ids);
    const standing = await this.edges.standingOf(sql, [...above.keys()]);
    return new Map([...standing].map(([id, job]) => [id, { ...job, upstreams: above.get(id) ?? [] }]));
  }

  /** Every edge above these jobs, read layer by layer. */
  private async above(tx: Sql, ids: readonly string[]): Promise<Map<string, string[]>> {
    const graph = new Map<string, string[]>();
    for (let layer = [...ids]; layer.length > 0; ) {
      for (const id of layer) graph.set(id, []);
      const next = new Set<string>();
      for (const { downstreamId, upstreamId } of await this.edges.upstreamsOf(tx, layer)) {
        graph.get(downstreamId)?.push(upstreamId);
        if (!graph.has(upstreamId)) next.add(upstreamId);
      }
      layer = [...next];
    }
    return graph;
  }

  private async refusal(tx: Sql, job: Downstream, circle: readonly string[]): Promise<AppError> {
    const keys = (await this.edges.keysOf(tx, circle)).set(job.id, job.key);
    const path = circle.map((id) => keys.get(id) ?? id);
    return new DependencyCircle(circle, path);
  }
}
