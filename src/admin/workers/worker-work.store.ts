import { Injectable } from '@nestjs/common';
import { PARENT_LANE } from '../../decisions/partitioning.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { placeholders, type Sql } from '../../ports.js';

const { DISPATCHED, RUNNING } = STATE_CODE;
const MOST_READ = 10_000;
const MOST_SHOWN = 50;

export interface WorkRow {
  groupId: number;
  jobId: string | null;
  jobKey: string | null;
  handler: string;
  count: number;
}

/** What runs on a worker, from the index of what runs in its groups. */
@Injectable()
export class WorkerWorkStore {
  async of(sql: Sql, workerId: string, groupIds: readonly number[]): Promise<WorkRow[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<Record<keyof WorkRow, string | number | null>>(
      `SELECT w.group_id AS groupId, w.job_id AS jobId, j.job_key AS jobKey, w.handler AS handler, w.n AS count FROM
        (SELECT group_id, job_id, handler, COUNT(*) AS n FROM
          (SELECT group_id, job_id, handler FROM tasks WHERE group_id IN (${placeholders(groupIds.length)})
            AND state IN (${DISPATCHED}, ${RUNNING}) AND lane > ${PARENT_LANE} AND worker_id = ? LIMIT ${MOST_READ}) AS attempts
         GROUP BY group_id, job_id, handler) AS w
       LEFT JOIN jobs j ON j.id = w.job_id ORDER BY w.n DESC, w.handler LIMIT ${MOST_SHOWN}`,
      [...groupIds, workerId],
    );
    return rows.map((row) => ({ ...(row as unknown as WorkRow), groupId: Number(row.groupId), count: Number(row.count) }));
  }
}
