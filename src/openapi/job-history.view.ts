import type { BackfillView, JobSchedule, JobVersionView } from '@evenkeel/sdk/contract';
import type { JobVersion } from '../jobs/job.js';
import type { Backfill } from '../jobs/job-backfill.js';

const iso = (atMs: number): string => new Date(atMs).toISOString();

/** JSON text of the list; `params` are written as they are stored, digit for digit. */
export const jobVersionsText = (versions: readonly JobVersion[]): string => `{"items":[${versions.map(versionText).join(',')}]}`;

function versionText({ version, changedBy, changedAt, definition }: JobVersion): string {
  const { params, schedule, policies, metadata, ...rest } = definition;
  const view: Omit<JobVersionView, 'params'> = {
    version,
    // Names of people are the console's.
    changedBy: changedBy.startsWith('app:') ? changedBy : 'operator',
    changedAt: iso(changedAt),
    handler: rest.handler,
    schedule: schedule as JobSchedule,
    timeZone: rest.timeZone,
    overlap: rest.overlap,
    maxParallel: rest.maxParallel,
    misfire: rest.misfire,
    misfireWindowMs: rest.misfireWindowMs,
    priority: policies.priority ?? null,
    timeoutMs: policies.timeoutMs ?? null,
    retry: policies.retry ?? null,
    repeatable: policies.repeatable ?? null,
    routing: policies.routing ?? null,
    metadata: metadata ?? {},
    owner: rest.owner,
    tags: rest.tags,
    description: rest.description,
  };
  return `${JSON.stringify(view).slice(0, -1)},"params":${params}}`;
}

export const backfillViewOf = (backfill: Backfill): BackfillView => ({
  id: backfill.id,
  state: backfill.state,
  from: iso(backfill.fromAt),
  until: iso(backfill.untilAt),
  fires: backfill.fires,
  made: backfill.made,
  priority: backfill.priority,
  maxParallel: backfill.maxParallel,
  createdAt: iso(backfill.createdAt),
});
