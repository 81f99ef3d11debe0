import type { TaskState } from '@evenkeel/sdk/contract';
import type { CappedCount, Instant, Page } from './page.js';
import type { TriggerName } from './tasks.js';

/** `tasks.retry` takes what is FAILED, TIMED_OUT or CANCELLED and ended before the freeze; shards are retried with their parent. */
export type BulkKind =
  | 'tasks.cancel'
  | 'tasks.retry'
  | 'jobs.pause'
  | 'jobs.resume'
  | 'jobs.run'
  | 'jobs.move'
  | 'jobs.set_owner';
/**
 * What `jobs.move` and `jobs.set_owner` make of each job. A moved job makes its next tasks in `group`; those it has made stay where they
 * are, under the quota of the group they were made in. `owner`: null takes it away.
 */
export interface BulkChange {
  group?: string;
  owner?: string | null;
}
/**
 * The list's filters by their names there, times absolute; or the ids themselves (at most 1 000); or what failed in an operation that has
 * ended (`failedOf`, its id), beside which nothing but `group` may stand.
 */
export interface BulkFilter {
  ids?: string[];
  failedOf?: string;
  group?: string[];
  state?: string[];
  job?: string;
  handler?: string;
  app?: string;
  worker?: string;
  clientRequestId?: string;
  flowId?: string;
  parentId?: string;
  trigger?: TriggerName;
  /** Those that were late at the freeze. */
  late?: true;
  endedFrom?: Instant;
  from?: Instant;
  to?: Instant;
  owner?: string;
  tag?: string;
  q?: string;
  /** Behind that path of their params is one of these. */
  [param: `param.${string}`]: string[] | undefined;
}
/** Body of `POST /api/bulk/preview`. */
export interface PreviewBulk {
  kind: BulkKind;
  filter: BulkFilter;
  /** Of `jobs.move` its `group`, of `jobs.set_owner` its `owner`; of the others nothing. */
  change?: BulkChange;
}
/** `there_already`: nothing to do; `key_taken`: the group has, or would have, another job of this key; `app_not_granted`: the app of the job may not use the group. */
export type BulkObstacle = 'there_already' | 'key_taken' | 'app_not_granted' | 'corrupt';
export interface BulkPreview {
  /** What would be acted on. */
  eligible: CappedCount;
  /** What the filter finds but the action does not fit, by state. */
  skipped: Partial<Record<TaskState | 'active' | 'paused' | 'disabled', number>>;
  /** Found in groups where the caller may not do this. */
  notAllowed: number;
  /** Jobs that cannot be changed as asked, and why; they are left out. Of those looked at, ten thousand at most. */
  obstacles: { code: BulkObstacle; count: number; sample: string[] }[];
  /** Handlers of jobs to be moved that no worker of that group takes orders for. */
  withoutWorker: string[];
  sample: { id: string; name: string }[];
  /** The filter with its times fixed; what comes later is untouched. */
  frozen: BulkFilter & { frozenAt: Instant };
  change: BulkChange | null;
}
/** Body of `POST /api/bulk`. */
export interface StartBulk extends PreviewBulk {
  reason: string;
  /** Of the preview it follows: what came later is untouched. Not after the present, which it is when absent. */
  frozenAt?: Instant;
}
export type BulkState = 'running' | 'paused' | 'done' | 'aborted';
export interface BulkView {
  id: string;
  kind: BulkKind;
  filter: BulkFilter & { frozenAt: Instant };
  change: BulkChange | null;
  reason: string;
  by: string;
  state: BulkState;
  /** As counted when it started. */
  expected: CappedCount;
  done: number;
  skipped: number;
  failed: number;
  createdAt: Instant;
  endedAt: Instant | null;
}
export type BulkList = Page<BulkView>;
export interface BulkItem {
  id: string;
  outcome: 'done' | 'skipped' | 'failed';
  /** Why it was not done: a `BulkObstacle`, `already_ended` or `not_retryable` with the state as detail, `not_found`, a problem code; null if it was. */
  code: string | null;
  detail: string | null;
  at: Instant;
}
export type BulkItems = Page<BulkItem>;
