import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import { advance } from './advance.js';
import { Consequences } from './consequences.js';
import { LifecycleService } from './lifecycle.service.js';
import { ShardStore } from './shard.store.js';
import type { TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';

const BATCH = 500;

/**
 * Stops the shards of a task that have not ended: those no worker can be running are cancelled, the others are asked to stop, and
 * the parent ends when they have (ShardRollup). Runs after the commit of what it follows from (a cancel, a shard that failed); if
 * the process dies in between or in the middle, the splitter's sweep finds the task within seconds and does the rest.
 */
@Injectable()
export class ShardStops {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly shards: ShardStore,
    private readonly consequences: Consequences,
    private readonly lifecycle: LifecycleService,
    private readonly clock: Clock,
  ) {}

  /** The shards that were asked to stop, to be told so. */
  async stop(parentId: string, reason: ReasonCode, actor: string): Promise<TaskRecord[]> {
    const ids = (await this.shards.unended(this.dialect.root, parentId)).sort();
    const asked: TaskRecord[] = [];
    for (let from = 0; from < ids.length; from += BATCH) {
      const written = await this.stopSome(ids.slice(from, from + BATCH), reason, actor);
      this.lifecycle.announce(written);
      for (const { before, after } of written) if (before.cancelAskedAt === null && isAttempted(after)) asked.push(after);
    }
    return asked;
  }

  private stopSome(ids: string[], reason: ReasonCode, actor: string): Promise<TaskChange[]> {
    return this.dialect.transaction(async (tx) => {
      const now = Math.floor(this.clock.now());
      const changes = (await this.store.lock(tx, ids)).flatMap((before) => {
        const attempted = isAttempted(before);
        if (attempted && before.cancelAskedAt !== null) return [];
        const moved = advance(before, attempted ? 'cancel_requested' : 'cancelled', { at: now, actor, reason });
        if (!moved) return [];
        return [{ before, after: { ...moved, cancelAskedAt: now, ...(attempted ? {} : { endedAt: now }) } }];
      });
      await this.store.save(tx, changes);
      return this.consequences.follow(tx, changes, now, actor);
    });
  }
}

const isAttempted = ({ state }: TaskRecord): boolean => state === 'DISPATCHED' || state === 'RUNNING';
