import { Injectable } from '@nestjs/common';
import { instantOfId } from '../../platform/ids.js';
import { type Sql, SqlDialect } from '../../ports.js';
import type { RetentionKind } from '../contract/system.js';
import { TEN_MINUTES } from '../rollups/rollup.js';

const OLDEST: Record<RetentionKind, string> = {
  tasks: 'SELECT MIN(id) AS oldest FROM tasks',
  logs: 'SELECT MIN(created_at) AS oldest FROM attempt_log_chunks',
  audit: 'SELECT MIN(id) AS oldest FROM audit_log',
  figures: `SELECT MIN(begins_at) AS oldest FROM task_rollups WHERE span_ms = ${TEN_MINUTES}`,
};
const IS_ID: Record<RetentionKind, boolean> = { tasks: true, logs: false, audit: true, figures: false };

const TABLE: Record<RetentionKind, string> = {
  tasks: 'tasks',
  logs: 'attempt_log_chunks',
  audit: 'audit_log',
  figures: 'task_rollups',
};

/** How far back each kind goes, from the beginning of one index, and about how many rows there are. */
@Injectable()
export class RetentionStore {
  constructor(private readonly dialect: SqlDialect) {}

  async rows(sql: Sql, kind: RetentionKind): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>(`SELECT ${this.dialect.estimatedRows(TABLE[kind])} AS n`);
    return Number(row?.n ?? 0);
  }

  /** Epoch milliseconds; null if there is nothing. */
  async oldest(sql: Sql, kind: RetentionKind): Promise<number | null> {
    const [row] = await sql.rows<{ oldest: string | number | null }>(OLDEST[kind]);
    const oldest = row?.oldest ?? null;
    if (oldest === null) return null;
    return IS_ID[kind] ? instantOfId(String(oldest)) : Number(oldest);
  }
}
