import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { STATE_CODE, stateOf } from '../decisions/state-codes.js';
import { insertRows } from '../platform/database/insert-rows.js';
import { slices } from '../platform/slices.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { UpstreamFact } from './flow.store.js';

/** A fire that waits for the tasks an upstream job fires later than `afterAt`, up to `untilAt`. */
export interface PeriodWait {
  taskId: string;
  upstreamId: string;
  afterAt: number;
  untilAt: number;
}
interface FactRow {
  task_id: string;
  id: string;
  state: number;
  reason: string | null;
  flow_id: string | null;
}

/** Tasks told of one period: so many of its latest, and so many that have not succeeded. They decide, however many others there are. */
export const TOLD = 100;
/** Periods of one UNION, with two SELECTs each; SQLite takes five hundred. */
const UNITED = 100;
const { SUCCEEDED, CANCELLED, SKIPPED } = STATE_CODE;
/** `madeNoWork` of the decisions: such a fire counts as none, and must not stand in the place of one that counts. */
const WORKED = `NOT (t.state = ${SKIPPED} AND COALESCE(t.reason, '') IN ('overlap', 'misfire_window'))
      AND NOT (t.state = ${CANCELLED} AND COALESCE(t.reason, '') = 'replaced')`;

/** Statements about what a fire waits for that has upstreams: their fires of its period. */
@Injectable()
export class PeriodStore {
  constructor(private readonly dialect: SqlDialect) {}

  async add(tx: Sql, waits: readonly PeriodWait[]): Promise<void> {
    await insertRows(
      tx,
      'period_waits (task_id, upstream_id, after_at, until_at)',
      waits.map(({ taskId, upstreamId, afterAt, untilAt }) => [taskId, upstreamId, afterAt, untilAt]),
    );
  }

  /**
   * What these fires wait for: of each period some of the tasks that have not succeeded, the latest ones, and a fact without a task where
   * an upstream has yet to fire in it. Reads the fires of the period by their own index, and hands over no more than `TOLD` of each,
   * though the upstream has fired a million times.
   */
  async facts(sql: Sql, taskIds: readonly string[]): Promise<UpstreamFact[]> {
    if (taskIds.length === 0) return [];
    const ids = placeholders(taskIds.length);
    const periods = await sql.rows<Record<'task_id' | 'upstream_id', string> & Record<'after_at' | 'until_at', number | string>>(
      `SELECT task_id, upstream_id, after_at, until_at FROM period_waits WHERE task_id IN (${ids})`,
      taskIds,
    );
    const facts = new Map<string, FactRow>();
    for (const some of slices(periods, UNITED)) {
      const rows = await sql.rows<FactRow>(
        some
          .map(() => `${this.fires(`AND t.state <> ${SUCCEEDED}`, 'ASC')} UNION ALL ${this.fires('', 'DESC')}`)
          .join(' UNION ALL '),
        some.flatMap((row) => {
          const period = [row.task_id, row.upstream_id, Number(row.after_at), Number(row.until_at)];
          return [...period, ...period];
        }),
      );
      for (const row of rows) facts.set(`${row.task_id} ${row.id}`, row);
    }
    const toCome = await sql.rows<{ task_id: string }>(
      `SELECT p.task_id AS task_id FROM period_waits p INNER JOIN jobs j ON j.id = p.upstream_id AND j.next_fire_at <= p.until_at
       WHERE p.task_id IN (${ids})`,
      taskIds,
    );
    const fired = [...facts.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map(factOf);
    return [...fired, ...toCome.map(({ task_id }) => ({ taskId: task_id, upstream: null, flowId: null }))];
  }

  private fires(condition: string, order: 'ASC' | 'DESC'): string {
    const hint = this.dialect.name === 'mysql' ? 'FORCE INDEX (uk_tasks_job_fire)' : 'INDEXED BY uk_tasks_job_fire';
    return `SELECT * FROM (SELECT ? AS task_id, t.id AS id, t.state AS state, t.reason AS reason, t.flow_id AS flow_id FROM tasks t ${hint}
      WHERE t.job_id = ? AND t.fire_at > ? AND t.fire_at <= ? AND t.shard_index = -1 AND t.backfill_key = '' ${condition} AND ${WORKED}
      ORDER BY t.fire_at ${order} LIMIT ${TOLD}) AS some_fires`;
  }
}

const factOf = (row: FactRow): UpstreamFact => ({
  taskId: row.task_id,
  upstream: { id: row.id, state: stateOf(row.state), reason: row.reason as ReasonCode | null },
  flowId: row.flow_id ?? row.id,
});
