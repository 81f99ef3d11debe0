import type { JobSchedule } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { insertRows } from '../platform/database/insert-rows.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { JobState } from './job.js';

export interface JobEdge {
  downstreamId: string;
  upstreamId: string;
}
interface EdgeRow {
  downstream_id: string;
  upstream_id: string;
}

/** Every statement about which job waits for which. */
@Injectable()
export class JobEdgeStore {
  constructor(private readonly dialect: SqlDialect) {}

  /**
   * Until the transaction ends nobody else changes edges. Taken after the lock of the job whose edges change. A row that is missing
   * (a dump without it) is put back: without it nobody would wait for anybody.
   */
  async lockGraph(tx: Sql): Promise<void> {
    while ((await tx.rows(`SELECT id FROM job_graph WHERE id = 1 ${this.dialect.forUpdate}`)).length === 0) {
      try {
        await tx.run('INSERT INTO job_graph (id) VALUES (1)');
      } catch (error) {
        if (!this.dialect.isUniqueViolation(error)) throw error;
      }
    }
  }

  async replace(tx: Sql, downstreamId: string, upstreamIds: readonly string[]): Promise<void> {
    await tx.run('DELETE FROM job_edges WHERE downstream_id = ?', [downstreamId]);
    await insertRows(
      tx,
      'job_edges (downstream_id, upstream_id)',
      upstreamIds.map((upstreamId) => [downstreamId, upstreamId]),
    );
  }

  /** Some task of the job waits for upstreams now. */
  async isWaitedOn(tx: Sql, downstreamId: string): Promise<boolean> {
    const rows = await tx.rows(
      'SELECT 1 AS one FROM job_slots s INNER JOIN task_waits w ON w.task_id = s.task_id WHERE s.job_id = ? LIMIT 1',
      [downstreamId],
    );
    return rows.length > 0;
  }

  async upstreamsOf(sql: Sql, downstreamIds: readonly string[]): Promise<JobEdge[]> {
    if (downstreamIds.length === 0) return [];
    const rows = await sql.rows<EdgeRow>(
      `SELECT downstream_id, upstream_id FROM job_edges WHERE downstream_id IN (${placeholders(downstreamIds.length)})`,
      downstreamIds,
    );
    return rows.map(edgeOf);
  }

  /** What each upstream's jobs are waited for by, and the kind of those. */
  async downstreamsOf(sql: Sql, upstreamIds: readonly string[]): Promise<(JobEdge & { kind: string; key: string })[]> {
    if (upstreamIds.length === 0) return [];
    const rows = await sql.rows<EdgeRow & { schedule_kind: string; job_key: string }>(
      `SELECT e.downstream_id AS downstream_id, e.upstream_id AS upstream_id, j.schedule_kind AS schedule_kind, j.job_key AS job_key
       FROM job_edges e INNER JOIN jobs j ON j.id = e.downstream_id WHERE e.upstream_id IN (${placeholders(upstreamIds.length)})`,
      upstreamIds,
    );
    return rows.map((row) => ({ ...edgeOf(row), kind: row.schedule_kind, key: row.job_key }));
  }

  /** Edges that begin or end at one of these jobs. */
  async touching(sql: Sql, jobIds: readonly string[]): Promise<JobEdge[]> {
    if (jobIds.length === 0) return [];
    const ids = placeholders(jobIds.length);
    const rows = await sql.rows<EdgeRow>(
      `SELECT downstream_id, upstream_id FROM job_edges WHERE downstream_id IN (${ids})
       UNION SELECT downstream_id, upstream_id FROM job_edges WHERE upstream_id IN (${ids})`,
      [...jobIds, ...jobIds],
    );
    return rows.map(edgeOf);
  }

  /** The app's jobs that have one of these ids, or one of these keys in the group. */
  async named(
    sql: Sql,
    appId: number | null,
    groupId: number,
    names: readonly string[],
  ): Promise<{ id: string; key: string; groupId: number }[]> {
    const asked = placeholders(names.length);
    const own = appId === null ? 'app_id IS NULL' : 'app_id = ?';
    const rows = await sql.rows<{ id: string; job_key: string; group_id: number }>(
      `SELECT id, job_key, group_id FROM jobs WHERE id IN (${asked}) AND ${own}
       UNION SELECT id, job_key, group_id FROM jobs WHERE group_id = ? AND job_key IN (${asked}) AND ${own}`,
      [...names, ...(appId === null ? [] : [appId]), groupId, ...names, ...(appId === null ? [] : [appId])],
    );
    return rows.map((row) => ({ id: row.id, key: row.job_key, groupId: row.group_id }));
  }

  async standingOf(sql: Sql, ids: readonly string[]): Promise<Map<string, { kind: JobSchedule['kind']; state: JobState }>> {
    if (ids.length === 0) return new Map();
    const rows = await sql.rows<{ id: string; schedule_kind: JobSchedule['kind']; job_state: JobState }>(
      `SELECT id, schedule_kind, job_state FROM jobs WHERE id IN (${placeholders(ids.length)})`,
      ids,
    );
    return new Map(rows.map((row) => [row.id, { kind: row.schedule_kind, state: row.job_state }]));
  }

  async keysOf(sql: Sql, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await sql.rows<{ id: string; job_key: string }>(
      `SELECT id, job_key FROM jobs WHERE id IN (${placeholders(ids.length)})`,
      ids,
    );
    return new Map(rows.map((row) => [row.id, row.job_key]));
  }
}

const edgeOf = (row: EdgeRow): JobEdge => ({ downstreamId: row.downstream_id, upstreamId: row.upstream_id });
