import type { JobDetail } from '../../../../src/admin/contract/jobs.js';

/** As many of its tasks as a job carries: what lies before them is not known. */
export const CARRIED = 24;

export interface FailureStreak {
  times: number;
  /** Every task that is known failed: there may be more before. */
  atLeast: boolean;
}

/** Of its latest tasks, newest first; what has not ended yet, was cancelled or skipped neither counts nor ends the row. */
export function failuresInARow({ recent }: Pick<JobDetail, 'recent'>): FailureStreak {
  const ended = recent.filter(({ state }) => ['SUCCEEDED', 'FAILED', 'TIMED_OUT'].includes(state));
  const ok = ended.findIndex(({ state }) => state === 'SUCCEEDED');
  return ok < 0 ? { times: ended.length, atLeast: recent.length >= CARRIED } : { times: ok, atLeast: false };
}
