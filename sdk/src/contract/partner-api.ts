import type { FieldError, ProblemCode } from './errors.js';
import type { Json } from './json.js';
import type { ReasonCode, TaskState } from './task-states.js';
import type { LogLevel } from './worker-protocol.js';

/** How failed attempts are repeated. Durations in milliseconds. */
export type RetryPolicy =
  | { kind: 'none' }
  | { kind: 'fixed'; maxRetries: number; delayMs: number }
  | { kind: 'exponential'; maxRetries: number; delayMs: number; factor?: number; maxDelayMs?: number; jitter?: number }
  | { kind: 'list'; delaysMs: number[] };

export const ROUTINGS = ['equal_cost', 'round_robin', 'random', 'consistent_hash'] as const;
export type Routing = (typeof ROUTINGS)[number];

export const SHARD_FAILURE_RULES = ['continue', 'stop'] as const;
/** What becomes of the other shards when one of them did not succeed. */
export type ShardFailureRule = (typeof SHARD_FAILURE_RULES)[number];

/** A part of the work: `index` of `total`; of a broadcast also its share of 0 to 1 (`from` included, `to` not). */
export interface ShardView {
  index: number;
  total: number;
  share?: { from: number; to: number };
}
/** How far the shards of a task are. `done` counts every end, `failed` those of them that are no success. */
export interface ShardProgress {
  total: number;
  done: number;
  failed: number;
  running: number;
  pending: number;
}
/** `result` of a task with shards once it has ended: counts, and the first hundred shards. */
export interface ShardsResult {
  total: number;
  succeeded: number;
  failed: number;
  timedOut: number;
  cancelled: number;
  shards: { index: number; taskId: string; status: TaskState; result?: Json; resultOmitted?: true; error?: string }[];
}

/** Body of `POST /openapi/v1/tasks` and one item of a batch. */
export interface SubmitTask {
  handler: string;
  params?: Json;
  group?: string;
  /** RFC 3339 instant; excludes `delayMs`. */
  runAt?: string;
  delayMs?: number;
  /** 1 to 10, 10 first; 5 if absent. */
  priority?: number;
  /** Limit of one attempt; 0 = no limit; 60 000 if absent. */
  timeoutMs?: number;
  retry?: RetryPolicy;
  /** false: an attempt that may have started is never repeated by itself. */
  repeatable?: boolean;
  routing?: Routing;
  /** Divides the work into that many shards, or one for each worker that can take it when it falls due. */
  shards?: number | 'broadcast';
  /** `continue` if absent. */
  onShardFailure?: ShardFailureRule;
  /** What `consistent_hash` goes by; the job's id if absent, else the task's. */
  routingKey?: string;
  /** Workers of this zone are chosen while one of them has room, whatever the strategy. */
  preferZone?: string;
  /** Only workers that have all these tags. */
  workerTags?: string[];
  /** Only workers of this zone. */
  workerZone?: string;
  metadata?: Record<string, string>;
  /** Where the end of the task is told, besides the endpoints of the app; on a host of the app. */
  callbackUrl?: string;
  clientRequestId?: string;
  /** true: refuse the task unless a live worker has the handler. */
  requireHandler?: boolean;
  /** Ids of the app's tasks that must succeed first. */
  dependsOn?: string[];
  /** How long the work is expected to take; from 3 000 on, `POST /tasks/run` refuses to wait for it. */
  expectedDurationMs?: number;
}

/** Body of `POST /openapi/v1/events`. */
export interface SendEvent {
  clientRequestId: string;
  name: string;
  payload?: Json;
}
/** The immutable receipt of an event; a replay answers the same bytes. */
export interface EventReceipt {
  id: string;
  clientRequestId: string;
  name: string;
  /** Of the tasks of the sender's app that it fired, skipped ones included. */
  taskIds: string[];
  createdAt: string;
}

/** The immutable receipt of a submit; a replay answers the same bytes. */
export interface TaskReceipt {
  id: string;
  clientRequestId: string | null;
  handler: string;
  group: string;
  status: TaskState;
  dueAt: string;
  createdAt: string;
}

export interface BatchRequest {
  items: (SubmitTask & { clientRequestId: string })[];
}
export interface BatchItemResult {
  index: number;
  clientRequestId: string | null;
  outcome: 'accepted' | 'replayed' | 'rejected';
  task?: TaskReceipt;
  error?: { code: ProblemCode; detail: string; errors?: FieldError[]; existingTaskId?: string };
}
export interface BatchAnswer {
  summary: { accepted: number; replayed: number; rejected: number };
  results: BatchItemResult[];
}

export interface TimelineEntry {
  /** Version of the task after the write; strictly increasing. */
  seq: number;
  from: TaskState | null;
  to: TaskState;
  at: string;
  actor: string;
  reason?: ReasonCode;
  attempt?: number;
  worker?: string;
  /** How many like this one in a row were folded into this entry; absent = 1. */
  count?: number;
  /** When the last of them was, if folded. */
  lastAt?: string;
}

export interface TaskError {
  name: string;
  message: string;
  stack?: string;
}

export type AttemptOutcome = 'running' | 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'drained' | 'lost' | 'late';
export interface AttemptView {
  attempt: number;
  worker: string | null;
  startedAt: string | null;
  endedAt: string | null;
  outcome: AttemptOutcome;
  error: TaskError | null;
}

export interface TaskView extends TaskReceipt {
  params: Json;
  priority: number;
  timeoutMs: number;
  scheduledAt: string;
  /** The job that made it; null for a submitted task. */
  jobId: string | null;
  /** The task its flow began with; null outside any flow. */
  flowId: string | null;
  /** The task this is a shard of, and which; null for a task that is none. */
  parentId: string | null;
  shard: ShardView | null;
  /** Null for a task without shards. */
  shards: ShardProgress | null;
  startedAt: string | null;
  finishedAt: string | null;
  attempt: number;
  /** Why it is not running, while it is not; or why it ended as it did. */
  reason: ReasonCode | null;
  cancelRequested: boolean;
  progress: number | null;
  result: Json;
  error: TaskError | null;
  metadata: Record<string, string>;
  callbackUrl: string | null;
  timeline: TimelineEntry[];
  attempts: AttemptView[];
}

export interface TaskList {
  items: Omit<TaskView, 'timeline' | 'attempts' | 'params' | 'result'>[];
  nextCursor: string | null;
}

export interface MeAnswer {
  app: { id: string; name: string };
  accessKey: string;
  scopes: string[];
  groups: string[];
  defaultGroup: string;
  limits: {
    requestsPerSecond: number;
    requestBurst: number;
    tasksPerSecond: number;
    taskBurst: number;
    /** Tasks of the app that have not ended; about so many, counted every few seconds. */
    unfinishedTasks: number;
    /** Callbacks of the app that wait to be sent; beyond them submits that state a `callbackUrl` are refused. */
    pendingCallbacks: number;
  };
  /** Callbacks that wait to be sent, counted every few seconds. */
  callbacks: { pending: number };
  serverTime: string;
}

/** One line an attempt wrote. */
export interface TaskLogLine {
  attempt: number;
  /** Counts the lines of the attempt from 1. */
  seq: number;
  at: string;
  level: LogLevel;
  message: string;
  fields?: { [name: string]: Json };
}
/** Answer of `GET /openapi/v1/tasks/{id}/logs`: all attempts in order. */
export interface TaskLogPage {
  items: TaskLogLine[];
  /** For the lines after these; null once the task has ended and all of them were read. */
  nextCursor: string | null;
}
