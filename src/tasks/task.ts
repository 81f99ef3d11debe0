import type { ReasonCode, RetryPolicy, Routing, TaskState, TerminalState } from '@evenkeel/sdk/contract';
import type { Group } from '../jobs/group.js';

/** What a task may state instead of the defaults; stored with it as JSON, absent when nothing is stated. */
export interface TaskOptions {
  retry?: RetryPolicy;
  repeatable?: false;
  routing?: Routing;
}

/** A task to be inserted: checked, with defaults applied by the caller. */
export interface NewTask {
  appId: number | null;
  clientRequestId: string | null;
  /** Hex SHA-256 of the request as the client stated it; compared on a replay. Null without a clientRequestId. */
  fingerprint: string | null;
  group: Group;
  handler: string;
  /** JSON text, stored and delivered as it is. */
  params: string;
  priority: number;
  timeoutMs: number;
  /** Epoch milliseconds, or null for now. */
  runAt: number | null;
  /** Milliseconds after the moment of the insert; 0 for none. Excludes runAt. */
  delayMs: number;
  options: TaskOptions;
  metadata: Record<string, string> | null;
  /** Whom its end is told, besides the endpoints of the app; checked by the caller. */
  callbackUrl: string | null;
  /** Who asked, for the timeline: `app:<public id>`, `user:<name>`, `job:<key>`. */
  actor: string;
}

/** The immutable columns a receipt is made of. */
export interface TaskReceiptRecord {
  id: string;
  clientRequestId: string | null;
  handler: string;
  groupId: number;
  scheduledAt: number;
  createdAt: number;
  /** SCHEDULED if it was planned after its creation, else PENDING. */
  firstState: TaskState;
}

export type SubmitOutcome =
  | { outcome: 'accepted' | 'replayed'; task: TaskReceiptRecord }
  /** The clientRequestId belongs to a task with other parameters. */
  | { outcome: 'reused'; existingTaskId: string }
  /** The same clientRequestId is still being written after the retries. */
  | { outcome: 'in_progress' };

/** One task as stored, in application terms. Instants are epoch milliseconds. */
export interface TaskRecord extends TaskReceiptRecord {
  partition: number;
  appId: number | null;
  state: TaskState;
  version: number;
  priority: number;
  dueAt: number;
  params: string | null;
  options: TaskOptions;
  metadata: Record<string, string>;
  callbackUrl: string | null;
  timeoutMs: number;
  attempt: number;
  retries: number;
  crashes: number;
  lease: number | null;
  workerId: string | null;
  workerIncarnation: string | null;
  claimedAt: number | null;
  startedAt: number | null;
  endedAt: number | null;
  cancelAskedAt: number | null;
  reason: ReasonCode | null;
  /** JSON text. */
  result: string | null;
  error: { name: string; message: string; stack?: string } | null;
  /** As stored: `parseTimeline` reads it. */
  timeline: string;
  /** The job that made it; null for a submitted task. Kept when the job is deleted. */
  jobId: string | null;
  /** The fire it stands for; null for a run asked for by hand and for a submitted task. */
  fireAt: number | null;
}

/** An attempt that was followed by another one, or whose result came late. */
export interface AttemptRecord {
  attempt: number;
  lease: number;
  workerId: string;
  startedAt: number | null;
  endedAt: number | null;
  outcome: 'failed' | 'timed_out' | 'drained' | 'lost' | 'late' | 'cancelled';
  error: { name: string; message: string; stack?: string } | null;
}

export interface TaskFilter {
  appId: number;
  states?: TaskState[];
  clientRequestId?: string;
  handler?: string;
  groupId?: number;
  jobId?: string;
  /** Epoch milliseconds, inclusive. */
  createdAfter?: number;
  createdBefore?: number;
  /** Only tasks with an id below this one (newest first). */
  before?: string;
  limit: number;
}

export type CancelOutcome =
  | { outcome: 'not_found' }
  | { outcome: 'cancelled'; task: TaskRecord }
  /** An attempt may be running: its worker is told; the end follows. */
  | { outcome: 'requested'; task: TaskRecord }
  | { outcome: 'already_terminal'; state: TerminalState };
