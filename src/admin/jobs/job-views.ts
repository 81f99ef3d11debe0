import type { JobSchedule } from '@evenkeel/sdk/contract';
import type { ResolvedPolicies } from '../../decisions/policies.js';
import { stateOf } from '../../decisions/state-codes.js';
import type { Job } from '../../jobs/job.js';
import type { JobSummary } from '../contract/jobs.js';
import { iso, isoOrNull } from '../request-parts.js';
import type { RecentTaskRow } from './console-job.store.js';

export function summaryOf(
  job: Job,
  facts: {
    group: string;
    app: JobSummary['app'];
    recent: readonly RecentTaskRow[];
    handlerServed: boolean;
    /** What its next task would get. */
    resolved: ResolvedPolicies;
  },
): JobSummary {
  const { policies } = job;
  return {
    handler: job.handler,
    schedule: job.schedule as JobSchedule,
    upstreams: [...(job.upstreams ?? [])],
    timeZone: job.timeZone,
    overlap: job.overlap,
    maxParallel: job.maxParallel,
    misfire: job.misfire,
    misfireWindowMs: job.misfireWindowMs,
    priority: facts.resolved.priority,
    timeoutMs: facts.resolved.timeoutMs,
    retry: facts.resolved.options.retry ?? null,
    repeatable: facts.resolved.options.repeatable !== false,
    routing: policies.routing ?? null,
    shards: policies.shards ?? null,
    onShardFailure: policies.onShardFailure ?? 'continue',
    routingKey: policies.routingKey ?? null,
    preferZone: policies.preferZone ?? null,
    workerTags: policies.workerTags ?? [],
    workerZone: policies.workerZone ?? null,
    metadata: job.metadata ?? {},
    callbackUrl: job.callbackUrl,
    owner: job.owner,
    tags: job.tags,
    description: job.description,
    id: job.id,
    key: job.key,
    group: facts.group,
    app: facts.app,
    state: job.state,
    pauseReason: job.pauseReason,
    nextFireAt: isoOrNull(job.nextFireAt),
    lastFireAt: isoOrNull(job.lastFireAt),
    version: job.version,
    createdAt: iso(job.createdAt),
    updatedAt: iso(job.updatedAt),
    recent: facts.recent.map((row) => ({
      id: row.id,
      state: stateOf(row.state),
      at: iso(Number(row.created_at)),
      runMs: row.started_at === null || row.ended_at === null ? null : Number(row.ended_at) - Number(row.started_at),
    })),
    handlerServed: facts.handlerServed,
    fireFailures: job.fireFailures,
    corrupt: job.corrupt,
  };
}
