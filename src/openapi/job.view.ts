import type { JobList, JobReceipt, JobSchedule, JobWarning } from '@evenkeel/sdk/contract';
import { type GroupPolicies, resolvePolicies } from '../decisions/policies.js';
import type { Job } from '../jobs/job.js';

const iso = (atMs: number): string => new Date(atMs).toISOString();
const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : iso(atMs));

/** Made of immutable columns only, so that a replay answers the same bytes whatever became of the job. */
export const jobReceiptOf = (job: Job, groupKey: string): JobReceipt => ({
  id: job.id,
  clientRequestId: job.clientRequestId,
  key: job.key,
  group: groupKey,
  createdAt: iso(job.createdAt),
});

/** What lists show: everything but the params, which may be large. Policies are those its next task would get. */
export function jobSummaryOf(job: Job, groupKey: string, ofGroup: GroupPolicies = {}): JobList['items'][number] {
  const { priority, timeoutMs, options } = resolvePolicies(job.policies, ofGroup);
  return {
    ...jobReceiptOf(job, groupKey),
    handler: job.handler,
    schedule: job.schedule as JobSchedule,
    upstreams: [...(job.upstreams ?? [])],
    timeZone: job.timeZone,
    overlap: job.overlap,
    maxParallel: job.maxParallel,
    misfire: job.misfire,
    misfireWindowMs: job.misfireWindowMs,
    priority,
    timeoutMs,
    retry: options.retry ?? null,
    repeatable: options.repeatable !== false,
    routing: options.routing ?? null,
    routingKey: options.routingKey ?? null,
    preferZone: options.preferZone ?? null,
    workerTags: options.workerTags ?? [],
    workerZone: options.workerZone ?? null,
    shards: job.policies.shards ?? null,
    onShardFailure: job.policies.onShardFailure ?? 'continue',
    metadata: job.metadata ?? {},
    callbackUrl: job.callbackUrl,
    owner: job.owner,
    tags: job.tags,
    description: job.description,
    state: job.state,
    pauseReason: job.pauseReason,
    nextFireAt: isoOrNull(job.nextFireAt),
    lastFireAt: isoOrNull(job.lastFireAt),
    version: job.version,
    updatedAt: iso(job.updatedAt),
  };
}

/** JSON text of a JobView; `params` are written as they are stored, digit for digit. */
export function jobViewText(job: Job, groupKey: string, warnings: readonly JobWarning[], ofGroup?: GroupPolicies): string {
  const rest = { ...jobSummaryOf(job, groupKey, ofGroup), warnings };
  return `${JSON.stringify(rest).slice(0, -1)},"params":${job.params}}`;
}
