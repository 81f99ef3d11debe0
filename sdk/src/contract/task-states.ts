/** The states of a task. Exactly one at a time; the last five are terminal and never left by themselves. */
export const TASK_STATES = [
  'SCHEDULED',
  'BLOCKED',
  'PENDING',
  'DISPATCHED',
  'RUNNING',
  'RETRYING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'SKIPPED',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export const TERMINAL_STATES = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED'] as const;
export type TerminalState = (typeof TERMINAL_STATES)[number];

const terminal: ReadonlySet<TaskState> = new Set(TERMINAL_STATES);
export const isTerminal = (state: TaskState): state is TerminalState => terminal.has(state);

/**
 * Why a task waits, was refused, retried, skipped or ended: one closed list, explained in words by the API and the console.
 * A code is never renamed or reused: timelines keep it for as long as the task is kept.
 */
export const REASON_CODES = [
  // waiting (computed when asked, never written for each waiting task)
  'not_due',
  'no_worker',
  'workers_busy',
  'group_quota',
  'group_hold',
  'maintenance_hold',
  'dispatching',
  'retry_backoff',
  'cancel_requested',
  'waiting_for_abort',
  'waiting_for_turn',
  'waiting_for_upstream',
  'waiting_for_shards',
  'dispatch_rate',
  // a worker refused the order
  'busy',
  'draining',
  'unknown_handler',
  'no_lease',
  'unreachable',
  'unauthorised',
  'order_too_large',
  'stale_incarnation',
  // an attempt ended
  'handler_failed',
  'not_retryable',
  'invalid_params',
  'retries_exhausted',
  'attempt_timed_out',
  'result_too_large',
  'drained',
  'lease_lost',
  'worker_lost',
  'crash_retries_exhausted',
  'not_repeatable',
  'did_not_stop',
  'late_result',
  // a job's policy decided
  'overlap',
  'misfire_window',
  'replaced',
  'upstream_failed',
  'shard_failed',
  // somebody decided
  'cancelled_by_partner',
  'cancelled_by_operator',
  'retried_by_partner',
  'retried_by_operator',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];
