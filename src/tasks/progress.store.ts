import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../decisions/state-codes.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

const { DISPATCHED, RUNNING, SUCCEEDED } = STATE_CODE;

/** What a worker's beat said of one running attempt. */
export interface AttemptProgress {
  taskId: string;
  lease: number;
  workerId: string;
  incarnation: string;
  /** 0 to 1; undefined if nothing new was said. */
  progress?: number;
  /** JSON text; undefined if nothing new was said. */
  checkpoint?: string;
}

/** Parts of the whole that `tasks.progress` counts. */
export const PROGRESS_PARTS = 10_000;

/** Statements about how far attempts have come. None of them moves a task's version or touches its timeline. */
@Injectable()
export class ProgressStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** Only of attempts that are still the task's: what a replaced worker says changes nothing. */
  async saveProgress(sql: Sql, reports: readonly AttemptProgress[]): Promise<void> {
    if (reports.length === 0) return;
    await this.dialect.updateFromRows(sql, {
      table: 'tasks',
      columns: [...ATTEMPT, ['new_progress', 'int']],
      rows: reports.map((report) => [...attemptOf(report), Math.round((report.progress as number) * PROGRESS_PARTS)]),
      set: { progress: 'r.new_progress' },
      on: IS_CURRENT,
    });
  }

  /**
   * In a transaction, so that it either sees the task's success and keeps nothing, or is seen by it and forgotten. Ids ascending.
   */
  async saveCheckpoints(tx: Sql, reports: readonly AttemptProgress[], now: number): Promise<void> {
    const ids = reports.map(({ taskId }) => taskId);
    await this.dialect.updateFromRows(tx, {
      table: 'tasks',
      columns: [...ATTEMPT, ['new_checkpoint_at', 'bigint']],
      rows: reports.map((report) => [...attemptOf(report), now]),
      set: { checkpoint_at: 'r.new_checkpoint_at' },
      on: IS_CURRENT,
    });
    const current = await tx.rows<{ id: string; lease: number; worker_id: string; worker_incarnation: string }>(
      `SELECT id, lease, worker_id, worker_incarnation FROM tasks WHERE id IN (${placeholders(ids.length)}) AND state IN (${DISPATCHED}, ${RUNNING})`,
      ids,
    );
    const currentKeys = new Set(current.map((row) => [row.id, row.lease, row.worker_id, row.worker_incarnation].join(' ')));
    for (const report of reports) {
      if (!currentKeys.has(attemptOf(report).join(' '))) continue;
      const row = [report.checkpoint, now, report.taskId];
      const known = await tx.run('UPDATE task_checkpoints SET checkpoint_json = ?, saved_at = ? WHERE task_id = ?', row);
      if (known === 0) await tx.run('INSERT INTO task_checkpoints (checkpoint_json, saved_at, task_id) VALUES (?, ?, ?)', row);
    }
  }

  /** JSON texts by task. */
  async checkpointsOf(sql: Sql, taskIds: readonly string[]): Promise<Map<string, string>> {
    if (taskIds.length === 0) return new Map();
    const rows = await sql.rows<{ task_id: string; checkpoint_json: string }>(
      `SELECT task_id, checkpoint_json FROM task_checkpoints WHERE task_id IN (${placeholders(taskIds.length)})`,
      taskIds,
    );
    return new Map(rows.map((row) => [row.task_id, row.checkpoint_json]));
  }

  /** Of tasks that succeeded: nobody goes on from there. In the transaction of the success. */
  async forgetCheckpoints(tx: Sql, taskIds: readonly string[]): Promise<void> {
    if (taskIds.length === 0) return;
    const marks = placeholders(taskIds.length);
    await tx.run(`DELETE FROM task_checkpoints WHERE task_id IN (${marks})`, taskIds);
    await tx.run(`UPDATE tasks SET checkpoint_at = NULL WHERE id IN (${marks}) AND state = ${SUCCEEDED}`, taskIds);
  }
}

const ATTEMPT = [
  ['id', 'id'],
  ['lease', 'int'],
  ['worker_id', 'id'],
  ['worker_incarnation', 'id'],
] as const;
const attemptOf = ({ taskId, lease, workerId, incarnation }: AttemptProgress) => [taskId, lease, workerId, incarnation];
const IS_CURRENT = `t.id = r.id AND t.lease = r.lease AND t.worker_id = r.worker_id AND t.worker_incarnation = r.worker_incarnation
  AND t.state IN (${DISPATCHED}, ${RUNNING})`;
