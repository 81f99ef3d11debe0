import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { type Sql, SqlDialect } from '../../ports.js';
import { both, type Condition, onlyHidesShards, planSearch, type SearchPlan, type TaskSearch } from './task-search.js';

/** A task as lists show it: without what may be large. */
export interface ListedTaskRow {
  id: string;
  group_id: number;
  app_id: number | null;
  client_request_id: string | null;
  handler: string;
  state: number;
  version: number;
  priority: number;
  created_at: number | string;
  scheduled_at: number | string;
  due_at: number | string;
  started_at: number | string | null;
  ended_at: number | string | null;
  attempt: number;
  worker_id: string | null;
  reason: string | null;
  cancel_asked_at: number | string | null;
  error_json: string | null;
  job_id: string | null;
  fire_at: number | string | null;
  backfill_key: string | null;
  parent_id: string | null;
  shard_index: number | null;
  shard_total: number | null;
  flow_id: string | null;
  progress: number | null;
  /** The beginning of the timeline, which names who made it. */
  timeline_head: string;
  /** Of a task with shards that has ended: what became of them. */
  shards_result: string | null;
}
export interface Found {
  rows: ListedTaskRow[];
  /** Everything up to this id, in the order asked for, was looked through; null: everything there is. */
  searchedTo: string | null;
}
export interface StateCounts {
  counts: Map<number, number>;
  capped: boolean;
}

const PLAIN_COLUMNS = [
  'id, group_id, app_id, client_request_id, handler, state, version, priority, created_at, scheduled_at, due_at, started_at, ended_at',
  'attempt, worker_id, reason, cancel_asked_at, error_json, job_id, fire_at, backfill_key, parent_id, shard_index, shard_total, flow_id',
  'progress',
]
  .join(', ')
  .replace(/(\w+)/g, 't.$1 AS $1');
const COLUMNS = `${PLAIN_COLUMNS}, SUBSTR(t.timeline, 1, 80) AS timeline_head,
  CASE WHEN t.parent_id IS NULL AND t.shard_total IS NOT NULL THEN t.result ELSE NULL END AS shards_result`;
/** Rows looked at in one statement, and statements for one page: what a filter no index serves may cost. */
const STEP = 2_000;
const STEPS = 10;
export const COUNTED = 10_000;
const TASKS = { name: 'tasks', id: 'id' };
/** Ids ascend with the time their tasks were made at. */
export type IdOrder = 'newest' | 'oldest';
const WAYS = { newest: { sign: '<', sql: 'DESC' }, oldest: { sign: '>', sql: 'ASC' } } as const;

/**
 * Lists and counts for people, over all apps, newest first unless asked otherwise. Each statement reads a bounded stretch of one index; a page whose filter
 * finds little in many rows ends early and says how far it came.
 */
@Injectable()
export class TaskSearchStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** `past`: only what comes after this id in the order. */
  async find(sql: Sql, search: TaskSearch, past: string | undefined, limit: number, order: IdOrder = 'newest'): Promise<Found> {
    const plan = planSearch(search);
    const rows: ListedTaskRow[] = [];
    // Usually the first stretch is the page; many shards in a row make the next ones longer.
    let step = onlyHidesShards(plan) ? limit : STEP;
    for (let taken = 0, from = past; taken < STEPS; taken++, step = Math.min(STEP, step * 4)) {
      const stretch = this.headsOf(plan, from, step, order);
      rows.push(...(await this.matching(sql, plan, stretch, limit - rows.length, order)));
      if (rows.length >= limit) return { rows, searchedTo: rows.at(-1)?.id as string };
      const last = await this.lastOf(sql, stretch, step, order);
      if (last === null) return { rows, searchedTo: null };
      from = last;
      if (taken === STEPS - 1) return { rows, searchedTo: last };
    }
    return { rows, searchedTo: null };
  }

  /** By state, of all states, counted no further than ten thousand of each, or of the newest where other filters apply. */
  async count(sql: Sql, { states, ...search }: TaskSearch): Promise<StateCounts> {
    const plan = planSearch({ ...search, states: undefined });
    const plain = onlyHidesShards(plan) && plan.heads.length === 1 && search.groupIds === null && isOnlyTime(search);
    if (plain) return this.countEach(sql, search, Object.values(STATE_CODE));
    const newest = await this.countNewest(sql, plan);
    if (!newest.capped || !states) return newest;
    const asked = await this.countEach(sql, search, states);
    return { counts: new Map([...newest.counts, ...asked.counts]), capped: true };
  }

  /** As `count`, for who needs no other states than those asked for: where one index has them, the others are not counted. */
  async countAsked(sql: Sql, search: TaskSearch): Promise<StateCounts> {
    const { states } = search;
    return states && search.groupIds === null && isOnlyTime(search)
      ? this.countEach(sql, search, states)
      : this.count(sql, search);
  }

  /** The statement a stretch is read by, for tests that look at how it is carried out. */
  stretch(search: TaskSearch, past?: string, order: IdOrder = 'newest'): Condition {
    return this.headsOf(planSearch(search), past, STEP, order);
  }

  /**
   * The first ids of all heads together, each head read from its index alone. The index is named: left to itself MySQL may take
   * one that only fits the condition, and sort.
   */
  private headsOf({ heads }: SearchPlan, past: string | undefined, limit: number, way: IdOrder = 'newest'): Condition {
    const { sign, sql } = WAYS[way];
    const bound = ({ table }: Condition): Condition =>
      past === undefined ? { sql: '', params: [] } : { sql: `${table?.id ?? 'id'} ${sign} ?`, params: [past] };
    const each = heads.map((head) => both(head, bound(head)));
    const params = each.flatMap((head) => head.params);
    if (each.length === 1) return { sql: this.firstOf(each[0] as Condition, limit, way), params };
    const union = each.map((head, i) => `SELECT id FROM (${this.firstOf(head, limit, way)}) AS head_${i}`).join(' UNION ALL ');
    return { sql: `SELECT id FROM (${union}) AS heads ORDER BY id ${sql} LIMIT ${limit}`, params };
  }

  /** Of one head: the ids, or another column of its rows. */
  private firstOf(
    { sql, index, table = TASKS, order = table.id }: Condition,
    limit: number,
    way: IdOrder,
    column?: string,
  ): string {
    const hint = this.dialect.name === 'mysql' ? ` FORCE INDEX (${index})` : ` INDEXED BY ${index}`;
    const from = `${table.name}${index ? hint : ''}`;
    return `SELECT ${column ?? `${table.id} AS id`} FROM ${from} ${sql ? `WHERE ${sql}` : ''} ORDER BY ${order} ${WAYS[way].sql} LIMIT ${limit}`;
  }

  /**
   * The rows of a stretch, each by its id. The order of the join is stated: left to itself SQLite reads the rows that are no shards,
   * which is the whole table, and looks each up in the stretch.
   */
  private rowsOf(stretch: Condition): string {
    const join = this.dialect.name === 'mysql' ? 'STRAIGHT_JOIN' : 'CROSS JOIN';
    return `(${stretch.sql}) AS h ${join} tasks t ON t.id = h.id`;
  }

  private async matching(
    sql: Sql,
    { rest }: SearchPlan,
    stretch: Condition,
    limit: number,
    way: IdOrder,
  ): Promise<ListedTaskRow[]> {
    const where = rest.reduce(both, { sql: '', params: [] });
    return sql.rows<ListedTaskRow>(
      `SELECT ${COLUMNS} FROM ${this.rowsOf(stretch)} ${where.sql ? `WHERE ${where.sql}` : ''} ORDER BY t.id ${WAYS[way].sql} LIMIT ${limit}`,
      [...stretch.params, ...where.params],
    );
  }

  /** Id of the last row of a full stretch; null if the stretch is the end. */
  private async lastOf(sql: Sql, stretch: Condition, step: number, way: IdOrder = 'newest'): Promise<string | null> {
    const rows = await sql.rows<{ id: string }>(
      `SELECT id FROM (${stretch.sql}) AS h ORDER BY id ${WAYS[way].sql} LIMIT 1 OFFSET ${step - 1}`,
      [...stretch.params],
    );
    return rows[0]?.id ?? null;
  }

  private async countEach(sql: Sql, search: TaskSearch, states: readonly number[]): Promise<StateCounts> {
    const counts = new Map<number, number>();
    let capped = false;
    const shards = await this.hasShards(sql);
    for (const state of states) {
      const { sql: text, params } = this.countOf({ ...search, states: [state] }, shards);
      const [row] = await sql.rows<{ n: number | string }>(text, [...params]);
      const count = Number(row?.n ?? 0);
      if (count > COUNTED) capped = true;
      counts.set(state, Math.min(count, COUNTED));
    }
    return { counts, capped };
  }

  /** Whether any task is a shard: where none is, counts need not look at a single row to leave them out. */
  private async hasShards(sql: Sql): Promise<boolean> {
    return (await sql.rows("SELECT 1 AS one FROM tasks WHERE parent_id > '' LIMIT 1")).length > 0;
  }

  private countOf(search: TaskSearch, shards: boolean): Condition {
    const plan = planSearch({ ...search, jobId: undefined, clientRequestId: undefined });
    const [head] = plan.heads;
    if (head && plan.heads.length === 1 && search.jobId === undefined && onlyHidesShards(plan)) {
      // Rows are found once, by the index they are counted in, and not again by their ids.
      const newest = this.firstOf(head, COUNTED + 1, 'newest', shards ? 'parent_id' : undefined);
      const where = shards ? 'WHERE t.parent_id IS NULL' : '';
      return { sql: `SELECT COUNT(*) AS n FROM (${newest}) AS t ${where}`, params: head.params };
    }
    const inner = this.headsOf(plan, undefined, COUNTED + 1);
    const job = search.jobId === undefined ? [] : [{ sql: 't.job_id = ?', params: [search.jobId] }];
    const where = [...plan.rest, ...job].reduce(both, { sql: '', params: [] });
    const from = where.sql ? `${this.rowsOf(inner)} WHERE ${where.sql}` : `(${inner.sql}) AS h`;
    return { sql: `SELECT COUNT(*) AS n FROM ${from}`, params: [...inner.params, ...where.params] };
  }

  private async countNewest(sql: Sql, { heads, rest }: SearchPlan): Promise<StateCounts> {
    const inner = this.headsOf({ heads, rest }, undefined, COUNTED + 1);
    const where = rest.reduce(both, { sql: '', params: [] });
    const rows = await sql.rows<{ state: number; n: number | string }>(
      `SELECT t.state AS state, COUNT(*) AS n FROM ${this.rowsOf(inner)} ${where.sql ? `WHERE ${where.sql}` : ''} GROUP BY t.state`,
      [...inner.params, ...where.params],
    );
    const counts = new Map(rows.map((row) => [Number(row.state), Number(row.n)]));
    const last = await this.lastOf(sql, inner, COUNTED + 1);
    return { counts, capped: last !== null };
  }
}

const isOnlyTime = ({ ids, failedOf, jobId, appId, clientRequestId, flowId, parentId }: TaskSearch): boolean =>
  [ids, failedOf, jobId, appId, clientRequestId, flowId, parentId].every((stated) => stated === undefined);
