import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../ports.js';
import type { Job } from './job.js';

/**
 * The requests that created jobs which are deleted since. Written by the transaction that deletes the job, so at every instant a
 * clientRequestId that has created a job is found with the job or here.
 */
@Injectable()
export class DeletedJobStore {
  /** Nothing of a job that was created without a clientRequestId. `now`: epoch milliseconds. */
  async remember(tx: Sql, job: Pick<Job, 'id' | 'appId' | 'clientRequestId' | 'fingerprint'>, now: number): Promise<void> {
    const { id, appId, clientRequestId, fingerprint } = job;
    if (appId === null || clientRequestId === null) return;
    // A node of the version before does not look here, and may have created a second job for the id of a deleted one.
    await tx.run('DELETE FROM deleted_jobs WHERE app_id = ? AND client_request_id = ?', [appId, clientRequestId]);
    await tx.run('INSERT INTO deleted_jobs (id, app_id, client_request_id, request_fp, deleted_at) VALUES (?, ?, ?, ?, ?)', [
      id,
      appId,
      clientRequestId,
      fingerprint,
      now,
    ]);
  }

  async findByRequest(
    sql: Sql,
    appId: number,
    clientRequestId: string,
  ): Promise<{ id: string; fingerprint: string | null } | null> {
    const [row] = await sql.rows<{ id: string; request_fp: string | null }>(
      'SELECT id, request_fp FROM deleted_jobs WHERE app_id = ? AND client_request_id = ?',
      [appId, clientRequestId],
    );
    return row ? { id: row.id, fingerprint: row.request_fp } : null;
  }

  /** Those deleted before the instant, in epoch milliseconds, the oldest; returns how many. Their clientRequestIds are free again. */
  async removeBefore(sql: Sql, before: number, most: number): Promise<number> {
    const rows = await sql.rows<{ id: string }>(
      `SELECT id FROM deleted_jobs WHERE deleted_at < ? ORDER BY deleted_at LIMIT ${most}`,
      [before],
    );
    if (rows.length === 0) return 0;
    return sql.run(
      `DELETE FROM deleted_jobs WHERE id IN (${placeholders(rows.length)})`,
      rows.map(({ id }) => id),
    );
  }
}
