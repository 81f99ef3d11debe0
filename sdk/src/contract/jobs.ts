import type { Json } from './json.js';
import type { RetryPolicy, Routing } from './partner-api.js';

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
  | { kind: 'manual' }
) & { startAt?: string; endAt?: string; jitterMs?: number };

export const JOB_STATES = ['active', 'paused', 'disabled'] as const;
export type JobStateName = (typeof JOB_STATES)[number];

/** What an edit replaces as a whole. */
export interface JobDefinitionInput {
  handler: string;
  params?: Json;
  schedule: JobSchedule;
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
export interface JobView extends JobReceipt {
  handler: string;
  params: Json;
  schedule: JobSchedule;
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
}
export interface JobList {
  items: Omit<JobView, 'params'>[];
  nextCursor: string | null;
}
export interface NextFires {
  timeZone: string;
  fires: string[];
}
