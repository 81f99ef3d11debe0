import type { JobSchedule } from '@evenkeel/sdk/contract';
import type { JobDefinition } from '../../decisions/job-definition.js';
import { stateOf } from '../../decisions/state-codes.js';
import type { Job } from '../../jobs/job.js';
import type { JobDefinitionView, JobSummary } from '../contract/jobs.js';
import { iso, isoOrNull } from '../request-parts.js';
import type { RecentTaskRow } from './console-job.store.js';

export function summaryOf(
  job: Job,
  facts: { group: string; app: JobSummary['app']; recent: readonly RecentTaskRow[]; handlerServed: boolean },
): JobSummary {
  const { paramsText: _, ...definition } = definitionView(job);
  return {
    ...(definition as Required<typeof definition>),
    retry: job.policies.retry ?? null,
    repeatable: job.policies.repeatable !== false,
    routing: job.policies.routing ?? null,
    metadata: job.metadata ?? {},
    owner: job.owner,
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

/** A definition as it would be stated again: what is not stated is absent. */
export function definitionView(definition: JobDefinition): JobDefinitionView {
  const { policies } = definition;
  return {
    handler: definition.handler,
    paramsText: definition.params,
    schedule: definition.schedule as JobSchedule,
    timeZone: definition.timeZone,
    overlap: definition.overlap,
    maxParallel: definition.maxParallel,
    misfire: definition.misfire,
    misfireWindowMs: definition.misfireWindowMs,
    priority: policies.priority,
    timeoutMs: policies.timeoutMs,
    ...(policies.retry ? { retry: policies.retry } : {}),
    ...(policies.repeatable === false ? { repeatable: false } : {}),
    ...(policies.routing ? { routing: policies.routing } : {}),
    ...(definition.metadata ? { metadata: definition.metadata } : {}),
    ...(definition.owner === null ? {} : { owner: definition.owner }),
    tags: definition.tags,
    ...(definition.description === null ? {} : { description: definition.description }),
  };
}
