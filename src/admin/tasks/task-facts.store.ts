import { Injectable } from '@nestjs/common';
import { laneOf, pickOrder } from '../../decisions/partitioning.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { filterText } from '../../decisions/worker-filter.js';
import { type Sql, SqlDialect } from '../../ports.js';
import type { TaskRecord } from '../../tasks/task.js';

const { PENDING, DISPATCHED, RUNNING, SUCCEEDED } = STATE_CODE;

/** What the explanation of one task asks of the database. Every statement reads a bounded part of one index. */
@Injectable()
export class TaskFactsStore {
  constructor(private readonly dialect: SqlDialect) {}

  async running(sql: Sql, groupId: number): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM tasks WHERE group_id = ? AND state IN (${DISPATCHED}, ${RUNNING})`,
      [groupId],
    );
    return Number(row?.n ?? 0);
  }

  /** Pending tasks of its handler that start before it, counted no further than `limit`. */
  async ahead(sql: Sql, task: TaskRecord, limit: number): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM tasks WHERE group_id = ? AND state = ${PENDING} AND lane = ? AND pick_order < ? LIMIT ${limit}) AS ahead`,
      [task.groupId, laneOf(task.handler, filterText(task.options)), pickOrder(task.priority, task.dueAt)],
    );
    return Number(row?.n ?? 0);
  }

  /** Tasks of the job that have not ended, this one aside. */
  async going(sql: Sql, jobId: string, exceptId: string): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id WHERE s.job_id = ? AND t.state < ${SUCCEEDED} AND t.id <> ?`,
      [jobId, exceptId],
    );
    return Number(row?.n ?? 0);
  }

  async partition(sql: Sql, partition: number): Promise<{ holder: string | null; leftMs: number }> {
    const [row] = await sql.rows<{ holder: string | null; left_ms: number | string }>(
      `SELECT holder, expires_at - ${this.dialect.nowMs} AS left_ms FROM partitions WHERE partition_no = ?`,
      [partition],
    );
    return { holder: row?.holder ?? null, leftMs: Number(row?.left_ms ?? -1) };
  }
}
