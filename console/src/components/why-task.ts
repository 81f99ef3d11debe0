import type { TaskSummary } from '../../../src/admin/contract/tasks.js';

const WAITING: ReadonlySet<string> = new Set(['SCHEDULED', 'BLOCKED', 'PENDING', 'RETRYING'] satisfies TaskSummary['state'][]);
const GOING: ReadonlySet<string> = new Set(['DISPATCHED', 'RUNNING'] satisfies TaskSummary['state'][]);

export const isWaiting = ({ state }: Pick<TaskSummary, 'state'>): boolean => WAITING.has(state);

/**
 * What a list says of a task: of one that ended its error, or else the reason; of one that waits why, and what failed before. The error
 * of an attempt before is no news of one that runs.
 */
export function whyTask(
  { state, reason, error }: Pick<TaskSummary, 'state' | 'reason' | 'error'>,
  code: (prefix: string, code: string) => string,
): string {
  const why = reason === null ? '' : code('reason', reason);
  if (error === null || GOING.has(state)) return why;
  return isWaiting({ state }) && why !== '' ? `${why} · ${error.message}` : error.message;
}
