import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../decisions/state-codes.js';
import { firstIdAt } from '../platform/ids.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

const { SUCCEEDED } = STATE_CODE;
const ENDED_AT = 'COALESCE(t.ended_at, t.created_at)';
/** What belongs to a task alone. Edges from it to what still waits stay: an upstream that is gone counts for nothing. */
const BELONGINGS = [
  ['attempts', 'task_id'],
  ['attempt_log_chunks', 'task_id'],
  ['attempt_logs', 'task_id'],
  ['task_checkpoints', 'task_id'],
  ['task_edges', 'downstream_id'],
  ['period_waits', 'task_id'],
  ['task_waits', 'task_id'],
  ['flow_tasks', 'task_id'],
  ['job_slots', 'task_id'],
] as const;

const GIVEN = "JSON_TABLE(?, '$[*]' COLUMNS(id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin PATH '$'))";

/** Statements that find and remove tasks that ended long ago. Instants are epoch milliseconds. */
@Injectable()
export class OldTasksStore {
  constructor(private readonly dialect: SqlDialect) {}

  /**
   * The next tasks in that end state after that id that were created before the instant, oldest first, each with whether it had
   * also ended by then: read from the index of states, so that those that went on for longer are passed over only once a pass.
   */
  async stretch(sql: Sql, state: number, after: string, before: number, most: number): Promise<{ id: string; ended: boolean }[]> {
    const hint = this.dialect.name === 'mysql' ? 'FORCE INDEX (ix_tasks_state)' : 'INDEXED BY ix_tasks_state';
    const rows = await sql.rows<{ id: string; ended: number | string }>(
      `SELECT t.id AS id, ${ENDED_AT} < ? AS ended FROM tasks${this.dialect.name === 'mysql' ? ' t' : ' AS t'} ${hint}
       WHERE t.state = ? AND t.id > ? AND t.id < ? ORDER BY t.id LIMIT ${most}`,
      [before, state, after, firstIdAt('task', before)],
    );
    return rows.map(({ id, ended }) => ({ id, ended: Number(ended) === 1 }));
  }

  /** Of these, those that nothing needs any more: no shards of a task that is still there, and none of which an attempt still runs. */
  async free(sql: Sql, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await sql.rows<{ id: string }>(
      `SELECT t.id AS id FROM tasks t WHERE t.id IN (${placeholders(ids.length)})
       AND (t.parent_id IS NULL OR NOT EXISTS (SELECT p.id FROM tasks p WHERE p.id = t.parent_id))
       AND NOT EXISTS (SELECT u.task_id FROM unstopped_attempts u WHERE u.whole_id = t.id)`,
      ids,
    );
    return rows.map(({ id }) => id);
  }

  /** Locks those of them that are still ended, and have been since before the instant. What somebody else holds is left for later. */
  async lock(tx: Sql, ids: readonly string[], before: number): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await tx.rows<{ id: string }>(
      `SELECT t.id AS id FROM tasks t WHERE t.id IN (${placeholders(ids.length)}) AND t.state >= ${SUCCEEDED} AND ${ENDED_AT} < ?
       ORDER BY t.id ${this.dialect.forUpdateSkipLocked}`,
      [...ids, before],
    );
    return rows.map(({ id }) => id);
  }

  /** With all that belongs to them. Looked for first: a DELETE that finds nothing in a small table may wait for rows of others. */
  async remove(tx: Sql, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const marks = placeholders(ids.length);
    for (const [table, column] of BELONGINGS) {
      const found = await tx.rows<{ id: string }>(
        `SELECT DISTINCT ${column} AS id FROM ${table} WHERE ${column} IN (${marks})`,
        ids,
      );
      const those = found.map(({ id }) => id);
      if (those.length > 0) await tx.run(`DELETE FROM ${table} WHERE ${column} IN (${placeholders(those.length)})`, those);
    }
    // One after the other: of a small table MySQL would read all, and wait for tasks that others hold.
    if (this.dialect.name === 'mysql')
      await tx.run(`DELETE t FROM ${GIVEN} r STRAIGHT_JOIN tasks t ON t.id = r.id`, [JSON.stringify(ids)]);
    else await tx.run(`DELETE FROM tasks WHERE id IN (${marks})`, ids);
  }

  /** Events apps sent before the instant, the oldest; returns how many. Their `clientRequestId` is free again, like a task's. */
  async removeEvents(sql: Sql, before: number, most: number): Promise<number> {
    const rows = await sql.rows<{ id: string }>(`SELECT id FROM app_events WHERE id < ? ORDER BY id LIMIT ${most}`, [
      firstIdAt('evt', before),
    ]);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    return sql.run(`DELETE FROM app_events WHERE id IN (${placeholders(ids.length)})`, ids);
  }
}
