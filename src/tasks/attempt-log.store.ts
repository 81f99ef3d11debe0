import { Injectable } from '@nestjs/common';
import type { KeptLine } from '../decisions/log-lines.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

/** One attempt's log as a whole. */
export interface AttemptLog {
  taskId: string;
  attempt: number;
  lease: number;
  workerId: string;
  lastSeq: number;
  bytes: number;
  full: boolean;
}
export interface LogChunk {
  taskId: string;
  attempt: number;
  lines: readonly KeptLine[];
}
/** Whose attempt a lease is. */
export interface AttemptOwner {
  taskId: string;
  attempt: number;
  lease: number;
  workerId: string;
}

/** Statements about what attempts log. */
@Injectable()
export class AttemptLogStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** The logs of these tasks' attempts, locked until the transaction ends, in one order everywhere. */
  async lock(tx: Sql, taskIds: readonly string[]): Promise<AttemptLog[]> {
    const rows = await tx.rows<LogRow>(
      `SELECT task_id, attempt, lease, worker_id, last_seq, kept_bytes, is_full FROM attempt_logs
       WHERE task_id IN (${placeholders(taskIds.length)}) ORDER BY task_id, attempt ${this.dialect.forUpdate}`,
      [...taskIds].sort(),
    );
    return rows.map((row) => ({
      taskId: row.task_id,
      attempt: row.attempt,
      lease: row.lease,
      workerId: row.worker_id,
      lastSeq: row.last_seq,
      bytes: row.kept_bytes,
      full: Number(row.is_full) === 1,
    }));
  }

  /** Whose the attempts of these tasks are: the current one's, and those another followed. */
  async owners(sql: Sql, taskIds: readonly string[]): Promise<AttemptOwner[]> {
    const marks = placeholders(taskIds.length);
    const rows = await sql.rows<{ task_id: string; attempt: number; lease: number; worker_id: string }>(
      `SELECT id AS task_id, attempt, lease, worker_id FROM tasks WHERE id IN (${marks}) AND lease IS NOT NULL
       UNION ALL SELECT task_id, attempt, lease, worker_id FROM attempts WHERE task_id IN (${marks})`,
      [...taskIds, ...taskIds],
    );
    return rows.map((row) => ({ taskId: row.task_id, attempt: row.attempt, lease: row.lease, workerId: row.worker_id }));
  }

  /** Throws a unique violation if somebody else began one of them meanwhile. */
  async begin(tx: Sql, logs: readonly AttemptLog[]): Promise<void> {
    if (logs.length === 0) return;
    await tx.run(
      `INSERT INTO attempt_logs (task_id, attempt, lease, worker_id, last_seq, kept_bytes, is_full)
       VALUES ${logs.map(() => `(${placeholders(7)})`).join(', ')}`,
      logs.flatMap((log) => [log.taskId, log.attempt, log.lease, log.workerId, log.lastSeq, log.bytes, log.full ? 1 : 0]),
    );
  }

  async update(tx: Sql, logs: readonly AttemptLog[]): Promise<void> {
    if (logs.length === 0) return;
    await this.dialect.updateFromRows(tx, {
      table: 'attempt_logs',
      columns: [
        ['task_id', 'id'],
        ['attempt', 'int'],
        ['new_last_seq', 'int'],
        ['new_kept_bytes', 'int'],
        ['new_is_full', 'int'],
      ],
      rows: logs.map((log) => [log.taskId, log.attempt, log.lastSeq, log.bytes, log.full ? 1 : 0]),
      set: { last_seq: 'r.new_last_seq', kept_bytes: 'r.new_kept_bytes', is_full: 'r.new_is_full' },
      on: 't.task_id = r.task_id AND t.attempt = r.attempt',
    });
  }

  async insert(tx: Sql, chunks: readonly LogChunk[], now: number): Promise<void> {
    if (chunks.length === 0) return;
    await tx.run(
      `INSERT INTO attempt_log_chunks (task_id, attempt, first_seq, last_seq, lines_json, created_at)
       VALUES ${chunks.map(() => `(${placeholders(6)})`).join(', ')}`,
      chunks.flatMap(({ taskId, attempt, lines }) => [
        taskId,
        attempt,
        lines[0]?.seq,
        lines.at(-1)?.seq,
        JSON.stringify(lines),
        now,
      ]),
    );
  }

  /** The oldest chunks that were written before the instant (epoch milliseconds); returns how many. What a log counts of itself stays. */
  async removeBefore(sql: Sql, before: number, most: number): Promise<number> {
    const rows = await sql.rows<{ task_id: string; attempt: number; first_seq: number }>(
      `SELECT task_id, attempt, first_seq FROM attempt_log_chunks WHERE created_at < ? ORDER BY created_at LIMIT ${most}`,
      [before],
    );
    if (rows.length === 0) return 0;
    const each = rows.map(() => '(task_id = ? AND attempt = ? AND first_seq = ?)').join(' OR ');
    return sql.run(
      `DELETE FROM attempt_log_chunks WHERE ${each}`,
      rows.flatMap((row) => [row.task_id, row.attempt, row.first_seq]),
    );
  }

  /** Chunks with lines after that one, in the order of attempts and lines. */
  async chunksAfter(
    sql: Sql,
    taskId: string,
    after: { attempt: number; seq: number },
    limit: number,
  ): Promise<{ attempt: number; lines: KeptLine[] }[]> {
    const rows = await sql.rows<{ attempt: number; lines_json: string }>(
      `SELECT attempt, lines_json FROM attempt_log_chunks WHERE task_id = ? AND (attempt > ? OR (attempt = ? AND last_seq > ?))
       ORDER BY attempt, first_seq LIMIT ${limit}`,
      [taskId, after.attempt, after.attempt, after.seq],
    );
    return rows.map((row) => ({ attempt: row.attempt, lines: JSON.parse(row.lines_json) }));
  }

  /** Chunks with lines before that one, the last first. */
  async chunksBefore(
    sql: Sql,
    taskId: string,
    before: { attempt: number; seq: number } | null,
    limit: number,
    attempt?: number,
  ): Promise<{ attempt: number; lines: KeptLine[] }[]> {
    const earlier = before ? 'AND (attempt < ? OR (attempt = ? AND first_seq < ?))' : '';
    const only = attempt === undefined ? '' : 'AND attempt = ?';
    const rows = await sql.rows<{ attempt: number; lines_json: string }>(
      `SELECT attempt, lines_json FROM attempt_log_chunks WHERE task_id = ? ${earlier} ${only}
       ORDER BY attempt DESC, first_seq DESC LIMIT ${limit}`,
      [taskId, ...(before ? [before.attempt, before.attempt, before.seq] : []), ...(attempt === undefined ? [] : [attempt])],
    );
    return rows.map((row) => ({ attempt: row.attempt, lines: JSON.parse(row.lines_json) }));
  }
}

interface LogRow {
  task_id: string;
  attempt: number;
  lease: number;
  worker_id: string;
  last_seq: number;
  kept_bytes: number;
  is_full: number;
}
