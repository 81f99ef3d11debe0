import type { TaskState } from '@evenkeel/sdk/contract';
import { advance } from './advance.js';
import type { TaskRecord } from './task.js';

/** The upstream that did not succeed. */
export interface FailedUpstream {
  by: string;
  state: TaskState;
}

/** JSON text kept as the result of a task that was skipped: which upstream, and how it ended. */
export const failureEvidence = ({ by, state }: FailedUpstream): string => JSON.stringify({ upstream: by, status: state });

/** Who the timeline names. */
export const failureActor = ({ by }: FailedUpstream): string => `task:${by}`;

/** The waiting task after an upstream failed, or null if it waits no more. */
export function skippedBecauseOf(task: TaskRecord, failed: FailedUpstream, now: number): TaskRecord | null {
  const after = advance(task, 'upstream_failed', { at: now, actor: failureActor(failed), reason: 'upstream_failed' });
  return after && { ...after, endedAt: now, result: failureEvidence(failed) };
}
