import { Injectable } from '@nestjs/common';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { Backfill, BackfillState } from './job-backfill.js';

type Instant = number | string;
interface BackfillRow {
  id: string;
  job_id: string;
  partition_no: number;
  request_fp: string | null;
  job_version: number;
  from_at: Instant;
  until_at: Instant;
  next_at: Instant;
  fires: number;
  made: number;
  priority: number;
  max_parallel: number;
  backfill_state: string;
  requested_by: string;
  created_at: Instant;
  updated_at: Instant;
}
const COLUMNS =
  'id, job_id, partition_no, request_fp, job_version, from_at, until_at, next_at, fires, made, priority, max_parallel, backfill_state, requested_by, created_at, updated_at';

/** Statements about backfills; their tasks are the task room's. */
@Injectable()
export class JobBackfillStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** The unique key (job, clientRequestId) decides that a request is one backfill. */
  async insert(
    sql: Sql,
    backfill: Backfill,
    { clientRequestId, fingerprint }: { clientRequestId: string | null; fingerprint: string | null },
  ): Promise<void> {
    await sql.run(`INSERT INTO job_backfills (client_request_id, ${COLUMNS}) VALUES (${placeholders(17)})`, [
      clientRequestId,
      backfill.id,
      backfill.jobId,
      backfill.partition,
      fingerprint,
      backfill.jobVersion,
      backfill.fromAt,
      backfill.untilAt,
      backfill.nextAt,
      backfill.fires,
      backfill.made,
      backfill.priority,
      backfill.maxParallel,
      backfill.state,
      backfill.requestedBy,
      backfill.createdAt,
      backfill.updatedAt,
    ]);
  }

  async find(sql: Sql, id: string): Promise<Backfill | null> {
    const [row] = await sql.rows<BackfillRow>(`SELECT ${COLUMNS} FROM job_backfills WHERE id = ?`, [id]);
    return row ? backfillOf(row) : null;
  }

  async findByRequest(
    sql: Sql,
    jobId: string,
    clientRequestId: string,
  ): Promise<{ backfill: Backfill; fingerprint: string | null } | null> {
    const [row] = await sql.rows<BackfillRow>(`SELECT ${COLUMNS} FROM job_backfills WHERE job_id = ? AND client_request_id = ?`, [
      jobId,
      clientRequestId,
    ]);
    return row ? { backfill: backfillOf(row), fingerprint: row.request_fp } : null;
  }

  /** Newest first. */
  async ofJob(sql: Sql, jobId: string, limit: number): Promise<Backfill[]> {
    const rows = await sql.rows<BackfillRow>(
      `SELECT ${COLUMNS} FROM job_backfills WHERE job_id = ? ORDER BY id DESC LIMIT ${limit}`,
      [jobId],
    );
    return rows.map(backfillOf);
  }

  async lock(tx: Sql, id: string): Promise<Backfill | null> {
    const [row] = await tx.rows<BackfillRow>(`SELECT ${COLUMNS} FROM job_backfills WHERE id = ? ${this.dialect.forUpdate}`, [id]);
    return row ? backfillOf(row) : null;
  }

  /** Those of the partitions that still have tasks to make. */
  async running(sql: Sql, partitions: readonly number[]): Promise<{ id: string; partition: number }[]> {
    const rows = await sql.rows<{ id: string; partition_no: number }>(
      `SELECT id, partition_no FROM job_backfills WHERE backfill_state = 'running' AND partition_no IN (${placeholders(partitions.length)})`,
      partitions,
    );
    return rows.map((row) => ({ id: row.id, partition: row.partition_no }));
  }

  /** How far it is. The caller holds the row's lock. */
  async advance(tx: Sql, { id, nextAt, made, state }: Backfill, now: number): Promise<void> {
    await tx.run('UPDATE job_backfills SET next_at = ?, made = ?, backfill_state = ?, updated_at = ? WHERE id = ?', [
      nextAt,
      made,
      state,
      now,
      id,
    ]);
  }
}

const backfillOf = (row: BackfillRow): Backfill => ({
  id: row.id,
  jobId: row.job_id,
  partition: row.partition_no,
  jobVersion: row.job_version,
  fromAt: Number(row.from_at),
  untilAt: Number(row.until_at),
  nextAt: Number(row.next_at),
  fires: row.fires,
  made: row.made,
  priority: row.priority,
  maxParallel: row.max_parallel,
  state: row.backfill_state as BackfillState,
  requestedBy: row.requested_by,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
