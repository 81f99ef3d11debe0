import { type AttemptView, isTerminal, type ReasonCode } from '@evenkeel/sdk/contract';
import { STATE_CODE, stateOf } from '../../decisions/state-codes.js';
import { parseTimeline } from '../../decisions/timeline.js';
import type { AttemptRecord, TaskRecord } from '../../tasks/task.js';
import type { TaskDetail, TaskSummary, TriggerName } from '../contract/tasks.js';
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

/** `waiting` is why it does not run, computed now; lists without it show what is stored. */
export function summaryOfRow(row: ListedTaskRow, names: TaskNames, now: number, waiting: ReasonCode | null): TaskSummary {
  const state = stateOf(row.state);
  const dueAt = Number(row.due_at);
  const error = row.error_json === null ? null : (JSON.parse(row.error_json) as { name: string; message: string });
  return {
    id: row.id,
    state,
    late: WAITING_STATES.includes(Number(row.state)) && dueAt < now - LATE_MS,
    ...names,
    handler: row.handler,
    clientRequestId: row.client_request_id,
    trigger: triggerOf(row.job_id, row.fire_at),
    priority: row.priority,
    createdAt: iso(Number(row.created_at)),
    scheduledAt: iso(Number(row.scheduled_at)),
    dueAt: iso(dueAt),
    startedAt: isoOrNull(number(row.started_at)),
    finishedAt: isTerminal(state) ? isoOrNull(number(row.ended_at)) : null,
    attempt: row.attempt,
    worker: row.worker_id,
    reason: isTerminal(state) ? (row.reason as ReasonCode | null) : waiting,
    cancelRequested: row.cancel_asked_at !== null,
    error: error && { name: error.name, message: error.message },
    version: row.version,
  };
}

const triggerOf = (jobId: string | null, fireAt: number | string | null): TriggerName =>
  jobId === null ? 'api' : fireAt === null ? 'manual' : 'schedule';

export function detailOf(
  task: TaskRecord,
  ended: readonly AttemptRecord[],
  names: TaskNames,
  now: number,
  waiting: ReasonCode | null,
  permissions: string[],
): TaskDetail {
  const timeline = parseTimeline(task.timeline);
  return {
    ...summaryOfRow(rowOf(task), names, now, waiting),
    error: task.error,
    timeoutMs: task.timeoutMs,
    paramsText: task.params ?? 'null',
    resultText: task.result,
    metadata: task.metadata,
    timeline: timeline.map(({ at, lastAt, ...step }) => ({ ...step, at: iso(at), ...(lastAt ? { lastAt: iso(lastAt) } : {}) })),
    attempts: attemptsOf(task, ended),
    retries: task.retries,
    crashes: task.crashes,
    actor: timeline[0]?.actor ?? null,
    permissions,
  };
}

/** The same columns as the list reads, from the whole record. */
function rowOf(task: TaskRecord): ListedTaskRow {
  return {
    id: task.id,
    group_id: task.groupId,
    app_id: task.appId,
    client_request_id: task.clientRequestId,
    handler: task.handler,
    state: STATE_CODE[task.state],
    version: task.version,
    priority: task.priority,
    created_at: task.createdAt,
    scheduled_at: task.scheduledAt,
    due_at: task.dueAt,
    started_at: task.startedAt,
    ended_at: task.endedAt,
    attempt: task.attempt,
    worker_id: task.workerId,
    reason: task.reason,
    cancel_asked_at: task.cancelAskedAt,
    error_json: null,
    job_id: task.jobId,
    fire_at: task.fireAt,
  };
}

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
