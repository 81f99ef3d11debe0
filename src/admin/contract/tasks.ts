import type {
  AttemptOutcome,
  AttemptView,
  Json,
  LogLevel,
  ReasonCode,
  RetryPolicy,
  Routing,
  ShardProgress,
  TaskError,
  TaskState,
  TimelineEntry,
} from '@evenkeel/sdk/contract';
import type { CheckName } from '../../decisions/explain-task.js';
import type { CappedCount, Instant, Page } from './page.js';

/** `shard`: see its parent. */
export type TriggerName = 'schedule' | 'manual' | 'api' | 'event' | 'upstream' | 'backfill' | 'shard';
export interface TaskSummary {
  id: string;
  state: TaskState;
  /** Due and not started for more than five seconds. */
  late: boolean;
  group: string;
  handler: string;
  job: { id: string; key: string | null } | null;
  app: { id: string; name: string } | null;
  clientRequestId: string | null;
  trigger: TriggerName;
  priority: number;
  createdAt: Instant;
  scheduledAt: Instant;
  dueAt: Instant;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** The attempt that runs or ran last; null before the first one has begun. */
  attempt: number | null;
  worker: string | null;
  /** Why it ended as it did, or why it does not run, as of this answer; files leave the latter out. */
  reason: ReasonCode | null;
  cancelRequested: boolean;
  error: TaskError | null;
  version: number;
  /** 0 to 1; of a task with shards the part of them that has ended. Null if it never said so. */
  progress: number | null;
  /** The task it is a shard of, and which one of how many. */
  parentId: string | null;
  shard: { index: number; total: number } | null;
  /** Of a task with shards: how far they are. */
  shards: ShardProgress | null;
  /** The flow it belongs to: the id of the task the flow began with. */
  flowId: string | null;
}
/** `searchedTo`: the search stopped there to stay quick; go on with `nextCursor`. */
export interface ConsoleTaskList extends Page<TaskSummary> {
  searchedTo: Instant | null;
}
/** Answer of `GET /api/tasks/counts`: by state, obeying every filter but `state`. `capped`: of the newest ones only. */
export interface TaskCounts {
  states: Record<TaskState, number>;
  capped: boolean;
  /** Of the states asked for. */
  total: CappedCount;
}
/** Tasks that have in common what they are grouped by. */
export interface TaskGroup {
  /** By job: its id, null of tasks without one, which are told apart by handler. */
  job: string | null;
  handler: string | null;
  /** The job's key; or the group, the worker, the error without ids and numbers. Empty of tasks that have none. */
  text: string | null;
  count: number;
  /** Of these: failed and timed out. */
  failed: number;
  latest: { id: string; at: Instant; error: string | null };
}
/**
 * Answer of `GET /api/tasks/groups?by=job|error|worker|group` with the filters of the list (`job` if absent), the largest first. `capped`: only the
 * `counted` newest tasks were looked at, or only the largest groups are told.
 */
export interface TaskGroups {
  by: 'job' | 'error' | 'worker' | 'group';
  items: TaskGroup[];
  counted: number;
  capped: boolean;
}
/** What a worker still reported of an attempt that had been given up by then: kept here, and changed nothing. */
export interface LateResult {
  at: Instant;
  outcome: AttemptOutcome;
  error: TaskError | null;
  /** JSON exactly as it was sent. */
  resultText: string | null;
}
export interface ConsoleAttempt extends AttemptView {
  late: LateResult | null;
}
export interface TaskDetail extends TaskSummary {
  timeoutMs: number;
  /** JSON exactly as it is stored. */
  paramsText: string;
  /** null: there is none (yet). */
  resultText: string | null;
  metadata: Record<string, string>;
  timeline: TimelineEntry[];
  /** Oldest first; the last one is the current one. */
  attempts: ConsoleAttempt[];
  retries: number;
  crashes: number;
  actor: string | null;
  /** What it waits or waited for, and what waits or waited for it; each at most 200, of groups the caller may see. */
  upstreams: LinkedTask[];
  downstreams: LinkedTask[];
  /** Its latest deliveries, how many of them are in each state. */
  deliveries: { pending: number; succeeded: number; exhausted: number };
  callbackUrl: string | null;
  /** What it was made with beyond the system's defaults, by the names of a submission. */
  policies: TaskPolicies;
  /** Which workers may take it, beside having its handler. */
  workerFilter: { tags: string[]; zone: string | null };
  /** Its cancel was asked for: when `force` will be taken, and when it was asked. */
  cancel: { askedAt: Instant; forceFrom: Instant } | null;
  permissions: string[];
}
export interface TaskPolicies {
  retry?: RetryPolicy;
  repeatable?: false;
  routing?: Routing;
  crashRetries?: number;
  onShardFailure?: 'stop';
  routingKey?: string;
  preferZone?: string;
  workerTags?: string[];
  workerZone?: string;
}
export interface LinkedTask {
  id: string;
  state: TaskState;
  group: string;
  handler: string;
  job: { id: string; key: string | null } | null;
}
/** Body of `POST /api/tasks/{id}/retry`; answers TaskDetail. 409 `task_not_retryable` unless it is FAILED, TIMED_OUT or CANCELLED. */
export interface TaskAction {
  reason?: string;
}
/**
 * Body of `POST /api/tasks/{id}/cancel`; answers TaskDetail. 202: its worker was asked to stop. `force` gives up an attempt that does not
 * stop: only once its cancel was asked for and five seconds have passed; before, 409 `state_conflict` with member `waitMs` (null: not asked).
 */
export interface CancelTask extends TaskAction {
  force?: boolean;
}
/** Body of `POST /api/tasks/{id}/run-again`: a new task like it, at once, outside any flow; answers 201 `{ taskId }`. */
export interface RunAgain extends TaskAction {
  /** Absent: the same params. JSON, digit for digit. */
  paramsText?: string;
}
export interface TaskLogLine {
  attempt: number;
  /** Counts the lines of the attempt; gaps are lines its worker lost. */
  seq: number;
  at: Instant;
  level: LogLevel;
  message: string;
  fields: Record<string, Json> | null;
}
/**
 * Answer of `GET /api/tasks/{id}/logs?cursor&limit&attempt&level&q&pattern&tail`, oldest first, `limit` 1 to 1 000 (200). `level` is the least;
 * `q` is found in the message, colours left out, whatever the case; so is `pattern`, a regular expression without look-around, back
 * references and `\b`. `tail=true`: the newest lines. `nextCursor` goes into `cursor` for what follows: also while the
 * task runs; null once it has ended and all was read. `before` goes into `before` for the lines in front of these; null at the beginning
 * and without `tail` or `before`. A filter may leave a page short or empty although more follows.
 */
export interface TaskLogs {
  lines: TaskLogLine[];
  nextCursor: string | null;
  before: string | null;
}

export type { CheckName };
export interface ExplainCheck {
  check: CheckName;
  /** `passed` does not hold it up; `blocks` does; `unknown` could not be told; `not_applicable`. */
  result: 'passed' | 'blocks' | 'unknown' | 'not_applicable';
  reason: ReasonCode | null;
  /** Numbers and names behind the result, by check: see docs/admin-api.md. */
  evidence: Record<string, string | number | boolean | null | string[]>;
}
/** Answer of `GET /api/tasks/{id}/explain`. */
export interface TaskExplanation {
  taskId: string;
  state: TaskState;
  at: Instant;
  checks: ExplainCheck[];
  verdict: {
    /** `nothing_to_do`: it runs, or ended well. */
    kind: 'resolves_itself' | 'needs_you' | 'nothing_to_do';
    check: CheckName | null;
    reason: ReasonCode | null;
  };
  /** online → serves the group → has the handler → has its tags and zone → not draining → free room. */
  funnel: { online: number; group: number; handler: number; filter: number; accepting: number; free: number };
  /** For a task that runs or ran: who could have had it, with the figures of now. */
  candidates: { worker: string; load: number; chosen: boolean }[];
}
