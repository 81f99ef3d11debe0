import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { CallbackOutbox } from '../callbacks/callback-outbox.js';
import type { Sql } from '../ports.js';
import { endedTask } from './ended-task.js';
import { Flows } from './flows.js';
import { JobSlots, type Released } from './job-slots.js';
import { ShardRollup } from './shard-rollup.js';
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
    private readonly flows: Flows,
    private readonly shards: ShardRollup,
    private readonly outbox: CallbackOutbox,
  ) {}

  /** False for most tasks: their end can be one statement without a transaction. */
  concern(task: TaskRecord): boolean {
    if (task.jobId !== null || task.awaited || task.parentId !== null) return true;
    return this.outbox.concerns(endedTask(task));
  }

  /** Call it once per transaction with what was saved. Returns those changes and every one they led to. */
  async follow(tx: Sql, changes: readonly TaskChange[], now: number, actor: string): Promise<TaskChange[]> {
    const all: TaskChange[] = [];
    for (let round = [...changes]; round.length > 0; ) {
      const ended = newlyEnded(round);
      const { changes: parents, toStop } = await this.shards.rollUp(tx, ended, now, actor);
      // The place of a job is held by the whole task: a shard's end gives none free.
      const whole = ended.filter(isWhole);
      const { changes: turns, planned } = await this.slots.release(tx, whole, now, actor);
      const flows = await this.flows.release(tx, ended, now, actor);
      for (const change of round) {
        const due = endsTask(change) && isWhole(change) ? planned.find(({ id }) => id === change.after.jobId) : undefined;
        const stops = endsTask(change) ? toStop.get(change.after.parentId ?? '') : undefined;
        all.push({ ...change, ...(due ? { planned: due } : {}), ...(stops ? { stops } : {}) });
      }
      round = [...parents, ...turns, ...flows.changes];
    }
    await this.outbox.record(
      tx,
      newlyEnded(all)
        .filter((change) => isWhole(change) && !isNew(change))
        .map(({ after }) => endedTask(after)),
      Math.round(now),
    );
    return all;
  }

  /** What becomes possible when the places are freed that tasks kept after their end. */
  freePlaces(tx: Sql, jobIds: readonly string[], now: number, actor: string): Promise<Released> {
    return this.slots.review(tx, jobIds, now, actor);
  }
}

const endsTask = ({ before, after }: TaskChange): boolean => isTerminal(after.state) && !isTerminal(before.state);
const isWhole = ({ after }: TaskChange): boolean => after.parentId === null;
/** Made in this transaction: whoever inserted it has told of its end. */
const isNew = ({ before }: TaskChange): boolean => before.version === 0;
const newlyEnded = (changes: readonly TaskChange[]): TaskChange[] => changes.filter(endsTask);
