import { type AttemptView, isTerminal, type ReasonCode, type ShardProgress } from '@evenkeel/sdk/contract';
import { stateOf } from '../../decisions/state-codes.js';
import { parseTimeline } from '../../decisions/timeline.js';
import type { AskedAbout } from '../../dispatch/explain.service.js';
import { PROGRESS_PARTS } from '../../tasks/progress.store.js';
import { objectOf, storedOptions } from '../../tasks/stored-json.js';
import type { AttemptRecord, LateResult as LateResultRecord, TaskRecord } from '../../tasks/task.js';
import { type Divided, FORCE_AFTER_MS } from '../../tasks/tasks.service.js';
import type { LateResult, TaskDetail, TaskSummary, TriggerName } from '../contract/tasks.js';
import { iso, isoOrNull } from '../request-parts.js';
import { LATE_MS } from './task-filters.js';
import { WAITING_STATES } from './task-search.js';
import type { ListedTaskRow } from './task-search.store.js';

export interface TaskNames {
  group: string;
  job: TaskSummary['job'];
  app: TaskSummary['app'];
}
const number = (value: number | string | null): number | null => (value === null ? null : Number(value));

/** `shards`: how far they are, of a task that has any. `waiting`: why it does not run, if it has not ended and somebody asked. */
export function summaryOfRow(
  row: ListedTaskRow,
  names: TaskNames,
  now: number,
  { shards, waiting }: { shards: ShardProgress | null; waiting: ReasonCode | null },
): TaskSummary {
  const state = stateOf(row.state);
  const dueAt = Number(row.due_at);
  const error = objectOf<{ name: string; message: string }>(row.error_json);
  return {
    id: row.id,
    state,
    late: WAITING_STATES.includes(Number(row.state)) && dueAt < now - LATE_MS,
    ...names,
    handler: row.handler,
    clientRequestId: row.client_request_id,
    trigger: triggerOf(row),
    priority: row.priority,
    createdAt: iso(Number(row.created_at)),
    scheduledAt: iso(Number(row.scheduled_at)),
    dueAt: iso(dueAt),
    startedAt: isoOrNull(number(row.started_at)),
    finishedAt: isTerminal(state) ? isoOrNull(number(row.ended_at)) : null,
    attempt: begunAttempt(row.attempt, row.worker_id, number(row.started_at)),
    worker: row.worker_id,
    reason: isTerminal(state) ? (row.reason as ReasonCode | null) : waiting,
    cancelRequested: row.cancel_asked_at !== null,
    error: error && { name: error.name, message: error.message },
    version: row.version,
    progress: progressOf(row, shards),
    parentId: row.parent_id,
    shard: row.shard_index === null || row.parent_id === null ? null : { index: row.shard_index, total: row.shard_total ?? 0 },
    shards,
    flowId: row.flow_id,
  };
}

/** The number of the attempt that runs or ran last. Until a worker gets it, what the record counts is the attempt to come. */
export function begunAttempt(counted: number, workerId: string | null, startedAt: number | null): number | null {
  const begun = workerId === null && startedAt === null ? counted - 1 : counted;
  return begun > 0 ? begun : null;
}

/** What the reason is told from that it waits for. */
export const askedAbout = (row: ListedTaskRow): AskedAbout => ({
  id: row.id,
  state: stateOf(row.state),
  reason: row.reason as ReasonCode | null,
  groupId: row.group_id,
  handler: row.handler,
  options: storedOptions(row.options_json),
  pinnedWorkerId: row.pinned_worker_id,
  cancelAskedAt: number(row.cancel_asked_at),
  startedAt: number(row.started_at),
  timeoutMs: Number(row.timeout_ms),
  parentId: row.parent_id,
  shardTotal: row.shard_total,
});

function progressOf({ progress, state }: ListedTaskRow, shards: ShardProgress | null): number | null {
  if (shards) return shards.total === 0 ? null : shards.done / shards.total;
  if (progress === null) return null;
  return stateOf(state) === 'SUCCEEDED' ? 1 : progress / PROGRESS_PARTS;
}

const FIRST_ACTOR = /^\[1,null,\d+,\d+,"(\w+):/;

/** What made it; of a task that no time fired, who made it tells. */
function triggerOf(row: ListedTaskRow): TriggerName {
  if (row.parent_id !== null) return 'shard';
  if (row.backfill_key) return 'backfill';
  if (row.job_id === null) return 'api';
  if (row.fire_at !== null) return 'schedule';
  const kind = FIRST_ACTOR.exec(row.timeline_head)?.[1];
  if (kind === 'event') return 'event';
  return kind === 'job' || kind === 'task' ? 'upstream' : 'manual';
}

type Beside = Pick<TaskDetail, 'upstreams' | 'downstreams' | 'deliveries' | 'permissions'>;

/** `waiting` is why it does not run, computed now. */
export function detailOf(
  summary: TaskSummary,
  task: TaskRecord,
  ended: readonly AttemptRecord[],
  late: readonly LateResultRecord[],
  { waiting, ...beside }: Beside & { waiting: ReasonCode | null },
): TaskDetail {
  const timeline = parseTimeline(task.timeline);
  const { share: _, ...policies } = task.options;
  return {
    ...summary,
    reason: isTerminal(task.state) ? task.reason : waiting,
    error: task.error,
    timeoutMs: task.timeoutMs,
    paramsText: task.params ?? 'null',
    resultText: task.result,
    metadata: task.metadata,
    timeline: timeline.map(({ at, lastAt, ...step }) => ({ ...step, at: iso(at), ...(lastAt ? { lastAt: iso(lastAt) } : {}) })),
    attempts: attemptsOf(task, ended).map((attempt) => ({ ...attempt, late: lateOf(attempt, late) })),
    retries: task.retries,
    crashes: task.crashes,
    actor: timeline[0]?.actor ?? null,
    callbackUrl: task.callbackUrl,
    policies,
    workerFilter: { tags: task.options.workerTags ?? [], zone: task.options.workerZone ?? null },
    cancel:
      task.cancelAskedAt === null || isTerminal(task.state)
        ? null
        : { askedAt: iso(task.cancelAskedAt), forceFrom: iso(task.cancelAskedAt + FORCE_AFTER_MS) },
    ...beside,
  };
}

/** What the progress of its shards is told from. */
export const dividedOf = (row: ListedTaskRow): Divided => ({
  id: row.id,
  state: stateOf(row.state),
  parentId: row.parent_id,
  shardTotal: row.shard_total,
  result: row.shards_result,
});

const OUTCOMES: Partial<Record<TaskRecord['state'], AttemptView['outcome']>> = {
  DISPATCHED: 'running',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  CANCELLED: 'cancelled',
};

/** Attempts that another followed have rows of their own; the current or last one is columns of the task. */
function attemptsOf(task: TaskRecord, ended: readonly AttemptRecord[]): AttemptView[] {
  const views: AttemptView[] = ended.map(({ attempt, workerId, startedAt, endedAt, outcome, error }) => ({
    attempt,
    worker: workerId,
    startedAt: isoOrNull(startedAt),
    endedAt: isoOrNull(endedAt),
    outcome,
    error,
  }));
  const outcome = OUTCOMES[task.state];
  if (outcome && task.workerId !== null && !views.some(({ attempt }) => attempt === task.attempt)) {
    const over = outcome !== 'running';
    views.push({
      attempt: task.attempt,
      worker: task.workerId,
      startedAt: isoOrNull(task.startedAt),
      endedAt: over ? isoOrNull(task.endedAt) : null,
      outcome,
      error: over ? task.error : null,
    });
  }
  return views.sort((a, b) => a.attempt - b.attempt);
}

function lateOf({ attempt }: AttemptView, late: readonly LateResultRecord[]): LateResult | null {
  const found = late.find((each) => each.attempt === attempt);
  if (!found) return null;
  const { at, outcome, error, result } = found;
  return { at: iso(at), outcome, error, resultText: result };
}
