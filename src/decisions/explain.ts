import type { ReasonCode, TaskState } from '@evenkeel/sdk/contract';

/** What is known about a task that is not running, at the moment somebody asks. */
export interface WaitingFacts {
  state: TaskState;
  reason: ReasonCode | null;
  cancelAsked: boolean;
  /** Its attempt was to have stopped by now, for its time limit or a cancel. */
  stopOverdue: boolean;
  /** The dispatch of all groups is held. */
  maintenance?: boolean;
  groupHeld: boolean;
  /** Some live worker of the group has the handler. */
  handlerServed: boolean;
  /** One of those takes another order right now. */
  workerHasRoom: boolean;
  groupAtQuota: boolean;
  /** The group starts only so many tasks a second. */
  groupHasRate: boolean;
  /** Of a BLOCKED task: not for its turn, or not for that alone. */
  waitsForUpstream: boolean;
  /** It is divided into shards, and itself never claimed. */
  divided?: boolean;
}

/** Why the task is not running, or why it ended as it did; null if there is nothing to say. */
export function waitingReason(facts: WaitingFacts): ReasonCode | null {
  switch (facts.state) {
    case 'SCHEDULED':
      return 'not_due';
    case 'BLOCKED':
      return facts.waitsForUpstream ? 'waiting_for_upstream' : 'waiting_for_turn';
    case 'RETRYING':
      return 'retry_backoff';
    case 'PENDING':
      if (facts.maintenance) return 'maintenance_hold';
      if (facts.groupHeld) return 'group_hold';
      if (!facts.handlerServed) return 'no_worker';
      if (facts.divided) return 'dispatching';
      if (facts.groupAtQuota) return 'group_quota';
      if (!facts.workerHasRoom) return 'workers_busy';
      // Nothing else holds it back: it is the rate's turn it waits for, on whichever node.
      return facts.groupHasRate ? 'dispatch_rate' : 'dispatching';
    case 'DISPATCHED':
    case 'RUNNING':
      if (facts.stopOverdue) return 'waiting_for_abort';
      if (facts.cancelAsked) return 'cancel_requested';
      return facts.divided ? 'waiting_for_shards' : null;
    default:
      return facts.reason;
  }
}
