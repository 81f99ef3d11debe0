import type {
  AttemptResult,
  ReasonCode,
  RetryPolicy,
  Routing,
  TaskError,
  TaskState,
  TerminalState,
} from '@evenkeel/sdk/contract';
import type { Group } from '../jobs/group.js';
import type { Sql } from '../ports.js';

/** What a task may state instead of the defaults; stored with it as JSON, absent when nothing is stated. */
export interface TaskOptions {
  retry?: RetryPolicy;
  repeatable?: false;
  routing?: Routing;
  crashRetries?: number;
  /** Of a task with shards: the others stop when one did not succeed. */
  onShardFailure?: 'stop';
  /** Of a shard of a broadcast: the part of 0 to 1 it answers for. */
  share?: { from: number; to: number };
  routingKey?: string;
  preferZone?: string;
  workerTags?: string[];
  workerZone?: string;
}

/** A number of shards, or one for each worker that can take it when it falls due. */
export type Shards = number | 'broadcast';

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
  /** Absent: it is not divided. */
  shards?: Shards;
  metadata: Record<string, string> | null;
  /** Ids of the app's tasks that must succeed first; absent for none. */
  dependsOn?: readonly string[];
  /** Ids of the groups whose tasks it may depend on; absent for all of the app's. */
  upstreamGroups?: readonly number[];
  /** What the caller expects it to take; kept for nobody, it only decides whether to wait for it. */
  expectedDurationMs?: number;
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
  /** SCHEDULED if it was planned after its creation, else PENDING; of a task with upstreams, the state it was stored in. */
  firstState: TaskState;
}

export type SubmitOutcome =
  | { outcome: 'accepted' | 'replayed'; task: TaskReceiptRecord }
  /** The clientRequestId belongs to a task with other parameters. */
  | { outcome: 'reused'; existingTaskId: string }
  /** The same clientRequestId is still being written after the retries. */
  | { outcome: 'in_progress' }
  /** These places of `dependsOn` name no task of the app. */
  | { outcome: 'unknown_upstreams'; places: number[] };

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
  /** 0 to 1, of the current attempt or the last one; null if it never said so, and where it was not read. */
  progress: number | null;
  /** When its checkpoint was saved; null while it has none. */
  checkpointAt: number | null;
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
  /** The flow it belongs to: the id of the task the flow began with; null outside any. */
  flowId: string | null;
  /** Submitted tasks depend on it. */
  awaited: boolean;
  /** The task it is a shard of. */
  parentId: string | null;
  /** Of a shard. */
  shardIndex: number | null;
  /** Of a shard: how many there are. Of a task with shards: how many, 0 while a broadcast waits to be divided. */
  shardTotal: number | null;
  pinnedWorkerId: string | null;
}

/** It is divided into shards: no worker ever gets it, its shards decide its end. */
export const hasShards = (task: Pick<TaskRecord, 'parentId' | 'shardTotal'>): boolean =>
  task.parentId === null && task.shardTotal !== null;

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

/** What a worker reported of an attempt when it had been given up already. */
export interface LateResult {
  attempt: number;
  at: number;
  outcome: AttemptResult['outcome'];
  error: TaskError | null;
  /** JSON exactly as it was sent. */
  result: string | null;
}

export interface TaskFilter {
  appId: number;
  states?: TaskState[];
  clientRequestId?: string;
  handler?: string;
  /** Only tasks of these groups. */
  groupIds?: readonly number[];
  jobId?: string;
  flowId?: string;
  /** Only the shards of this task; absent: no shards at all. */
  parentId?: string;
  /** Epoch milliseconds, inclusive. */
  createdAfter?: number;
  createdBefore?: number;
  /** Only tasks with an id below this one (newest first). */
  before?: string;
  limit: number;
}

/** Writes more in the transaction of a change of one task. */
export type AlsoWritten = (tx: Sql, before: TaskRecord, after: TaskRecord) => Promise<void>;

export type RetryOutcome =
  | { outcome: 'not_found' }
  | { outcome: 'retried'; task: TaskRecord }
  | { outcome: 'not_retryable'; state: TaskState };

export type CancelOutcome =
  | { outcome: 'not_found' }
  | { outcome: 'cancelled'; task: TaskRecord }
  /** An attempt may be running: its worker is told; the end follows. */
  | { outcome: 'requested'; task: TaskRecord }
  | { outcome: 'already_terminal'; state: TerminalState };

export type ForceOutcome =
  | { outcome: 'not_found' }
  /** No cancel was asked for. */
  | { outcome: 'not_asked' }
  | { outcome: 'too_early'; waitMs: number }
  | { outcome: 'already_terminal'; state: TerminalState }
  | { outcome: 'forced'; task: TaskRecord };
