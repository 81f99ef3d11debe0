import type { ReasonCode, TaskState } from '@evenkeel/sdk/contract';

/** What is known about a task that is not running, at the moment somebody asks. */
export interface WaitingFacts {
  state: TaskState;
  reason: ReasonCode | null;
  cancelAsked: boolean;
  /** Its attempt was to have stopped by now, for its time limit or a cancel. */
  stopOverdue: boolean;
  groupHeld: boolean;
  /** Some live worker of the group has the handler. */
  handlerServed: boolean;
  /** One of those takes another order right now. */
  workerHasRoom: boolean;
  groupAtQuota: boolean;
}

/** Why the task is not running, or why it ended as it did; null if there is nothing to say. */
export function waitingReason(facts: WaitingFacts): ReasonCode | null {
  switch (facts.state) {
    case 'SCHEDULED':
      return 'not_due';
    case 'BLOCKED':
      return 'waiting_for_turn';
    case 'RETRYING':
      return 'retry_backoff';
    case 'PENDING':
      if (facts.groupHeld) return 'group_hold';
      if (!facts.handlerServed) return 'no_worker';
      if (facts.groupAtQuota) return 'group_quota';
      return facts.workerHasRoom ? 'dispatching' : 'workers_busy';
    case 'DISPATCHED':
    case 'RUNNING':
      if (facts.stopOverdue) return 'waiting_for_abort';
      return facts.cancelAsked ? 'cancel_requested' : null;
    default:
      return facts.reason;
  }
}
