import { Injectable } from '@nestjs/common';
import { PARENT_LANE } from '../decisions/partitioning.js';
import type { ShardCounts } from '../decisions/shards.js';
import { STATE_CODE, stateOf } from '../decisions/state-codes.js';
import { placeholders, type Sql } from '../ports.js';
import { objectOf } from './stored-json.js';
import type { TaskRecord } from './task.js';
import type { ParentNews } from './task-news.js';

const { PENDING, RUNNING, SUCCEEDED, FAILED, TIMED_OUT, CANCELLED } = STATE_CODE;

/** What a shard takes over from the task it is part of, beside what every read of a task brings. */
export interface SplitFacts {
  params: string | null;
  metadata: Record<string, string> | null;
  backfillKey: string | null;
}
/** A shard as the result of its parent tells of it. */
export interface ListedShard {
  index: number;
  id: string;
  state: TaskRecord['state'];
  /** JSON text; null if it is longer than was asked for. */
  result: string | null;
  error: TaskRecord['error'];
}

/** Statements about tasks that are divided into shards, and about the shards of one. */
@Injectable()
export class ShardStore {
  /** Groups of the partitions with a task that waits to be divided: one probe of the index per group. */
  async groupsToSplit(sql: Sql, partitions: readonly number[]): Promise<number[]> {
    const rows = await sql.rows<{ id: number; head: string | null }>(
      `SELECT g.id AS id, (SELECT t.id FROM tasks t WHERE t.group_id = g.id AND t.state = ${PENDING} AND t.lane = ${PARENT_LANE} LIMIT 1) AS head
       FROM task_groups g WHERE g.partition_no IN (${placeholders(partitions.length)})`,
      partitions,
    );
    return rows.filter((row) => row.head !== null).map((row) => row.id);
  }

  /** Tasks of the group to be divided now, in the order they must start: broadcasts only of handlers that somebody serves. */
  async toSplit(sql: Sql, groupId: number, served: readonly string[], limit: number, from = 0): Promise<string[]> {
    const byServed = served.length > 0 ? `OR handler IN (${placeholders(served.length)})` : '';
    const rows = await sql.rows<{ id: string }>(
      `SELECT id FROM tasks WHERE group_id = ? AND state = ${PENDING} AND lane = ${PARENT_LANE} AND (shard_total > 0 ${byServed})
       ORDER BY pick_order LIMIT ${limit} OFFSET ${from}`,
      [groupId, ...served],
    );
    return rows.map(({ id }) => id);
  }

  async splitFacts(tx: Sql, id: string): Promise<SplitFacts> {
    const [row] = await tx.rows<{ params: string | null; metadata_json: string | null; backfill_key: string | null }>(
      'SELECT params, metadata_json, backfill_key FROM tasks WHERE id = ?',
      [id],
    );
    const metadata = objectOf<Record<string, string>>(row?.metadata_json);
    return { params: row?.params ?? null, metadata, backfillKey: row?.backfill_key ?? null };
  }

  /** How many shards a broadcast turned out to have. */
  async setTotal(tx: Sql, id: string, total: number): Promise<void> {
    await tx.run('UPDATE tasks SET shard_total = ? WHERE id = ?', [total, id]);
  }

  /** How many shards of each are in each state. */
  async countsOf(sql: Sql, parentIds: readonly string[]): Promise<Map<string, ShardCounts>> {
    const counts = new Map<string, ShardCounts>(parentIds.map((id) => [id, {}]));
    if (parentIds.length === 0) return counts;
    const rows = await sql.rows<{ parent_id: string; state: number; n: number | string }>(
      `SELECT parent_id, state, COUNT(*) AS n FROM tasks WHERE parent_id IN (${placeholders(parentIds.length)}) GROUP BY parent_id, state`,
      parentIds,
    );
    for (const { parent_id, state, n } of rows) (counts.get(parent_id) as ShardCounts)[stateOf(state)] = Number(n);
    return counts;
  }

  /** Those of which every shard has ended. Looks from the last shard, which usually ends last, so it seldom looks at many. */
  async allEnded(sql: Sql, parentIds: readonly string[]): Promise<Set<string>> {
    if (parentIds.length === 0) return new Set();
    const rows = await sql.rows<{ id: string; going: string | null }>(
      `SELECT p.id AS id, (SELECT c.id FROM tasks c WHERE c.parent_id = p.id AND c.state < ${SUCCEEDED} ORDER BY c.shard_index DESC LIMIT 1) AS going
       FROM tasks p WHERE p.id IN (${placeholders(parentIds.length)})`,
      parentIds,
    );
    return new Set(rows.filter(({ going }) => going === null).map(({ id }) => id));
  }

  /** The first shards by index. */
  async firstOf(sql: Sql, parentId: string, limit: number, resultLength: number): Promise<ListedShard[]> {
    const rows = await sql.rows<{
      shard_index: number;
      id: string;
      state: number;
      result: string | null;
      error_json: string | null;
    }>(
      `SELECT shard_index, id, state, CASE WHEN LENGTH(result) <= ${resultLength} THEN result ELSE NULL END AS result, error_json
       FROM tasks WHERE parent_id = ? ORDER BY shard_index LIMIT ${limit}`,
      [parentId],
    );
    return rows.map((row) => ({
      index: row.shard_index,
      id: row.id,
      state: stateOf(row.state),
      result: row.result,
      error: objectOf<NonNullable<TaskRecord['error']>>(row.error_json),
    }));
  }

  async anyOf(sql: Sql, parentId: string): Promise<boolean> {
    return (await sql.rows('SELECT id FROM tasks WHERE parent_id = ? LIMIT 1', [parentId])).length > 0;
  }

  /** Ids of the shards that have not ended. */
  unended(sql: Sql, parentId: string): Promise<string[]> {
    return this.idsOf(sql, parentId, `state < ${SUCCEEDED}`);
  }

  /** Ids of the shards a retry of the whole opens again. */
  reopenable(sql: Sql, parentId: string): Promise<string[]> {
    return this.idsOf(sql, parentId, `state IN (${FAILED}, ${TIMED_OUT}, ${CANCELLED})`);
  }

  /**
   * Divided tasks of the groups that may need somebody: whose shards are to stop, or whose end nobody wrote. The others are left
   * out here, so that a sweep costs one look per divided task.
   */
  async toReview(sql: Sql, groupIds: readonly number[]): Promise<ParentNews[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<{
      id: string;
      partition_no: number;
      cancel_asked_at: unknown;
      rule: number;
      going: string | null;
    }>(
      `SELECT p.id AS id, p.partition_no AS partition_no, p.cancel_asked_at AS cancel_asked_at,
        CASE WHEN p.options_json LIKE '%"onShardFailure"%' THEN 1 ELSE 0 END AS rule,
        (SELECT c.id FROM tasks c WHERE c.parent_id = p.id AND c.state < ${SUCCEEDED} ORDER BY c.shard_index DESC LIMIT 1) AS going
       FROM tasks p WHERE p.group_id IN (${placeholders(groupIds.length)}) AND p.state = ${RUNNING} AND p.lane = ${PARENT_LANE}`,
      groupIds,
    );
    return rows
      .filter(({ cancel_asked_at, rule, going }) => cancel_asked_at !== null || Number(rule) === 1 || going === null)
      .map(({ id, partition_no }) => ({ id, partition: partition_no }));
  }

  private async idsOf(sql: Sql, parentId: string, condition: string): Promise<string[]> {
    const rows = await sql.rows<{ id: string }>(`SELECT id FROM tasks WHERE parent_id = ? AND ${condition}`, [parentId]);
    return rows.map(({ id }) => id);
  }
}
