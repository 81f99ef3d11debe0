import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../ports.js';
import type { TaskRecord } from './task.js';
import type { AttemptRow } from './task-row.js';

/** An attempt as it ended, to be kept beside the one that follows. */
export interface EndedAttemptRow {
  task: TaskRecord;
  outcome: string;
  startedAt: number | null;
  endedAt: number;
  error: unknown;
}

/** Statements about attempts that ended while their task went on, and about results that came too late. */
@Injectable()
export class AttemptStore {
  /** Keeps the attempts that another one follows, as they ended. Writing one again changes nothing. */
  async archive(tx: Sql, attempts: readonly EndedAttemptRow[]): Promise<void> {
    for (const { task, outcome, startedAt, endedAt, error } of attempts) {
      const kept = await tx.run(`UPDATE attempts SET ended_at = ended_at WHERE task_id = ? AND attempt = ?`, [
        task.id,
        task.attempt,
      ]);
      if (kept > 0) continue;
      await tx.run(
        `INSERT INTO attempts (task_id, attempt, lease, worker_id, worker_incarnation, started_at, ended_at, outcome, error_json) VALUES (${placeholders(9)})`,
        [
          task.id,
          task.attempt,
          task.lease,
          task.workerId,
          task.workerIncarnation,
          startedAt,
          endedAt,
          outcome,
          error ? JSON.stringify(error) : null,
        ],
      );
    }
  }

  async attemptsOf(sql: Sql, taskId: string): Promise<AttemptRow[]> {
    return sql.rows<AttemptRow>(
      'SELECT attempt, lease, worker_id, started_at, ended_at, outcome, error_json FROM attempts WHERE task_id = ? ORDER BY attempt',
      [taskId],
    );
  }

  /** Of attempts whose result came too late, that result. */
  async lateResultsOf(sql: Sql, taskId: string): Promise<{ attempt: number; late_json: string }[]> {
    return sql.rows('SELECT attempt, late_json FROM attempts WHERE task_id = ? AND late_json IS NOT NULL ORDER BY attempt', [
      taskId,
    ]);
  }

  /** Keeps a result that came too late on the attempt it belongs to. False if that attempt has none kept yet. */
  async keepLateResult(tx: Sql, taskId: string, lease: number, late: string): Promise<boolean> {
    return (await tx.run('UPDATE attempts SET late_json = ? WHERE task_id = ? AND lease = ?', [late, taskId, lease])) > 0;
  }
}
