import { LIMITS } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { type ShardCounts, type ShardsEnd, shardsEnd } from '../decisions/shards.js';
import type { Sql } from '../ports.js';
import { advance } from './advance.js';
import { type ListedShard, ShardStore } from './shard.store.js';
import { hasShards, type TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';
import type { ParentNews } from './task-news.js';

export interface RolledUp {
  /** The tasks whose last shard has ended, with their own end. */
  changes: TaskChange[];
  /** Those whose other shards must stop now, by id. */
  toStop: Map<string, ParentNews>;
}
const ERROR_LINE = 200;

/**
 * Ends a task when its last shard has, in the transaction of that shard's end.
 *
 * Exactly one end: whoever ended a shard locks the parent's row before it looks at the other shards. Of two transactions that end
 * the last two, the second gets the lock after the first one's commit and then sees both ends; the first sees the other shard going
 * and leaves it alone. The write is conditional on state and version like any other.
 *
 * No deadlock: everybody locks shards first (ids ascending), their parents next (ascending), then the parents' jobs; nobody who holds
 * a running parent's lock waits for a shard of it. Stopping the others is therefore no part of this transaction but follows it.
 *
 * Of any number of shards of one task that end in one transaction, the parent is looked at once and written at most once.
 */
@Injectable()
export class ShardRollup {
  constructor(
    private readonly store: TaskStore,
    private readonly shards: ShardStore,
  ) {}

  /** `ended`: the changes that ended a task. */
  async rollUp(tx: Sql, ended: readonly TaskChange[], now: number, actor: string): Promise<RolledUp> {
    const unsuccessful = new Map<string, boolean>();
    for (const { after } of ended) {
      if (after.parentId === null) continue;
      unsuccessful.set(after.parentId, unsuccessful.get(after.parentId) || after.state !== 'SUCCEEDED');
    }
    const toStop: RolledUp['toStop'] = new Map();
    if (unsuccessful.size === 0) return { changes: [], toStop };
    const { changes, going } = await this.look(tx, [...unsuccessful.keys()], now, actor);
    for (const { id, partition, options } of going)
      if (options.onShardFailure === 'stop' && unsuccessful.get(id)) toStop.set(id, { id, partition });
    return { changes, toStop };
  }

  /** The same for tasks whose last shard may have ended without it: reopened, or ended by a node that knew of no shards. */
  async review(tx: Sql, parentIds: readonly string[], now: number, actor: string): Promise<TaskChange[]> {
    return (await this.look(tx, parentIds, now, actor)).changes;
  }

  private async look(tx: Sql, parentIds: readonly string[], now: number, actor: string) {
    const parents = (await this.store.lock(tx, parentIds)).filter((task) => task.state === 'RUNNING' && hasShards(task));
    const over = await this.shards.allEnded(
      tx,
      parents.map(({ id }) => id),
    );
    const counts = await this.shards.countsOf(tx, [...over]);
    const changes: TaskChange[] = [];
    for (const before of parents) {
      const end = over.has(before.id) ? shardsEnd(counts.get(before.id) ?? {}, before.cancelAskedAt !== null) : null;
      const after = end && (await this.ended(tx, before, end, counts.get(before.id) ?? {}, now, actor));
      if (after) changes.push({ before, after });
    }
    await this.store.save(tx, changes);
    return { changes, going: parents.filter(({ id }) => !over.has(id)) };
  }

  private async ended(tx: Sql, before: TaskRecord, end: ShardsEnd, counts: ShardCounts, now: number, actor: string) {
    const at = Math.floor(now);
    const after = advance(before, end.event, { at, actor, reason: end.reason });
    if (!after) return null;
    const first = await this.shards.firstOf(tx, before.id, LIMITS.shardsListed, LIMITS.shardResultBytes);
    const error = end.event === 'failed' ? errorOf(before.shardTotal ?? 0, counts, first) : null;
    return { ...after, endedAt: at, result: resultText(before.shardTotal ?? 0, counts, first), error };
  }
}

/** JSON text of a ShardsResult; results of shards go in as they are stored, digit for digit. */
function resultText(total: number, counts: ShardCounts, first: readonly ListedShard[]): string {
  const { SUCCEEDED: succeeded = 0, FAILED: failed = 0, TIMED_OUT: timedOut = 0, CANCELLED: cancelled = 0 } = counts;
  const head = JSON.stringify({ total, succeeded, failed, timedOut, cancelled });
  return `${head.slice(0, -1)},"shards":[${first.map(shardText).join(',')}]}`;
}

function shardText({ index, id, state, result, error }: ListedShard): string {
  const facts = { index, taskId: id, status: state, ...(error ? { error: firstLine(error) } : {}) };
  const text = JSON.stringify(facts);
  if (state !== 'SUCCEEDED') return text;
  const fits = result !== null && Buffer.byteLength(result) <= LIMITS.shardResultBytes;
  return `${text.slice(0, -1)},${fits ? `"result":${result}` : '"resultOmitted":true'}}`;
}

const firstLine = ({ name, message }: NonNullable<TaskRecord['error']>): string =>
  `${name}: ${message.split('\n', 1)[0]}`.slice(0, ERROR_LINE);

function errorOf(total: number, { SUCCEEDED = 0 }: ShardCounts, first: readonly ListedShard[]): TaskRecord['error'] {
  const failed = first.find(({ state }) => state === 'FAILED' || state === 'TIMED_OUT');
  const example = failed ? `; shard ${failed.index}: ${failed.error ? firstLine(failed.error) : failed.state}` : '';
  return { name: 'ShardFailed', message: `${total - SUCCEEDED} of ${total} shards did not succeed${example}` };
}
