import { Injectable } from '@nestjs/common';
import type { JobDefinition } from '../decisions/job-definition.js';
import type { LatestTask } from '../decisions/plan-fires.js';
import { storedSchedule } from '../decisions/schedule/stored-schedule.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { storedPolicies } from '../decisions/stored-definition.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { Job, JobFilter, JobVersion, NewJob } from './job.js';
import { DEFINITION_COLUMNS, definitionValues, JOB_COLUMNS, type JobRow, jobOf } from './job-row.js';

/** What firing a job writes, from the fire it was planned for. */
export interface FireAdvance {
  id: string;
  /** `next_fire_at` as it was read; the write succeeds only from it. */
  from: number;
  next: number | null;
  lastFireAt: number | null;
}

/** Of a job's tasks, the newest so many are asked when one of them ended last. */
const LATEST = 20;

/** Every statement about jobs and their history. */
@Injectable()
export class JobStore {
  constructor(private readonly dialect: SqlDialect) {}

  async insert(
    tx: Sql,
    id: string,
    job: NewJob,
    definition: JobDefinition,
    nextFireAt: number | null,
    now: number,
  ): Promise<void> {
    const columns = ['id', 'group_id', 'partition_no', 'job_key', 'job_state', 'next_fire_at', 'fire_failures', 'app_id'];
    columns.push('client_request_id', 'request_fp', 'version', 'created_at', 'updated_at', ...DEFINITION_COLUMNS);
    await tx.run(`INSERT INTO jobs (${columns.join(', ')}) VALUES (${placeholders(columns.length)})`, [
      id,
      job.groupId,
      job.partition,
      job.key,
      'active',
      nextFireAt,
      0,
      job.appId,
      job.clientRequestId,
      job.fingerprint,
      1,
      now,
      now,
      ...definitionValues(definition),
    ]);
  }

  async keepVersion(tx: Sql, id: string, version: number, definition: JobDefinition, by: string, now: number): Promise<void> {
    await tx.run('INSERT INTO job_versions (job_id, version, definition_json, changed_by, changed_at) VALUES (?, ?, ?, ?, ?)', [
      id,
      version,
      JSON.stringify(definition),
      by,
      now,
    ]);
  }

  /** Newest first; none whose definition cannot be read. */
  async versions(sql: Sql, id: string): Promise<JobVersion[]> {
    const rows = await sql.rows<{ version: number; definition_json: string; changed_by: string; changed_at: number | string }>(
      'SELECT version, definition_json, changed_by, changed_at FROM job_versions WHERE job_id = ? ORDER BY version DESC',
      [id],
    );
    return rows.flatMap((row) => {
      const definition = keptDefinition(row.definition_json);
      return definition
        ? [{ version: row.version, definition, changedBy: row.changed_by, changedAt: Number(row.changed_at) }]
        : [];
    });
  }

  /** One definition the job has had; null if it has none of that version, or no longer, or it cannot be read. */
  async definition(sql: Sql, id: string, version: number): Promise<JobDefinition | null> {
    const [row] = await sql.rows<{ definition_json: string }>(
      'SELECT definition_json FROM job_versions WHERE job_id = ? AND version = ?',
      [id, version],
    );
    return row ? keptDefinition(row.definition_json) : null;
  }

  async find(sql: Sql, id: string): Promise<Job | null> {
    const [row] = await sql.rows<JobRow>(`SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`, [id]);
    return row ? jobOf(row) : null;
  }

  async findByRequest(sql: Pick<Sql, 'rows'>, appId: number, clientRequestId: string): Promise<Job | null> {
    const [row] = await sql.rows<JobRow>(`SELECT ${JOB_COLUMNS} FROM jobs WHERE app_id = ? AND client_request_id = ?`, [
      appId,
      clientRequestId,
    ]);
    return row ? jobOf(row) : null;
  }

  /** Newest first. */
  async list(sql: Sql, { appId, groupIds, key, state, before, limit }: JobFilter): Promise<Job[]> {
    if (groupIds?.length === 0) return [];
    const stated = [
      ['app_id = ?', appId],
      ['job_key = ?', key],
      ['job_state = ?', state],
      ['id < ?', before],
    ].filter(([, value]) => value !== undefined);
    const where = stated.map(([condition]) => condition);
    if (groupIds) where.push(`group_id IN (${placeholders(groupIds.length)})`);
    const rows = await sql.rows<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM jobs WHERE ${where.join(' AND ')} ORDER BY app_id DESC, id DESC LIMIT ${limit}`,
      [...stated.map(([, value]) => value), ...(groupIds ?? [])],
    );
    return rows.map(jobOf);
  }

  /** Those of these jobs that there are, by their ids. */
  async withIds(sql: Sql, ids: readonly string[]): Promise<Job[]> {
    if (ids.length === 0) return [];
    const rows = await sql.rows<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM jobs WHERE id IN (${placeholders(ids.length)}) ORDER BY id`,
      ids,
    );
    return rows.map(jobOf);
  }

  /** Locks these jobs until the transaction ends, ids ascending so that two batches cannot deadlock. */
  async lock(tx: Sql, ids: readonly string[]): Promise<Job[]> {
    if (ids.length === 0) return [];
    const rows = await tx.rows<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM jobs WHERE id IN (${placeholders(ids.length)}) ORDER BY id ${this.dialect.forUpdate}`,
      [...ids].sort(),
    );
    return rows.map(jobOf);
  }

  /** Whether some task of the job has not ended, and when the latest one that ran did: looked for among its latest. */
  async latestTask(sql: Sql, id: string): Promise<LatestTask> {
    const going = await sql.rows(
      `SELECT 1 AS one FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id WHERE s.job_id = ? AND t.state < ${STATE_CODE.SUCCEEDED} LIMIT 1`,
      [id],
    );
    const [latest] = await sql.rows<{ at: number | string | null }>(
      `SELECT MAX(ended_at) AS at FROM (SELECT ended_at FROM tasks
       WHERE job_id = ? AND parent_id IS NULL AND state <> ${STATE_CODE.SKIPPED} ORDER BY id DESC LIMIT ${LATEST}) latest`,
      [id],
    );
    const at = latest?.at ?? null;
    return { going: going.length > 0, endedAt: at === null ? null : Number(at) };
  }

  /** Writes the definition as the next version. The caller holds the row's lock. */
  async redefine(tx: Sql, job: Job, definition: JobDefinition, now: number): Promise<void> {
    const assignments = DEFINITION_COLUMNS.map((column) => `${column} = ?`).join(', ');
    await tx.run(`UPDATE jobs SET ${assignments}, version = version + 1, updated_at = ? WHERE id = ? AND version = ?`, [
      ...definitionValues(definition),
      now,
      job.id,
      job.version,
    ]);
  }

  /** Into another group. The caller holds the row's lock; throws a unique violation if that group has a job of this key. */
  async move(tx: Sql, id: string, groupId: number, partition: number, now: number): Promise<void> {
    await tx.run('UPDATE jobs SET group_id = ?, partition_no = ?, updated_at = ? WHERE id = ?', [groupId, partition, now, id]);
  }

  /** Whether it fires, and when. The caller holds the row's lock. */
  async plan(
    tx: Sql,
    id: string,
    {
      state,
      pauseReason,
      nextFireAt,
      pausedFireAt,
      fireFailures,
    }: Pick<Job, 'state' | 'pauseReason' | 'nextFireAt' | 'pausedFireAt' | 'fireFailures'>,
  ): Promise<void> {
    await tx.run(
      'UPDATE jobs SET job_state = ?, pause_reason = ?, next_fire_at = ?, paused_fire_at = ?, fire_failures = ? WHERE id = ?',
      [state, pauseReason, nextFireAt, pausedFireAt, fireFailures, id],
    );
  }

  /** Moves jobs on from the fire they were planned for. Returns how many still were. */
  async advance(tx: Sql, advances: readonly FireAdvance[]): Promise<number> {
    if (advances.length === 0) return 0;
    return this.dialect.updateFromRows(tx, {
      table: 'jobs',
      columns: [
        ['id', 'id'],
        ['fired_from', 'bigint'],
        ['new_next', 'bigint'],
        ['new_last', 'bigint'],
      ],
      rows: advances.map(({ id, from, next, lastFireAt }) => [id, from, next, lastFireAt]),
      set: { next_fire_at: 'r.new_next', last_fire_at: 'COALESCE(r.new_last, t.last_fire_at)', fire_failures: '0' },
      on: "t.id = r.id AND t.next_fire_at = r.fired_from AND t.job_state = 'active'",
    });
  }

  /** The history goes with the job; its tasks stay and keep its id. */
  async remove(tx: Sql, id: string): Promise<void> {
    await tx.run('DELETE FROM job_versions WHERE job_id = ?', [id]);
    await tx.run('DELETE FROM jobs WHERE id = ?', [id]);
  }

  /** Jobs of the partitions that fire until `until`, earliest first, overdue included. */
  async firingUntil(
    sql: Sql,
    partitions: readonly number[],
    until: number,
    limit: number,
  ): Promise<{ id: string; partition: number; dueAt: number }[]> {
    const rows = await sql.rows<{ id: string; partition_no: number; next_fire_at: number | string }>(
      `SELECT id, partition_no, next_fire_at FROM jobs WHERE next_fire_at <= ? AND partition_no IN (${placeholders(partitions.length)}) ORDER BY next_fire_at LIMIT ${limit}`,
      [until, ...partitions],
    );
    return rows.map((row) => ({ id: row.id, partition: row.partition_no, dueAt: Number(row.next_fire_at) }));
  }

  /** Jobs of the kind `after` that wait for the end of a task although none is going. */
  async strandedAfter(sql: Sql, partitions: readonly number[]): Promise<{ id: string; partition: number }[]> {
    const rows = await sql.rows<{ id: string; partition_no: number }>(
      `SELECT j.id AS id, j.partition_no AS partition_no FROM jobs j
       WHERE j.partition_no IN (${placeholders(partitions.length)}) AND j.schedule_kind = 'after' AND j.job_state = 'active' AND j.next_fire_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM job_slots s INNER JOIN tasks t ON t.id = s.task_id WHERE s.job_id = j.id AND t.state < ${STATE_CODE.SUCCEEDED})`,
      partitions,
    );
    return rows.map((row) => ({ id: row.id, partition: row.partition_no }));
  }
}

/** Null if the text is not a definition: its schedule and policies are those of a job, checked as a job's row is. */
function keptDefinition(text: string): JobDefinition | null {
  try {
    const definition = JSON.parse(text) as JobDefinition;
    storedSchedule(JSON.stringify(definition.schedule));
    storedPolicies(JSON.stringify(definition.policies));
    return definition;
  } catch {
    return null;
  }
}
