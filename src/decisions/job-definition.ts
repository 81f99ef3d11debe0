import type { RetryPolicy, Routing } from '@evenkeel/sdk/contract';
import type { Overlap } from './overlap.js';
import type { MisfirePolicy } from './schedule/missed-fires.js';
import type { Schedule } from './schedule/schedule.js';

/** Absent: the group's, else the system's, looked up as each task is made. */
export interface JobPolicies {
  priority?: number;
  timeoutMs?: number;
  retry?: RetryPolicy;
  repeatable?: boolean;
  routing?: Routing;
  crashRetries?: number;
  /** Every task of the job is divided so. */
  shards?: number | 'broadcast';
  onShardFailure?: 'stop';
  routingKey?: string;
  preferZone?: string;
  workerTags?: string[];
  workerZone?: string;
}

/** What a person or partner says of a job: everything an edit replaces and the history keeps. */
export interface JobDefinition {
  handler: string;
  /** JSON text, stored and delivered as it is. */
  params: string;
  schedule: Schedule;
  /** Ids of the jobs it waits for (stated: keys of its group or ids); absent for none. */
  upstreams?: readonly string[];
  /** IANA name: the schedule's own, or the one its times are shown in. */
  timeZone: string;
  policies: JobPolicies;
  overlap: Overlap;
  /** Counts for the overlap `allow` only. */
  maxParallel: number;
  misfire: MisfirePolicy['policy'];
  misfireWindowMs: number;
  /** Handed on to every task. */
  metadata: Record<string, string> | null;
  /** Where the ends of its tasks are told; checked by the caller. */
  callbackUrl: string | null;
  owner: string | null;
  tags: string[];
  description: string | null;
}
