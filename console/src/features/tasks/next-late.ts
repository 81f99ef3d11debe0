import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';

type Waiting = Pick<TaskSummary, 'state' | 'late' | 'dueAt'>;

const WAITING: ReadonlySet<string> = new Set(['SCHEDULED', 'BLOCKED', 'PENDING', 'RETRYING'] satisfies TaskSummary['state'][]);
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
    .filter(({ state, late }) => !late && WAITING.has(state))
    .map(({ dueAt }) => Date.parse(dueAt) + LATE_AFTER_MS - now);
  if (moments.length === 0) return false;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, Math.min(...moments)));
}
