import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { CallbackOutbox, type EndedTask } from '../callbacks/callback-outbox.js';
import type { Occupant } from '../decisions/overlap.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import type { Job } from '../jobs/job.js';
import { placeholders, type Sql } from '../ports.js';
import { type NewTaskRow, NewTaskStore } from './new-task.store.js';

const { BLOCKED, SUCCEEDED } = STATE_CODE;

/** A task of a job to be inserted. */
export interface NewJobTask {
  id: string;
  job: Job;
  state: 'PENDING' | 'SCHEDULED' | 'BLOCKED' | 'SKIPPED';
  reason: ReasonCode | null;
  /** Null for a run asked for by hand. */
  fireAt: number | null;
  dueAt: number;
  /** JSON text. */
  params: string;
  /** JSON text; tells of the fires a SKIPPED task stands for. */
  result: string | null;
  clientRequestId: string | null;
  fingerprint: string | null;
  actor: string;
  now: number;
}

/** Statements about the tasks of jobs: making them, and which of a job's are still going. */
@Injectable()
export class JobTaskStore {
  constructor(
    private readonly newTasks: NewTaskStore,
    private readonly outbox: CallbackOutbox,
  ) {}

  /** One statement for all tasks and one for their slots; subscribers are told of those that are SKIPPED at once. The unique key (job, fire, shard, backfill) is the last guard. */
  async insert(tx: Sql, tasks: readonly NewJobTask[]): Promise<void> {
    await this.newTasks.insert(tx, tasks.map(rowOf));
    const skipped = tasks.filter(({ state }) => state === 'SKIPPED');
    if (skipped.length > 0) await this.outbox.record(tx, skipped.map(skippedTask), skipped[0]?.now ?? 0);
    const going = tasks.filter(({ state }) => state !== 'SKIPPED');
    if (going.length === 0) return;
    await tx.run(
      `INSERT INTO job_slots (job_id, task_id, partition_no) VALUES ${going.map(() => '(?, ?, ?)').join(', ')}`,
      going.flatMap(({ id, job }) => [job.id, id, job.partition]),
    );
  }

  /** The tasks of each job that have not ended, in the order they came. */
  async occupants(sql: Sql, jobIds: readonly string[]): Promise<Map<string, Occupant[]>> {
    const occupants = new Map<string, Occupant[]>(jobIds.map((id) => [id, []]));
    if (jobIds.length === 0) return occupants;
    const rows = await sql.rows<{ job_id: string; id: string; state: number }>(
      `SELECT s.job_id AS job_id, t.id AS id, t.state AS state FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id
       WHERE s.job_id IN (${placeholders(jobIds.length)}) AND t.state < ${SUCCEEDED} ORDER BY t.created_at, t.id`,
      jobIds,
    );
    for (const { job_id, id, state } of rows) occupants.get(job_id)?.push({ id, waiting: state === BLOCKED });
    return occupants;
  }

  async dropSlots(tx: Sql, taskIds: readonly string[]): Promise<void> {
    await tx.run(`DELETE FROM job_slots WHERE task_id IN (${placeholders(taskIds.length)})`, taskIds);
  }

  /** Slots whose task has ended, left by a node that did not know of slots. */
  async dropStaleSlots(tx: Sql, jobIds: readonly string[]): Promise<void> {
    const rows = await tx.rows<{ task_id: string }>(
      `SELECT s.task_id AS task_id FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id
       WHERE s.job_id IN (${placeholders(jobIds.length)}) AND t.state >= ${SUCCEEDED}`,
      jobIds,
    );
    if (rows.length > 0)
      await this.dropSlots(
        tx,
        rows.map(({ task_id }) => task_id),
      );
  }

  /** Jobs of the partitions with a task that waits for its turn, or with a slot of one that has ended. */
  async waitingJobs(sql: Sql, partitions: readonly number[]): Promise<{ id: string; partition: number }[]> {
    const rows = await sql.rows<{ job_id: string; partition_no: number }>(
      `SELECT DISTINCT s.job_id AS job_id, s.partition_no AS partition_no FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id
       WHERE s.partition_no IN (${placeholders(partitions.length)}) AND (t.state = ${BLOCKED} OR t.state >= ${SUCCEEDED})`,
      partitions,
    );
    return rows.map((row) => ({ id: row.job_id, partition: row.partition_no }));
  }

  /** Which of these fires have a task already. */
  async firesOf(sql: Sql, jobId: string, fireTimes: readonly number[]): Promise<Set<number>> {
    if (fireTimes.length === 0) return new Set();
    const rows = await sql.rows<{ fire_at: number | string }>(
      `SELECT fire_at FROM tasks WHERE job_id = ? AND fire_at IN (${placeholders(fireTimes.length)})`,
      [jobId, ...fireTimes],
    );
    return new Set(rows.map((row) => Number(row.fire_at)));
  }
}

function rowOf({ job, fireAt, now, ...task }: NewJobTask): NewTaskRow {
  const { priority, timeoutMs, ...options } = job.policies;
  const { groupId, partition, appId, handler, metadata, callbackUrl } = job;
  const policies = { groupId, partition, appId, handler, metadata, callbackUrl, priority, timeoutMs, options };
  return { ...task, ...policies, createdAt: now, scheduledAt: fireAt ?? now, job: { id: job.id, fireAt } };
}

/** A fire that became no work: it has ended before it began. */
function skippedTask({ id, job, reason, clientRequestId, fireAt, result, now }: NewJobTask): EndedTask {
  const { appId, callbackUrl } = job;
  const names = { id, appId, callbackUrl, clientRequestId, jobId: job.id, seq: 1, state: 'SKIPPED' as const, reason };
  return { ...names, scheduledAt: fireAt ?? now, createdAt: now, endedAt: now, attempts: 0, result, error: null };
}
