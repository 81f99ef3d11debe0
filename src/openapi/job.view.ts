import type { JobList, JobReceipt, JobSchedule } from '@evenkeel/sdk/contract';
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

/** What lists show: everything but the params, which may be large. */
export function jobSummaryOf(job: Job, groupKey: string): JobList['items'][number] {
  return {
    ...jobReceiptOf(job, groupKey),
    handler: job.handler,
    schedule: job.schedule as JobSchedule,
    timeZone: job.timeZone,
    overlap: job.overlap,
    maxParallel: job.maxParallel,
    misfire: job.misfire,
    misfireWindowMs: job.misfireWindowMs,
    priority: job.policies.priority,
    timeoutMs: job.policies.timeoutMs,
    retry: job.policies.retry ?? null,
    repeatable: job.policies.repeatable !== false,
    routing: job.policies.routing ?? null,
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
export const jobViewText = (job: Job, groupKey: string): string =>
  `${JSON.stringify(jobSummaryOf(job, groupKey)).slice(0, -1)},"params":${job.params}}`;
