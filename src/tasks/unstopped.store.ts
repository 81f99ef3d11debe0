import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../ports.js';
import type { TaskRecord } from './task.js';

export interface UnstoppedAttempt {
  taskId: string;
  groupId: number;
  partition: number;
  lease: number;
  workerId: string;
  incarnation: string;
}

/** Statements about attempts that the centre ended although their worker still names them. */
@Injectable()
export class UnstoppedStore {
  /** In the transaction of the end, before its consequences: the slot of such a task stays taken. */
  async add(tx: Sql, tasks: readonly TaskRecord[], now: number): Promise<void> {
    for (const task of tasks)
      await tx.run(
        `INSERT INTO unstopped_attempts (task_id, whole_id, group_id, partition_no, lease, worker_id, worker_incarnation, ended_at) VALUES (${placeholders(8)})`,
        [task.id, task.parentId ?? task.id, task.groupId, task.partition, task.lease, task.workerId, task.workerIncarnation, now],
      );
  }

  async ofPartitions(sql: Sql, partitions: readonly number[]): Promise<UnstoppedAttempt[]> {
    if (partitions.length === 0) return [];
    const rows = await sql.rows<Row>(
      `SELECT task_id, group_id, partition_no, lease, worker_id, worker_incarnation FROM unstopped_attempts
       WHERE partition_no IN (${placeholders(partitions.length)}) ORDER BY task_id`,
      partitions,
    );
    return rows.map((row) => ({
      taskId: row.task_id,
      groupId: row.group_id,
      partition: row.partition_no,
      lease: row.lease,
      workerId: row.worker_id,
      incarnation: row.worker_incarnation,
    }));
  }

  /** Their places are free again. Returns the jobs that may have a next turn. */
  async release(tx: Sql, taskIds: readonly string[]): Promise<string[]> {
    if (taskIds.length === 0) return [];
    const marks = placeholders(taskIds.length);
    await tx.run(`DELETE FROM unstopped_attempts WHERE task_id IN (${marks})`, taskIds);
    const rows = await tx.rows<{ job_id: string }>(
      `SELECT DISTINCT job_id FROM tasks WHERE id IN (${marks}) AND job_id IS NOT NULL ORDER BY job_id`,
      taskIds,
    );
    return rows.map((row) => row.job_id);
  }
}

interface Row {
  task_id: string;
  group_id: number;
  partition_no: number;
  lease: number;
  worker_id: string;
  worker_incarnation: string;
}
