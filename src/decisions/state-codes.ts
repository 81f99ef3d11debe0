import { TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';

/** The number each state is stored as. Never renumbered: rows and indexes keep them. */
export const STATE_CODE: Readonly<Record<TaskState, number>> = {
  SCHEDULED: 1,
  BLOCKED: 2,
  PENDING: 3,
  DISPATCHED: 4,
  RUNNING: 5,
  RETRYING: 6,
  SUCCEEDED: 7,
  FAILED: 8,
  TIMED_OUT: 9,
  CANCELLED: 10,
  SKIPPED: 11,
};

const STATE_OF = new Map(TASK_STATES.map((state) => [STATE_CODE[state], state]));

/** The state a stored number means. Throws on a number this version does not know: the row is newer than the code. */
export function stateOf(code: number): TaskState {
  const state = STATE_OF.get(Number(code));
  if (!state) throw new Error(`task state ${code} is unknown to this version`);
  return state;
}
