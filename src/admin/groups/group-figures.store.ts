import { Injectable } from '@nestjs/common';
import { PARENT_LANE } from '../../decisions/partitioning.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { placeholders, type Sql } from '../../ports.js';

export const MOST_COUNTED = 10_000;
const { PENDING, DISPATCHED, RUNNING } = STATE_CODE;
/** `pick_order` is (10 − priority) · 10^14 + dueAt. */
const DUE_AT = 'pick_order % 100000000000000';
const GROUPS_PER_STATEMENT = 50;

export interface GroupFigures {
  running: number;
  pending: number;
  capped: boolean;
  /** Epoch milliseconds. */
  oldestDueAt: number | null;
}

/** What of each group runs and waits, from the index the dispatcher reads, counted no further than ten thousand. */
@Injectable()
export class GroupFiguresStore {
  async of(sql: Sql, groupIds: readonly number[]): Promise<Map<number, GroupFigures>> {
    const figures = new Map<number, GroupFigures>();
    for (let at = 0; at < groupIds.length; at += GROUPS_PER_STATEMENT)
      await this.read(sql, groupIds.slice(at, at + GROUPS_PER_STATEMENT), figures);
    return figures;
  }

  async jobs(sql: Sql): Promise<Map<number, number>> {
    const rows = await sql.rows<{ group_id: number; n: number | string }>(
      'SELECT group_id, COUNT(*) AS n FROM jobs GROUP BY group_id',
    );
    return new Map(rows.map((row) => [row.group_id, Number(row.n)]));
  }

  /** Of one group whose attempts run and whose tasks wait, each read no further than ten thousand. */
  async shares(sql: Sql, groupId: number): Promise<{ appId: number | null; running: number; waiting: number }[]> {
    const of = (states: string, name: string) =>
      `SELECT app_id FROM tasks WHERE group_id = ? AND state IN (${states}) AND lane > ${PARENT_LANE} LIMIT ${MOST_COUNTED}) AS ${name}`;
    const rows = await sql.rows<Record<'app_id' | 'running' | 'waiting', number | string | null>>(
      `SELECT app_id, SUM(running) AS running, SUM(waiting) AS waiting FROM (
         SELECT app_id, COUNT(*) AS running, 0 AS waiting FROM (${of(`${DISPATCHED}, ${RUNNING}`, 'going')} GROUP BY app_id
         UNION ALL SELECT app_id, 0 AS running, COUNT(*) AS waiting FROM (${of(`${PENDING}`, 'queued')} GROUP BY app_id
       ) AS shares GROUP BY app_id ORDER BY SUM(running) DESC, SUM(waiting) DESC, app_id`,
      [groupId, groupId],
    );
    return rows.map((row) => ({
      appId: row.app_id === null ? null : Number(row.app_id),
      running: Number(row.running),
      waiting: Number(row.waiting),
    }));
  }

  private async read(sql: Sql, ids: readonly number[], into: Map<number, GroupFigures>): Promise<void> {
    const one = (id: number, i: number) => `SELECT ${id} AS group_id, COUNT(*) AS pending, MIN(due) AS oldest FROM
      (SELECT ${DUE_AT} AS due FROM tasks WHERE group_id = ${id} AND state = ${PENDING} LIMIT ${MOST_COUNTED + 1}) AS waiting_${i}`;
    const waiting = await sql.rows<{ group_id: number; pending: number | string; oldest: number | string | null }>(
      ids.map((id, i) => one(Number(id), i)).join(' UNION ALL '),
    );
    const running = await sql.rows<{ group_id: number; n: number | string }>(
      `SELECT group_id, COUNT(*) AS n FROM tasks WHERE group_id IN (${placeholders(ids.length)}) AND state IN (${DISPATCHED}, ${RUNNING}) GROUP BY group_id`,
      ids,
    );
    const runs = new Map(running.map((row) => [row.group_id, Number(row.n)]));
    for (const row of waiting)
      into.set(Number(row.group_id), {
        running: runs.get(Number(row.group_id)) ?? 0,
        pending: Math.min(Number(row.pending), MOST_COUNTED),
        capped: Number(row.pending) > MOST_COUNTED,
        oldestDueAt: row.oldest === null ? null : Number(row.oldest),
      });
  }
}
