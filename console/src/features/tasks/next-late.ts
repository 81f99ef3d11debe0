import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { isWaiting } from '../../components/why-task';

type Waiting = Pick<TaskSummary, 'state' | 'late' | 'dueAt'>;

/** The server calls a task late five seconds after it was due; asked a little later, its answer says so. */
const LATE_AFTER_MS = 5_500;
/** Where the two clocks differ, what is late by this one is asked for again so soon. */
const SOONEST_MS = 2_000;
const LATEST_MS = 3_600_000;

/**
 * Milliseconds until the next of these tasks becomes late, at most an hour; false if none can. Nothing happens to a task as it
 * becomes late, so no change is told of it: whoever shows it asks again at that moment.
 */
export function untilNextLate(tasks: readonly Waiting[] | undefined, now: number): number | false {
  const moments = (tasks ?? [])
    .filter((task) => !task.late && isWaiting(task))
    .map(({ dueAt }) => Date.parse(dueAt) + LATE_AFTER_MS - now);
  if (moments.length === 0) return false;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, Math.min(...moments)));
}

/**
 * As `untilNextLate`; and every `againMs` while one of them is queued, unless that is false: quotas fill, holds end and workers come
 * without a change of the task itself, and the reason why it waits is another one then.
 */
export function untilNextLook(tasks: readonly Waiting[] | undefined, now: number, againMs: number | false): number | false {
  const late = untilNextLate(tasks, now);
  if (againMs === false || !tasks?.some(({ state }) => state === 'PENDING')) return late;
  return late === false ? againMs : Math.min(late, againMs);
}
