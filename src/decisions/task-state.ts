import type { TaskState } from '@evenkeel/sdk/contract';

/**
 * THE table: what each event does to a task in each state. Pure and exhaustive by type; every write of a task's state asks it,
 * and its truth table is a test. A task in a terminal state is left only by what a retry
 * of a person or partner does: it reopens the task itself, and rearms those that were skipped because of it.
 */
export const TASK_EVENTS = [
  'due',
  'unblocked',
  'unblocked_early',
  'upstream_failed',
  'skipped',
  'split',
  'claimed',
  'refused',
  'accepted',
  'succeeded',
  'attempt_failed',
  'failed',
  'timed_out',
  'returned',
  'stopped',
  'cancel_requested',
  'cancelled',
  'reopened',
  'reopened_to_wait',
  'rearmed',
] as const;
export type TaskEvent = (typeof TASK_EVENTS)[number];

/** `late`: the task has moved on, the event changes nothing. `impossible`: the caller has a bug or a stale row. */
export type Refusal = 'late' | 'impossible';
export type Verdict = { to: TaskState } | { refused: Refusal };

const L = 'late';
const X = 'impossible';

/*
 * due              SCHEDULED or RETRYING and its time has come
 * unblocked        every upstream is done, or it is its turn; its time has come
 * unblocked_early  the same before its time
 * upstream_failed  an upstream did not succeed
 * skipped          a policy decided before it ever ran
 * split            its shards exist and are under way: a task with shards is never claimed itself
 * claimed          a node chose a worker and holds the partition
 * refused          the worker answered that it does not take the order (no attempt spent)
 * accepted         the worker confirmed it has the task
 * succeeded        the attempt's result, or every shard succeeded
 * attempt_failed   the attempt failed or timed out and another one will follow its back-off
 * failed           the attempt failed and none follows, or the shards have ended and not all succeeded
 * timed_out        the attempt timed out and none follows
 * returned         drained, or lost with crash budget left: queue again
 * stopped          the attempt, or every shard, ended because a cancel reached it
 * cancel_requested cancel while an attempt may be running: asked, not yet done
 * cancelled        cancel while no attempt can be running
 * reopened         retry by a person or partner
 * reopened_to_wait the same while another task has its turn, or an upstream is not done
 * rearmed          skipped because of an upstream that is now being retried; nobody asks it for another reason of the skip
 */
const TABLE: Record<TaskEvent, Record<TaskState, TaskState | Refusal>> = {
  // biome-ignore format: a truth table is read in columns
  due:              { SCHEDULED: 'PENDING', BLOCKED: X, PENDING: L, DISPATCHED: L, RUNNING: L, RETRYING: 'PENDING', SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  unblocked:        { SCHEDULED: L, BLOCKED: 'PENDING', PENDING: L, DISPATCHED: L, RUNNING: L, RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  unblocked_early:  { SCHEDULED: L, BLOCKED: 'SCHEDULED', PENDING: L, DISPATCHED: L, RUNNING: L, RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  upstream_failed:  { SCHEDULED: X, BLOCKED: 'SKIPPED', PENDING: X, DISPATCHED: X, RUNNING: X, RETRYING: X, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  skipped:          { SCHEDULED: 'SKIPPED', BLOCKED: 'SKIPPED', PENDING: 'SKIPPED', DISPATCHED: X, RUNNING: X, RETRYING: X, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  split:            { SCHEDULED: X, BLOCKED: X, PENDING: 'RUNNING', DISPATCHED: X, RUNNING: L, RETRYING: X, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  claimed:          { SCHEDULED: X, BLOCKED: X, PENDING: 'DISPATCHED', DISPATCHED: L, RUNNING: L, RETRYING: X, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  refused:          { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'PENDING', RUNNING: L, RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  accepted:         { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'RUNNING', RUNNING: L, RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  succeeded:        { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'SUCCEEDED', RUNNING: 'SUCCEEDED', RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  attempt_failed:   { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'RETRYING', RUNNING: 'RETRYING', RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  failed:           { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'FAILED', RUNNING: 'FAILED', RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  timed_out:        { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'TIMED_OUT', RUNNING: 'TIMED_OUT', RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  returned:         { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'PENDING', RUNNING: 'PENDING', RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  stopped:          { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: 'CANCELLED', RUNNING: 'CANCELLED', RETRYING: L, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  cancel_requested: { SCHEDULED: X, BLOCKED: X, PENDING: X, DISPATCHED: 'DISPATCHED', RUNNING: 'RUNNING', RETRYING: X, SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  cancelled:        { SCHEDULED: 'CANCELLED', BLOCKED: 'CANCELLED', PENDING: 'CANCELLED', DISPATCHED: X, RUNNING: X, RETRYING: 'CANCELLED', SUCCEEDED: L, FAILED: L, TIMED_OUT: L, CANCELLED: L, SKIPPED: L },
  // biome-ignore format: a truth table is read in columns
  reopened:         { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: L, RUNNING: L, RETRYING: L, SUCCEEDED: X, FAILED: 'PENDING', TIMED_OUT: 'PENDING', CANCELLED: 'PENDING', SKIPPED: X },
  // biome-ignore format: a truth table is read in columns
  reopened_to_wait: { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: L, RUNNING: L, RETRYING: L, SUCCEEDED: X, FAILED: 'BLOCKED', TIMED_OUT: 'BLOCKED', CANCELLED: 'BLOCKED', SKIPPED: X },
  // biome-ignore format: a truth table is read in columns
  rearmed:          { SCHEDULED: L, BLOCKED: L, PENDING: L, DISPATCHED: L, RUNNING: L, RETRYING: L, SUCCEEDED: X, FAILED: X, TIMED_OUT: X, CANCELLED: X, SKIPPED: 'BLOCKED' },
};

/** What `event` does to a task in `state`. */
export function transition(state: TaskState, event: TaskEvent): Verdict {
  const cell = TABLE[event][state];
  return cell === L || cell === X ? { refused: cell } : { to: cell };
}
