import type { ReasonCode, ShardProgress } from '@evenkeel/sdk/contract';
import { type AttemptView, isTerminal, type TaskList, type TaskReceipt, type TaskView } from '@evenkeel/sdk/contract';
import { parseTimeline, type TimelineStep } from '../decisions/timeline.js';
import type { AttemptRecord, TaskReceiptRecord, TaskRecord } from '../tasks/task.js';

const iso = (atMs: number): string => new Date(atMs).toISOString();
const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : iso(atMs));

/** Made of immutable columns only, so that a replay answers the same bytes whatever became of the task. */
export function receiptOf(task: TaskReceiptRecord, groupKey: string): TaskReceipt {
  return {
    id: task.id,
    clientRequestId: task.clientRequestId,
    handler: task.handler,
    group: groupKey,
    status: task.firstState,
    dueAt: iso(task.scheduledAt),
    createdAt: iso(task.createdAt),
  };
}

/** What is computed when somebody asks. */
export interface Computed {
  /** Why it is not running. */
  waiting: ReasonCode | null;
  /** How far its shards are, if it has any. */
  shards: ShardProgress | null;
}

/** What lists show: everything but what may be large. */
export function summaryOf(task: TaskRecord, groupKey: string, { waiting, shards }: Computed): TaskList['items'][number] {
  return {
    ...receiptOf(task, groupKey),
    status: task.state,
    dueAt: iso(task.dueAt),
    priority: task.priority,
    timeoutMs: task.timeoutMs,
    scheduledAt: iso(task.scheduledAt),
    jobId: task.jobId,
    flowId: task.flowId,
    parentId: task.parentId,
    shard: shardOf(task),
    shards,
    startedAt: isoOrNull(task.startedAt),
    finishedAt: isTerminal(task.state) ? isoOrNull(task.endedAt) : null,
    attempt: task.attempt,
    reason: isTerminal(task.state) ? task.reason : waiting,
    cancelRequested: task.cancelAskedAt !== null,
    progress: progressOf(task, shards),
    error: task.error,
    metadata: task.metadata,
    callbackUrl: task.callbackUrl,
  };
}

/**
 * JSON text of a TaskView. `params` and `result` are written as they are stored: passing them through JavaScript's numbers would
 * change what the partner or the handler wrote.
 */
export function taskViewText(task: TaskRecord, ended: AttemptRecord[], groupKey: string, computed: Computed): string {
  const view: Omit<TaskView, 'params' | 'result'> = {
    ...summaryOf(task, groupKey, computed),
    timeline: parseTimeline(task.timeline).map(timelineEntry),
    attempts: attemptsOf(task, ended),
  };
  return `${JSON.stringify(view).slice(0, -1)},"params":${task.params ?? 'null'},"result":${task.result ?? 'null'}}`;
}

function shardOf({ shardIndex, shardTotal, options: { share } }: TaskRecord): TaskView['shard'] {
  if (shardIndex === null || shardTotal === null) return null;
  return { index: shardIndex, total: shardTotal, ...(share ? { share } : {}) };
}

function timelineEntry({ at, lastAt, ...entry }: TimelineStep): TaskView['timeline'][number] {
  return { ...entry, at: iso(at), ...(lastAt === undefined ? {} : { lastAt: iso(lastAt) }) };
}

/** Attempts that another followed have rows of their own; the current or last one is columns of the task. */
function attemptsOf(task: TaskRecord, ended: AttemptRecord[]): AttemptView[] {
  const views: AttemptView[] = ended.map((row) => ({
    attempt: row.attempt,
    worker: row.workerId,
    startedAt: isoOrNull(row.startedAt),
    endedAt: isoOrNull(row.endedAt),
    outcome: row.outcome,
    error: row.error,
  }));
  const current = currentAttempt(task);
  if (current && !views.some((view) => view.attempt === current.attempt)) views.push(current);
  return views.sort((a, b) => a.attempt - b.attempt);
}

const OUTCOMES: Partial<Record<TaskRecord['state'], AttemptView['outcome']>> = {
  DISPATCHED: 'running',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  CANCELLED: 'cancelled',
};

function currentAttempt(task: TaskRecord): AttemptView | null {
  const outcome = OUTCOMES[task.state];
  if (!outcome || task.attempt === 0 || task.workerId === null) return null;
  return {
    attempt: task.attempt,
    worker: task.workerId,
    startedAt: isoOrNull(task.startedAt),
    endedAt: outcome === 'running' ? null : isoOrNull(task.endedAt),
    outcome,
    error: outcome === 'running' ? null : task.error,
  };
}

/** Of a task with shards: how many have ended; else what its worker last said. */
function progressOf(task: TaskRecord, shards: ShardProgress | null): number | null {
  if (shards) return shards.total > 0 ? shards.done / shards.total : null;
  return task.state === 'SUCCEEDED' && task.progress !== null ? 1 : task.progress;
}
