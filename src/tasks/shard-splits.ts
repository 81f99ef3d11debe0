import { Injectable } from '@nestjs/common';
import { type Participant, type PinnedShare, sharesOf } from '../decisions/shards.js';
import { newId } from '../platform/ids.js';
import type { Sql } from '../ports.js';
import { advance } from './advance.js';
import { AttemptStore, type EndedAttemptRow } from './attempt.store.js';
import { Consequences } from './consequences.js';
import { type NewTaskRow, NewTaskStore } from './new-task.store.js';
import { Rearming } from './rearming.js';
import { ShardStore, type SplitFacts } from './shard.store.js';
import { ShardRollup } from './shard-rollup.js';
import { hasShards, type TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';

/**
 * Divides a task into its shards when it has become due: all of them and the parent's RUNNING in one transaction, so there are all
 * shards or none, and from then on they never change. How many shards a fixed number gives was written with the task itself; a
 * broadcast is decided here, by the workers of this moment. Who divides: the partition's holder. Should two ever try, the parent's
 * row lock and its state let one; and were even that to fail, the unique key (parent, shard) would refuse the second set.
 *
 * A task that has shards already was reopened: those that did not succeed are opened again, the others stay as they ended.
 */
@Injectable()
export class ShardSplits {
  constructor(
    private readonly store: TaskStore,
    private readonly newTasks: NewTaskStore,
    private readonly attempts: AttemptStore,
    private readonly shards: ShardStore,
    private readonly rollup: ShardRollup,
    private readonly consequences: Consequences,
    private readonly rearming: Rearming,
  ) {}

  /** What was written: nothing if it is not to be divided now, or as a broadcast has nobody to go to yet. */
  async split(tx: Sql, id: string, workers: readonly Participant[], now: number, actor: string): Promise<TaskChange[]> {
    const [before] = await this.store.lock(tx, [id]);
    if (before?.state !== 'PENDING' || !hasShards(before)) return [];
    if (await this.shards.anyOf(tx, id)) return this.reopen(tx, before, now, actor);
    const shares = before.shardTotal === 0 ? sharesOf(workers) : null;
    const total = shares ? shares.length : (before.shardTotal as number);
    const after = total > 0 ? begun(before, now, actor) : null;
    if (!after) return [];
    const facts = await this.shards.splitFacts(tx, id);
    const rows = Array.from({ length: total }, (_, index) =>
      shardRow(before, facts, { index, total }, shares?.[index], now, actor),
    );
    await this.newTasks.insertAll(tx, rows);
    if (shares) await this.shards.setTotal(tx, id, total);
    const change = { before, after: { ...after, shardTotal: total } };
    await this.store.save(tx, [change]);
    return [change];
  }

  /** Opens the shards that did not succeed, for fresh attempts with fresh retries. */
  private async reopen(tx: Sql, before: TaskRecord, now: number, actor: string): Promise<TaskChange[]> {
    const after = begun(before, now, actor);
    if (!after) return [];
    const changes: TaskChange[] = [{ before, after }];
    const archived: EndedAttemptRow[] = [];
    for (const shard of await this.store.lock(tx, await this.shards.reopenable(tx, before.id))) {
      const again = reopened(shard, now, actor);
      if (!again) continue;
      changes.push({ before: shard, after: again });
      if (again.attempt > shard.attempt) archived.push(endedAttempt(shard, now));
    }
    await this.store.save(tx, changes);
    await this.attempts.archive(tx, archived);
    const awaited = changes.flatMap(({ after: shard }) => (shard.parentId !== null && shard.awaited ? [shard] : []));
    changes.push(...(await this.rearming.below(tx, awaited, { at: now, actor })));
    const ended = await this.rollup.review(tx, [before.id], now, actor);
    return [...changes, ...(await this.consequences.follow(tx, ended, now, actor))];
  }
}

function begun(parent: TaskRecord, now: number, actor: string): TaskRecord | null {
  const at = Math.floor(now);
  const after = advance(parent, 'split', { at, actor });
  return after && { ...after, startedAt: at, endedAt: null, cancelAskedAt: null, result: null, error: null };
}

function shardRow(
  parent: TaskRecord,
  { params, metadata, backfillKey }: SplitFacts,
  { index, total }: { index: number; total: number },
  pinned: PinnedShare | undefined,
  now: number,
  actor: string,
): NewTaskRow {
  const at = Math.floor(now);
  const { groupId, partition, appId, handler, priority, timeoutMs, scheduledAt, jobId, fireAt } = parent;
  const { onShardFailure: _, ...options } = parent.options;
  return {
    id: newId('task'),
    groupId,
    partition,
    appId,
    clientRequestId: null,
    fingerprint: null,
    handler,
    params: params ?? 'null',
    priority,
    timeoutMs,
    options: pinned ? { ...options, share: pinned.share } : options,
    metadata,
    // Subscribers are told of the end of the whole.
    callbackUrl: null,
    actor,
    createdAt: at,
    scheduledAt,
    // The parent's place in the queue.
    dueAt: parent.dueAt,
    state: 'PENDING',
    job: jobId === null ? null : { id: jobId, fireAt, backfillKey: backfillKey ?? '' },
    shard: { parentId: parent.id, index, total, pinnedWorkerId: pinned?.workerId ?? null },
  };
}

function reopened(shard: TaskRecord, now: number, actor: string): TaskRecord | null {
  const at = Math.floor(now);
  const after = advance(shard, 'reopened', { at, actor });
  if (!after) return null;
  const again = shard.workerId === null ? shard.attempt : shard.attempt + 1;
  const none = { lease: null, workerId: null, workerIncarnation: null, startedAt: null, endedAt: null, cancelAskedAt: null };
  return { ...after, ...none, attempt: again, retries: 0, crashes: 0, dueAt: at, result: null, error: null };
}

const OUTCOMES: Partial<Record<TaskRecord['state'], string>> = { TIMED_OUT: 'timed_out', CANCELLED: 'cancelled' };
const endedAttempt = (shard: TaskRecord, now: number): EndedAttemptRow => ({
  task: shard,
  outcome: OUTCOMES[shard.state] ?? 'failed',
  startedAt: shard.startedAt,
  endedAt: shard.endedAt ?? Math.floor(now),
  error: shard.error,
});
