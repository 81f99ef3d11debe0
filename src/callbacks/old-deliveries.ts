import { Injectable } from '@nestjs/common';
import { inBatches } from '../platform/database/in-batches.js';
import { slices } from '../platform/slices.js';
import { type Sql, SqlDialect } from '../ports.js';
import { ChallengeStore } from './challenge.store.js';
import { OldDeliveryStore } from './old-delivery.store.js';

const ROWS = 500;

/**
 * Removes events and deliveries with the tasks they tell of, and those of no task (tests of endpoints) by themselves; the circuits of
 * targets that failed last and were never called again, and when challenges may be sent to those where none was for as long.
 */
@Injectable()
export class OldDeliveries {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: OldDeliveryStore,
    private readonly challenges: ChallengeStore,
  ) {}

  /** Of these tasks, those of which an end is still to be told. */
  async awaiting(taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(taskIds.length === 0 ? [] : await this.store.awaiting(this.dialect.root, taskIds));
  }

  /** In the transaction that removes the tasks. */
  async removeOfTasks(tx: Sql, taskIds: readonly string[]): Promise<void> {
    if (taskIds.length === 0) return;
    for (const ids of slices(await this.store.ofTasks(tx, taskIds), ROWS)) await this.store.remove(tx, ids);
    await this.store.removeEventsOfTasks(tx, taskIds);
  }

  /** Yields after each transaction how many it removed. If the process dies between two, the next pass begins again. */
  async *removeOfNoTask(before: number): AsyncGenerator<number> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { found, last } = await this.store.ofNoTask(this.dialect.root, after, before, ROWS);
      if (found.length > 0)
        await this.dialect.transaction(async (tx) => {
          await this.store.remove(
            tx,
            found.map(({ id }) => id),
          );
          await this.store.removeEvents(
            tx,
            found.map(({ eventId }) => eventId),
          );
        });
      yield found.length;
      after = last;
    }
  }

  /** As `removeOfNoTask`: the circuits nobody has needed since before the instant. */
  async *forgetIdleTargets(before: number): AsyncGenerator<number> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const idle: string[] = await this.store.idleTargets(this.dialect.root, after, before, ROWS);
      yield await this.store.forgetTargets(this.dialect.root, idle, before);
      after = idle.length < ROWS ? undefined : idle.at(-1);
    }
  }

  /** As `removeOfNoTask`. */
  forgetChallenges(before: number): AsyncGenerator<number> {
    return inBatches(ROWS, (most) => this.challenges.removeBefore(this.dialect.root, before, most));
  }
}
