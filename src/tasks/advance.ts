import type { ReasonCode } from '@evenkeel/sdk/contract';
import { type TaskEvent, transition } from '../decisions/task-state.js';
import { wasReplaced, withStepText } from '../decisions/timeline.js';
import type { TaskRecord } from './task.js';

export interface Step {
  at: number;
  actor: string;
  reason?: ReasonCode | null;
  worker?: string | null;
  /** Absent: the step is not about an attempt. */
  attempt?: number;
}

/**
 * The task after the event, one version on and with the step in its timeline; null if the table refuses the event. Pure. A task that
 * stops because it was asked to keeps why it was asked: for who waits for it, to be replaced is not to fail.
 */
export function advance(task: TaskRecord, event: TaskEvent, step: Step): TaskRecord | null {
  const verdict = transition(task.state, event);
  if ('refused' in verdict) return null;
  const version = task.version + 1;
  const replaced = event === 'stopped' && step.reason === 'cancel_requested' && wasReplaced(task.timeline);
  const reason = replaced ? 'replaced' : step.reason;
  return {
    ...task,
    state: verdict.to,
    version,
    reason: reason ?? null,
    timeline: withStepText(task.timeline, {
      seq: version,
      from: task.state,
      to: verdict.to,
      at: step.at,
      actor: step.actor,
      ...(reason ? { reason } : {}),
      ...(step.attempt ? { attempt: step.attempt } : {}),
      ...(step.worker ? { worker: step.worker } : {}),
    }),
  };
}

/** A note in the timeline that changes no state. */
export function annotate(task: TaskRecord, step: Step): TaskRecord {
  const version = task.version + 1;
  const entry = { seq: version, from: task.state, to: task.state, at: step.at, actor: step.actor };
  return {
    ...task,
    version,
    timeline: withStepText(task.timeline, {
      ...entry,
      ...(step.reason ? { reason: step.reason } : {}),
      ...(step.attempt ? { attempt: step.attempt } : {}),
      ...(step.worker ? { worker: step.worker } : {}),
    }),
  };
}
