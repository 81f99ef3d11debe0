import { TERMINAL_STATES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { OldDeliveries } from '../callbacks/old-deliveries.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { inBatches } from '../platform/database/in-batches.js';
import { SqlDialect } from '../ports.js';
import { AttemptLogStore } from './attempt-log.store.js';
import { OldTasksStore } from './old-tasks.store.js';

/** Tasks of one transaction: with what belongs to them some thousand rows. */
const TASKS = 200;
const ROWS = 500;
/** A chunk holds many lines. */
const CHUNKS = 200;

/**
 * Removes tasks, events and lines of logs that are older than they are kept, in small transactions of their own, one for each turn of
 * the caller; it may stop after any. A task goes with all that belongs to it in one transaction, once it has been ended for that
 * long, unless an attempt of it still runs or a callback about it is still to be sent. The shards of a task go after it, each by itself:
 * if the process dies in between, the next pass finds those without the task they were shards of.
 */
@Injectable()
export class OldTasks {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: OldTasksStore,
    private readonly logs: AttemptLogStore,
    private readonly deliveries: OldDeliveries,
  ) {}

  /** Yields after each transaction how many tasks it removed. `before`: epoch milliseconds. */
  async *remove(before: number): AsyncGenerator<number> {
    for (const state of TERMINAL_STATES) {
      for (let after = ''; ; ) {
        const stretch = await this.store.stretch(this.dialect.root, STATE_CODE[state], after, before, TASKS);
        const ids = stretch.filter(({ ended }) => ended).map(({ id }) => id);
        yield await this.removeSome(ids, before);
        after = stretch.at(-1)?.id ?? '';
        if (stretch.length < TASKS) break;
      }
    }
    yield* inBatches(ROWS, (most) => this.store.removeEvents(this.dialect.root, before, most));
  }

  /** Yields after each statement how many chunks of lines it removed. */
  removeLogs(before: number): AsyncGenerator<number> {
    return inBatches(CHUNKS, (most) => this.logs.removeBefore(this.dialect.root, before, most));
  }

  private async removeSome(ids: readonly string[], before: number): Promise<number> {
    const free = await this.store.free(this.dialect.root, ids);
    const awaited = await this.deliveries.awaiting(free);
    const old = free.filter((id) => !awaited.has(id));
    if (old.length === 0) return 0;
    return this.dialect.transaction(async (tx) => {
      const locked = await this.store.lock(tx, old, before);
      await this.deliveries.removeOfTasks(tx, locked);
      await this.store.remove(tx, locked);
      return locked.length;
    });
  }
}
