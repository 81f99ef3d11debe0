import { JOB_DEFAULTS, MISFIRES } from '../decisions/check-job.js';
import type { JobDefinition } from '../decisions/job-definition.js';
import { OVERLAPS } from '../decisions/overlap.js';
import { storedSchedule } from '../decisions/schedule/stored-schedule.js';
import { storedMetadata, storedParams, storedPolicies, storedTexts, storedWord } from '../decisions/stored-definition.js';
import type { Job, JobState } from './job.js';

type Instant = number | string | null;
/** A row of `jobs` as the drivers hand it over. */
export interface JobRow {
  id: string;
  group_id: number;
  partition_no: number;
  job_key: string;
  handler: string;
  params: string | null;
  schedule_json: string;
  time_zone: string;
  policies_json: string;
  metadata_json: string | null;
  overlap: string;
  max_parallel: number;
  misfire: string;
  misfire_window_ms: number | string;
  job_state: string;
  pause_reason: string | null;
  next_fire_at: Instant;
  paused_fire_at: Instant;
  last_fire_at: Instant;
  fire_failures: number;
  app_id: number | null;
  client_request_id: string | null;
  request_fp: string | null;
  version: number;
  job_owner: string | null;
  tags_json: string;
  description: string | null;
  callback_url: string | null;
  created_at: number | string;
  updated_at: number | string;
  upstreams_json: string | null;
}
export const JOB_COLUMNS =
  'id, group_id, partition_no, job_key, handler, params, schedule_json, time_zone, policies_json, metadata_json, overlap, max_parallel, misfire, misfire_window_ms, job_state, pause_reason, next_fire_at, paused_fire_at, last_fire_at, fire_failures, app_id, client_request_id, request_fp, version, job_owner, tags_json, description, created_at, updated_at, upstreams_json, callback_url';

const instant = (value: Instant): number | null => (value === null ? null : Number(value));

/** Never throws: one row that cannot be read must not hide the others. */
export function jobOf(row: JobRow): Job {
  const { definition, corrupt } = readDefinition(row);
  return {
    ...definition,
    id: row.id,
    key: row.job_key,
    groupId: row.group_id,
    partition: row.partition_no,
    state: row.job_state as JobState,
    pauseReason: row.pause_reason,
    nextFireAt: instant(row.next_fire_at),
    pausedFireAt: instant(row.paused_fire_at),
    lastFireAt: instant(row.last_fire_at),
    fireFailures: row.fire_failures,
    appId: row.app_id,
    clientRequestId: row.client_request_id,
    fingerprint: row.request_fp,
    version: row.version,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    corrupt,
  };
}

function readDefinition(row: JobRow): { definition: JobDefinition; corrupt: string | null } {
  const plain = {
    handler: row.handler,
    timeZone: row.time_zone,
    maxParallel: row.max_parallel,
    misfireWindowMs: Number(row.misfire_window_ms),
    owner: row.job_owner,
    description: row.description,
    callbackUrl: row.callback_url,
  };
  try {
    const read = {
      schedule: storedSchedule(row.schedule_json),
      params: storedParams(row.params ?? 'null'),
      overlap: storedWord('overlap', row.overlap, OVERLAPS),
      misfire: storedWord('misfire', row.misfire, MISFIRES),
      policies: storedPolicies(row.policies_json),
      metadata: row.metadata_json === null ? null : storedMetadata(row.metadata_json),
      tags: storedTexts(row.tags_json),
      ...(row.upstreams_json ? { upstreams: storedTexts(row.upstreams_json) } : {}),
    };
    return { definition: { ...plain, ...read }, corrupt: null };
  } catch (error) {
    const { overlap, misfire } = JOB_DEFAULTS;
    const unread = {
      schedule: { kind: 'manual' as const },
      params: 'null',
      overlap,
      misfire,
      policies: {},
      metadata: null,
      tags: [],
    };
    return { definition: { ...plain, ...unread }, corrupt: (error as Error).message };
  }
}

/** What of a job a person or partner states, without what became of it. */
export const definitionOf = (job: JobDefinition): JobDefinition => ({
  handler: job.handler,
  params: job.params,
  schedule: job.schedule,
  timeZone: job.timeZone,
  policies: job.policies,
  overlap: job.overlap,
  maxParallel: job.maxParallel,
  misfire: job.misfire,
  misfireWindowMs: job.misfireWindowMs,
  ...(job.upstreams?.length ? { upstreams: job.upstreams } : {}),
  metadata: job.metadata,
  callbackUrl: job.callbackUrl,
  owner: job.owner,
  tags: job.tags,
  description: job.description,
});

/** The columns of a definition and their values, in one order. */
export const DEFINITION_COLUMNS = [
  'handler',
  'params',
  'schedule_json',
  'schedule_kind',
  'time_zone',
  'policies_json',
  'metadata_json',
  'overlap',
  'max_parallel',
  'misfire',
  'misfire_window_ms',
  'job_owner',
  'tags_json',
  'description',
  'upstreams_json',
  'event_name',
  'callback_url',
] as const;

export const definitionValues = (definition: JobDefinition): unknown[] => [
  definition.handler,
  definition.params,
  JSON.stringify(definition.schedule),
  definition.schedule.kind,
  definition.timeZone,
  JSON.stringify(definition.policies),
  definition.metadata ? JSON.stringify(definition.metadata) : null,
  definition.overlap,
  definition.maxParallel,
  definition.misfire,
  definition.misfireWindowMs,
  definition.owner,
  JSON.stringify(definition.tags),
  definition.description,
  definition.upstreams?.length ? JSON.stringify(definition.upstreams) : null,
  definition.schedule.kind === 'event' ? definition.schedule.name : null,
  definition.callbackUrl,
];
