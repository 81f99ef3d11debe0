import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { Occupant, Occupation } from '../decisions/overlap.js';
import { resolvePolicies } from '../decisions/policies.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { Job } from '../jobs/job.js';
import { insertRows } from '../platform/database/insert-rows.js';
import { placeholders, type Sql } from '../ports.js';
import { type NewTaskRow, NewTaskStore } from './new-task.store.js';
import { storedShards } from './stored-shards.js';
import type { SkippedTask } from './task-news.js';

const { BLOCKED, SUCCEEDED } = STATE_CODE;
/** With a limit: MariaDB would otherwise read the whole table once instead of the index by each task. */
const UNSTOPPED = '(SELECT u.task_id FROM unstopped_attempts u WHERE u.whole_id = t.id LIMIT 1) IS NOT NULL';
const GOING = `(t.state < ${SUCCEEDED} OR ${UNSTOPPED})`;

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
  /** The backfill it belongs to: it then takes a place of that, not of the job, and its priority. */
  backfill?: { id: string; priority: number };
  /** The flow it joins; absent for a task that begins on its own. */
  flowId?: string;
}

/** Those that ended as they were made. */
export const skippedAmong = (tasks: readonly NewJobTask[]): SkippedTask[] =>
  tasks
    .filter(({ state }) => state === 'SKIPPED')
    .map(({ id, job: { groupId, id: jobId, appId, callbackUrl } }) => ({ id, groupId, jobId, appId, callbackUrl }));

/** Statements about the tasks of jobs: making them, and which of a job's are still going. */
@Injectable()
export class JobTaskStore {
  constructor(
    private readonly newTasks: NewTaskStore,
    private readonly groups: GroupsService,
  ) {}

  /** Their tasks and slots, any number of them. The unique key (job, fire, shard, backfill) is the last guard. */
  async insert(tx: Sql, tasks: readonly NewJobTask[]): Promise<void> {
    await this.newTasks.insertAll(
      tx,
      tasks.map((task) => this.rowOf(task)),
    );
    const going = tasks.filter(({ state }) => state !== 'SKIPPED');
    await this.takeSlots(
      tx,
      going.map(({ id, job, backfill }) => ({ taskId: id, jobId: backfill?.id ?? job.id, partition: job.partition })),
    );
  }

  async takeSlots(tx: Sql, slots: readonly { jobId: string; taskId: string; partition: number }[]): Promise<void> {
    await insertRows(
      tx,
      'job_slots (job_id, task_id, partition_no)',
      slots.map(({ jobId, taskId, partition }) => [jobId, taskId, partition]),
    );
  }

  /** How many of the job's places are taken, counted no further than `most`: the same few rows however many tasks wait there. */
  async taken(sql: Sql, jobId: string, most: number): Promise<number> {
    const rows = await sql.rows(
      `SELECT 1 AS one FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id WHERE s.job_id = ? AND ${GOING} LIMIT ${most}`,
      [jobId],
    );
    return rows.length;
  }

  /** How many tasks of each job (or backfill) are going, and how many wait; counted by the database, however many they are. */
  async occupation(sql: Sql, jobIds: readonly string[]): Promise<Map<string, Occupation>> {
    const occupation = new Map<string, Occupation>(jobIds.map((id) => [id, { going: 0, waiting: 0 }]));
    if (jobIds.length === 0) return occupation;
    const rows = await sql.rows<{ job_id: string; n: number | string; waiting: number | string }>(
      `SELECT s.job_id AS job_id, COUNT(*) AS n, SUM(CASE WHEN t.state = ${BLOCKED} THEN 1 ELSE 0 END) AS waiting
       FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id WHERE s.job_id IN (${placeholders(jobIds.length)}) AND ${GOING} GROUP BY s.job_id`,
      jobIds,
    );
    for (const { job_id, n, waiting } of rows)
      occupation.set(job_id, { going: Number(n) - Number(waiting), waiting: Number(waiting) });
    return occupation;
  }

  /** The first `most` of the job's waiting tasks in the order they came; sorted by the database, since no index could serve it. */
  async firstWaiting(sql: Sql, jobId: string, most: number): Promise<string[]> {
    const rows = await sql.rows<{ id: string }>(
      `SELECT t.id AS id FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id
       WHERE s.job_id = ? AND t.state = ${BLOCKED} ORDER BY t.created_at, t.id LIMIT ${most}`,
      [jobId],
    );
    return rows.map(({ id }) => id);
  }

  /** The tasks of each job that have not ended, or of which an attempt still runs although they have, in the order they came. */
  async occupants(sql: Sql, jobIds: readonly string[]): Promise<Map<string, Occupant[]>> {
    const occupants = new Map<string, Occupant[]>(jobIds.map((id) => [id, []]));
    if (jobIds.length === 0) return occupants;
    const rows = await sql.rows<{ job_id: string; id: string; state: number; created_at: number | string }>(
      `SELECT s.job_id AS job_id, t.id AS id, t.state AS state, t.created_at AS created_at FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id
       WHERE s.job_id IN (${placeholders(jobIds.length)}) AND ${GOING}`,
      jobIds,
    );
    // Sorted here: no index could serve it, and they are few.
    rows.sort((a, b) => Number(a.created_at) - Number(b.created_at) || (a.id < b.id ? -1 : 1));
    for (const { job_id, id, state } of rows) occupants.get(job_id)?.push({ id, waiting: state === BLOCKED });
    return occupants;
  }

  /** Those of which an attempt, or one of a shard, still runs although it was ended keep theirs until it has stopped. */
  async dropSlots(tx: Sql, taskIds: readonly string[]): Promise<void> {
    await tx.run(
      `DELETE FROM job_slots WHERE task_id IN (${placeholders(taskIds.length)}) 
       AND task_id NOT IN (SELECT u.whole_id FROM unstopped_attempts u)`,
      taskIds,
    );
  }

  /** A task that goes again has one place, of its job, whatever place it kept. */
  async renewSlots(tx: Sql, slots: readonly { jobId: string; taskId: string; partition: number }[]): Promise<void> {
    if (slots.length === 0) return;
    await tx.run(
      `DELETE FROM job_slots WHERE task_id IN (${placeholders(slots.length)})`,
      slots.map(({ taskId }) => taskId),
    );
    await this.takeSlots(tx, slots);
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

  /** Which of these fires have a task already; one that a backfill made for the same time is another. */
  async firesOf(sql: Sql, jobId: string, fireTimes: readonly number[]): Promise<Set<number>> {
    if (fireTimes.length === 0) return new Set();
    const rows = await sql.rows<{ fire_at: number | string }>(
      `SELECT fire_at FROM tasks WHERE job_id = ? AND backfill_key = '' AND fire_at IN (${placeholders(fireTimes.length)})`,
      [jobId, ...fireTimes],
    );
    return new Set(rows.map((row) => Number(row.fire_at)));
  }

  /** What the job leaves open its group decides, as it is known to this node now. */
  private rowOf({ job, fireAt, now, backfill, ...task }: NewJobTask): NewTaskRow {
    const { groupId, partition, appId, handler, metadata, callbackUrl } = job;
    const policies = resolvePolicies(job.policies, this.groups.byId(groupId)?.policies ?? {});
    const priority = backfill?.priority ?? policies.priority;
    const shared = { groupId, partition, appId, handler, metadata, callbackUrl, ...policies, priority };
    // One skipped by a policy is never divided; one skipped because of an upstream may still run, when that is retried.
    const never = task.state === 'SKIPPED' && task.reason !== 'upstream_failed';
    const divided = never ? null : storedShards(job.policies.shards);
    return {
      ...task,
      ...shared,
      shards: divided,
      createdAt: now,
      scheduledAt: fireAt ?? now,
      job: { id: job.id, fireAt, backfillKey: backfill?.id },
    };
  }
}
