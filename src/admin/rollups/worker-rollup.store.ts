import { Injectable } from '@nestjs/common';
import { insertRows } from '../../platform/database/insert-rows.js';
import type { Sql } from '../../ports.js';

/** Of samples in one span of time. The sums are of those in which the worker took orders. */
export interface WorkerFigures {
  samples: number;
  loads: number;
  loadSum: number;
  loadMost: number;
  activeMost: number;
}
export interface WorkerRollupRow {
  workerId: string;
  beginsAt: number;
  figures: WorkerFigures;
}

/** The load of workers over time, and what was recovered from lost ones. */
@Injectable()
export class WorkerRollupStore {
  async insert(sql: Sql, rows: readonly WorkerRollupRow[], writer: string): Promise<void> {
    await insertRows(
      sql,
      'worker_rollups (worker_id, begins_at, writer, figures_json)',
      rows.map(({ workerId, beginsAt, figures }) => [workerId, beginsAt, writer, JSON.stringify(figures)]),
    );
  }

  /** Spans of one worker that begin in [from, to), from the primary key in its order. */
  async read(sql: Sql, workerId: string, from: number, to: number): Promise<{ beginsAt: number; figures: WorkerFigures }[]> {
    const rows = await sql.rows<{ begins_at: number | string; figures_json: string }>(
      'SELECT begins_at, figures_json FROM worker_rollups WHERE worker_id = ? AND begins_at >= ? AND begins_at < ? ORDER BY begins_at',
      [workerId, from, to],
    );
    return rows.map((row) => ({ beginsAt: Number(row.begins_at), figures: JSON.parse(row.figures_json) as WorkerFigures }));
  }

  async insertLost(sql: Sql, lost: readonly { workerId: string; lostAt: number; taskId: string }[]): Promise<void> {
    await insertRows(
      sql,
      'lost_attempts (worker_id, lost_at, task_id)',
      lost.map(({ workerId, lostAt, taskId }) => [workerId, lostAt, taskId]),
    );
  }

  /** The latest attempts that were recovered from the worker, newest first, with the task as it is now; null for one that was removed since. */
  async lost(sql: Sql, workerId: string, most: number): Promise<LostRow[]> {
    const rows = await sql.rows<Record<keyof LostRow, string | number | null>>(
      `SELECT l.task_id AS taskId, l.lost_at AS lostAt, t.state AS state, t.worker_id AS workerId, t.group_id AS groupId, t.handler AS handler
       FROM lost_attempts l LEFT JOIN tasks t ON t.id = l.task_id WHERE l.worker_id = ? ORDER BY l.lost_at DESC, l.task_id DESC LIMIT ${most}`,
      [workerId],
    );
    return rows.map((row) => ({ ...(row as unknown as LostRow), lostAt: Number(row.lostAt) }));
  }

  /** Rows of both kinds from before the instant, the oldest first; returns how many. */
  async removeBefore(sql: Sql, before: number, most: number): Promise<number> {
    return (
      (await this.cut(sql, 'worker_rollups', 'begins_at', before, most)) ||
      this.cut(sql, 'lost_attempts', 'lost_at', before, most)
    );
  }

  /** No further than the row behind `most`: rows of the same instant may be some more. */
  private async cut(sql: Sql, table: string, column: string, before: number, most: number): Promise<number> {
    const [last] = await sql.rows<{ at: number | string }>(
      `SELECT ${column} AS at FROM ${table} WHERE ${column} < ? ORDER BY ${column} LIMIT 1 OFFSET ${most - 1}`,
      [before],
    );
    if (!last) return sql.run(`DELETE FROM ${table} WHERE ${column} < ?`, [before]);
    return sql.run(`DELETE FROM ${table} WHERE ${column} <= ?`, [last.at]);
  }
}

export interface LostRow {
  taskId: string;
  lostAt: number;
  state: number | null;
  workerId: string | null;
  groupId: number | null;
  handler: string | null;
}
