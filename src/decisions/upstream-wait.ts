import { isTerminal, type ReasonCode, type TaskState } from '@evenkeel/sdk/contract';

/** A task that is waited for; `null` is one that is expected and does not exist yet. */
export type UpstreamTask = { id: string; state: TaskState; reason: ReasonCode | null } | null;

export type WaitVerdict =
  | { is: 'done' }
  | { is: 'outstanding' }
  /** `by` did not succeed. */
  | { is: 'failed'; by: string; state: TaskState };

/** What becomes of a task that waits for these: one failure is enough, whatever the others do; otherwise all must have succeeded. */
export function waitVerdict(upstreams: readonly UpstreamTask[]): WaitVerdict {
  let outstanding = false;
  for (const upstream of upstreams) {
    if (upstream === null || !isTerminal(upstream.state)) outstanding = true;
    else if (upstream.state !== 'SUCCEEDED') return { is: 'failed', by: upstream.id, state: upstream.state };
  }
  return { is: outstanding ? 'outstanding' : 'done' };
}

/**
 * A fire of the period that made no work of its own: the task before it was still going, it was missed, or a newer one took its
 * place. For who waits for the period it counts as no fire.
 */
export function madeNoWork({ state, reason }: { state: TaskState; reason: ReasonCode | null }): boolean {
  if (state === 'SKIPPED') return reason === 'overlap' || reason === 'misfire_window';
  return state === 'CANCELLED' && reason === 'replaced';
}
