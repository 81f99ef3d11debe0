import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../decisions/state-codes.js';
import type { Sql } from '../ports.js';

const { SCHEDULED, BLOCKED, PENDING, DISPATCHED, RUNNING, RETRYING } = STATE_CODE;
const UNFINISHED = [SCHEDULED, BLOCKED, PENDING, DISPATCHED, RUNNING, RETRYING].join(', ');

/** How many tasks have not ended. By group, because the index of what is to be picked begins with it: apps need none of their own. */
@Injectable()
export class UnfinishedTasksStore {
  /** Of each group, counted no further than `limit`: entries of the index alone. */
  async countOf(sql: Sql, groupIds: readonly number[], limit: number): Promise<number> {
    if (groupIds.length === 0) return 0;
    const some = groupIds.map(
      (_, i) =>
        `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM tasks WHERE group_id = ? AND state IN (${UNFINISHED}) LIMIT ${limit}) AS some_${i}`,
    );
    const rows = await sql.rows<{ n: number | string }>(some.join(' UNION ALL '), groupIds);
    return rows.reduce((sum, { n }) => sum + Number(n), 0);
  }

  /** Of a group by app, looking at no more than `limit` of its tasks. */
  async byApp(sql: Sql, groupId: number, limit: number): Promise<{ appId: number; tasks: number }[]> {
    const rows = await sql.rows<{ app_id: number | null; n: number | string }>(
      `SELECT app_id, COUNT(*) AS n FROM (SELECT app_id FROM tasks WHERE group_id = ? AND state IN (${UNFINISHED}) LIMIT ${limit}) AS some GROUP BY app_id`,
      [groupId],
    );
    return rows.flatMap(({ app_id, n }) => (app_id === null ? [] : [{ appId: app_id, tasks: Number(n) }]));
  }
}
