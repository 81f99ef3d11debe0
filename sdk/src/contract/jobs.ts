import type { Json } from './json.js';
import type { RetryPolicy, Routing, ShardFailureRule } from './partner-api.js';

/** When a job fires. Instants are RFC 3339; durations milliseconds. */
export type JobSchedule = (
  | {
      kind: 'cron';
      expression: string;
      /** IANA name; default: the job's `timeZone`. */
      timeZone?: string;
      cronDialect?: 'unix' | 'quartz';
      dst?: { gap?: 'first_valid' | 'skip'; overlap?: 'once' | 'twice' };
    }
  | { kind: 'every'; everyMs: number; anchorAt?: string }
  | { kind: 'after'; delayMs: number }
  | { kind: 'once'; at: string }
  | { kind: 'event'; name: string }
  | { kind: 'upstream' }
  | { kind: 'manual' }
) & { startAt?: string; endAt?: string; jitterMs?: number };

export const JOB_STATES = ['active', 'paused', 'disabled'] as const;
export type JobStateName = (typeof JOB_STATES)[number];

/** What an edit replaces as a whole. */
export interface JobDefinitionInput {
  handler: string;
  params?: Json;
  schedule: JobSchedule;
  /** Keys of jobs of its group, or ids of jobs of the app: which it waits for. For the kinds `upstream`, `cron` and `every`. */
  upstreams?: string[];
  timeZone?: string;
  overlap?: 'skip' | 'queue' | 'replace' | 'allow';
  maxParallel?: number;
  misfire?: 'fire_once' | 'skip' | 'fire_all';
  misfireWindowMs?: number;
  priority?: number;
  timeoutMs?: number;
  retry?: RetryPolicy;
  repeatable?: boolean;
  routing?: Routing;
  shards?: number | 'broadcast';
  onShardFailure?: ShardFailureRule;
  routingKey?: string;
  preferZone?: string;
  workerTags?: string[];
  workerZone?: string;
  metadata?: Record<string, string>;
  /** Handed on to every task. */
  callbackUrl?: string;
  owner?: string;
  tags?: string[];
  description?: string;
}
/** Body of `POST /openapi/v1/jobs`. */
export interface CreateJob extends JobDefinitionInput {
  /** Unique in its group. */
  key: string;
  group?: string;
  clientRequestId?: string;
}
/** Body of `PUT /openapi/v1/jobs/{id}`; `version` is the one it was made from. */
export interface ChangeJob extends JobDefinitionInput {
  version: number;
}
/** Body of `POST /openapi/v1/jobs/{id}/trigger`. */
export interface TriggerJob {
  params?: Json;
  force?: boolean;
  clientRequestId?: string;
}

/** The immutable receipt of a creation; a replay answers the same bytes. */
export interface JobReceipt {
  id: string;
  clientRequestId: string | null;
  key: string;
  group: string;
  createdAt: string;
}
export const JOB_WARNINGS = ['no_common_flow', 'never_awaited'] as const;
/** What a job's dependencies cannot bring about; `jobs` are the ids of the upstreams concerned. */
export interface JobWarning {
  code: (typeof JOB_WARNINGS)[number];
  message: string;
  jobs: string[];
}
export interface JobView extends JobReceipt {
  handler: string;
  params: Json;
  schedule: JobSchedule;
  /** Ids. */
  upstreams: string[];
  timeZone: string;
  overlap: 'skip' | 'queue' | 'replace' | 'allow';
  maxParallel: number;
  misfire: 'fire_once' | 'skip' | 'fire_all';
  misfireWindowMs: number;
  priority: number;
  timeoutMs: number;
  retry: RetryPolicy | null;
  repeatable: boolean;
  routing: Routing | null;
  shards: number | 'broadcast' | null;
  onShardFailure: ShardFailureRule;
  routingKey: string | null;
  preferZone: string | null;
  workerTags: string[];
  workerZone: string | null;
  metadata: Record<string, string>;
  callbackUrl: string | null;
  owner: string | null;
  tags: string[];
  description: string | null;
  /** `disabled`: it could not be fired ten times in a row. */
  state: JobStateName;
  pauseReason: string | null;
  nextFireAt: string | null;
  lastFireAt: string | null;
  /** Counts edits. */
  version: number;
  updatedAt: string;
  warnings: JobWarning[];
}
export interface JobList {
  items: Omit<JobView, 'params' | 'warnings'>[];
  nextCursor: string | null;
}
export interface NextFires {
  timeZone: string;
  fires: string[];
}

/** One definition a job has had, as it was stated: null where its group or the system decides. */
export interface JobVersionView {
  version: number;
  /** `app:<id>` or `operator`. */
  changedBy: string;
  changedAt: string;
  handler: string;
  params: Json;
  schedule: JobSchedule;
  timeZone: string;
  overlap: JobView['overlap'];
  maxParallel: number;
  misfire: JobView['misfire'];
  misfireWindowMs: number;
  priority: number | null;
  timeoutMs: number | null;
  retry: RetryPolicy | null;
  repeatable: boolean | null;
  routing: Routing | null;
  metadata: Record<string, string>;
  owner: string | null;
  tags: string[];
  description: string | null;
}
export interface JobVersionList {
  items: JobVersionView[];
}
/** Body of `POST /openapi/v1/jobs/{id}/restore`. */
export interface RestoreJob {
  /** The current one, as for any edit. */
  version: number;
  /** The one whose definition is to be the next. */
  restore: number;
}

/** Body of `POST /openapi/v1/jobs/{id}/backfill`: the fires from `from` on, before `until`, which is not later than now. */
export interface BackfillJob {
  from: string;
  until: string;
  /** true: tells the fires and makes nothing. */
  dryRun?: boolean;
  /** 1, the lowest, if absent. */
  priority?: number;
  /** Tasks of it that are unfinished at once; as the overlap rule has it if absent. */
  maxParallel?: number;
  clientRequestId?: string;
}
export const BACKFILL_STATES = ['running', 'done', 'cancelled'] as const;
export interface BackfillView {
  id: string;
  state: (typeof BACKFILL_STATES)[number];
  from: string;
  until: string;
  /** Fires of the whole span. */
  fires: number;
  /** Tasks made so far. */
  made: number;
  priority: number;
  maxParallel: number;
  createdAt: string;
}
export interface BackfillAnswer {
  /** Null for a dry run. */
  backfill: BackfillView | null;
  /** How many fires the span has. */
  count: number;
  /** All of them, earliest first, for a dry run; empty otherwise. */
  fires: string[];
}
export interface BackfillList {
  items: BackfillView[];
}
