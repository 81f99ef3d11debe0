import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../../ports.js';
import { OwnRowStore } from './own-row.store.js';
import type { RollupFigures } from './rollup.js';

export interface RollupRow {
  beginsAt: number;
  groupId: number;
  figures: RollupFigures;
}

@Injectable()
export class TaskRollupStore {
  constructor(private readonly rows: OwnRowStore) {}

  /** Writes a writer's own row of the span as it is by now. */
  put(sql: Sql, spanMs: number, { beginsAt, groupId, figures }: RollupRow, writer: string): Promise<void> {
    return this.rows.put(sql, 'task_rollups', { span_ms: spanMs, begins_at: beginsAt, group_id: groupId, writer }, figures);
  }

  /** The oldest rows of spans that began before the instant; returns how many. */
  async removeBefore(sql: Sql, spanMs: number, before: number, most: number): Promise<number> {
    const [last] = await sql.rows<{ begins_at: number | string; group_id: number; writer: string }>(
      `SELECT begins_at, group_id, writer FROM task_rollups WHERE span_ms = ? AND begins_at < ?
       ORDER BY begins_at, group_id, writer LIMIT 1 OFFSET ${most - 1}`,
      [spanMs, before],
    );
    if (!last) return sql.run('DELETE FROM task_rollups WHERE span_ms = ? AND begins_at < ?', [spanMs, before]);
    const { begins_at, group_id, writer } = last;
    return sql.run(
      `DELETE FROM task_rollups WHERE span_ms = ? AND begins_at <= ?
       AND (begins_at < ? OR group_id < ? OR (group_id = ? AND writer <= ?))`,
      [spanMs, begins_at, begins_at, group_id, group_id, writer],
    );
  }

  /** Spans that begin in [from, to), of these groups, from the primary key in its order. */
  async read(sql: Sql, spanMs: number, from: number, to: number, groupIds: readonly number[]): Promise<RollupRow[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<{ begins_at: number | string; group_id: number; figures_json: string }>(
      `SELECT begins_at, group_id, figures_json FROM task_rollups WHERE span_ms = ? AND begins_at >= ? AND begins_at < ?
       AND group_id IN (${placeholders(groupIds.length)}) ORDER BY begins_at`,
      [spanMs, from, to, ...groupIds],
    );
    return rows.map((row) => ({
      beginsAt: Number(row.begins_at),
      groupId: row.group_id,
      figures: JSON.parse(row.figures_json) as RollupFigures,
    }));
  }
}
