import type { FieldError, ProblemCode } from './errors.js';
import type { Json } from './json.js';
import type { ReasonCode, TaskState } from './task-states.js';

/** How failed attempts are repeated. Durations in milliseconds. */
export type RetryPolicy =
  | { kind: 'none' }
  | { kind: 'fixed'; maxRetries: number; delayMs: number }
  | { kind: 'exponential'; maxRetries: number; delayMs: number; factor?: number; maxDelayMs?: number; jitter?: number }
  | { kind: 'list'; delaysMs: number[] };

export const ROUTINGS = ['equal_cost', 'round_robin', 'random'] as const;
export type Routing = (typeof ROUTINGS)[number];

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
  metadata?: Record<string, string>;
  /** Where the end of the task is told, besides the endpoints of the app; on a host of the app. */
  callbackUrl?: string;
  clientRequestId?: string;
  /** true: refuse the task unless a live worker has the handler. */
  requireHandler?: boolean;
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
  limits: { requestsPerSecond: number; requestBurst: number; tasksPerSecond: number; taskBurst: number };
  serverTime: string;
}
