import { Injectable } from '@nestjs/common';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

/** Tasks of a group that want the same handler of the same kind of workers. */
export interface FilteredLane {
  groupId: number;
  lane: number;
  handler: string;
  /** `filterText` of the filter; never empty. */
  filter: string;
}

/** Statements about the lanes of tasks that ask for certain workers. */
@Injectable()
export class LaneStore {
  constructor(private readonly dialect: SqlDialect) {}

  async all(sql: Sql): Promise<(FilteredLane & { usedAt: number })[]> {
    const rows = await sql.rows<{
      group_id: number;
      lane: number | string;
      handler: string;
      filter_json: string;
      used_at: number | string;
    }>('SELECT group_id, lane, handler, filter_json, used_at FROM task_lanes');
    return rows.map((row) => ({
      groupId: row.group_id,
      lane: Number(row.lane),
      handler: row.handler,
      filter: row.filter_json,
      usedAt: Number(row.used_at),
    }));
  }

  /** On record when it resolves, before any task of it may be; two callers at once are as one. */
  async ensure(sql: Sql, lanes: readonly FilteredLane[], now: number): Promise<void> {
    for (const { groupId, lane, handler, filter } of lanes) {
      if ((await sql.run('UPDATE task_lanes SET used_at = ? WHERE group_id = ? AND lane = ?', [now, groupId, lane])) > 0)
        continue;
      try {
        await sql.run(`INSERT INTO task_lanes (group_id, lane, handler, filter_json, used_at) VALUES (${placeholders(5)})`, [
          groupId,
          lane,
          handler,
          filter,
          now,
        ]);
      } catch (error) {
        if (!this.dialect.isUniqueViolation(error)) throw error;
      }
    }
  }
}
