import { isTerminal, type TerminalState } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { CallbackOutbox, type EndedTask } from '../callbacks/callback-outbox.js';
import type { Sql } from '../ports.js';
import { JobSlots } from './job-slots.js';
import type { TaskRecord } from './task.js';
import type { TaskChange } from './task.store.js';

/**
 * What follows from the end of tasks, in the transaction of the end: so it is written exactly when the end is, and a process that
 * dies leaves both or neither. Each consequence may end further tasks, which have consequences of their own; the loop goes round
 * by round over all of them together, so a graph of any depth needs no recursion and few statements.
 */
@Injectable()
export class Consequences {
  constructor(
    private readonly slots: JobSlots,
    private readonly outbox: CallbackOutbox,
  ) {}

  /** False for most tasks: their end can be one statement without a transaction. */
  concern(task: TaskRecord): boolean {
    return task.jobId !== null || this.outbox.concerns(endedTask(task));
  }

  /** Call it once per transaction with what was saved. Returns those changes and every one they led to. */
  async follow(tx: Sql, changes: readonly TaskChange[], now: number, actor: string): Promise<TaskChange[]> {
    const all: TaskChange[] = [];
    for (let round = [...changes]; round.length > 0; ) {
      const { changes: more, planned } = await this.slots.release(tx, newlyEnded(round), now, actor);
      for (const change of round) {
        const due = endsTask(change) ? planned.find(({ id }) => id === change.after.jobId) : undefined;
        all.push(due ? { ...change, planned: due } : change);
      }
      round = more;
    }
    await this.outbox.record(
      tx,
      newlyEnded(all).map(({ after }) => endedTask(after)),
      Math.round(now),
    );
    return all;
  }
}

const endsTask = ({ before, after }: TaskChange): boolean => isTerminal(after.state) && !isTerminal(before.state);
const newlyEnded = (changes: readonly TaskChange[]): TaskChange[] => changes.filter(endsTask);

/** For the outbox; spelled out, since every end passes here. */
function endedTask(task: TaskRecord): EndedTask {
  return {
    id: task.id,
    appId: task.appId,
    seq: task.version,
    state: task.state as TerminalState,
    reason: task.reason,
    clientRequestId: task.clientRequestId,
    jobId: task.jobId,
    callbackUrl: task.callbackUrl,
    scheduledAt: task.scheduledAt,
    createdAt: task.createdAt,
    endedAt: task.endedAt ?? task.createdAt,
    attempts: task.workerId === null ? Math.max(0, task.attempt - 1) : task.attempt,
    result: task.result,
    error: task.error,
  };
}
