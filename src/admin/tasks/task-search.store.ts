import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { type Sql, SqlDialect } from '../../ports.js';
import { lookAtParams, type ParamBudget, type ParamSearch, paramBudget } from './task-params.store.js';
import { both, type Condition, onlyHidesShards, planSearch, type SearchPlan, type TaskSearch } from './task-search.js';
import { firstOf, headsOf, type IdOrder, rowsOf, WAYS } from './task-stretches.js';

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
  timeout_ms: number | string;
  options_json: string | null;
  pinned_worker_id: string | null;
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
  /** Also of the states asked for not everything was looked at. */
  partial?: boolean;
}

const PLAIN_COLUMNS = [
  'id, group_id, app_id, client_request_id, handler, state, version, priority, created_at, scheduled_at, due_at, started_at, ended_at',
  'attempt, worker_id, reason, cancel_asked_at, error_json, job_id, fire_at, backfill_key, parent_id, shard_index, shard_total, flow_id',
  'progress, timeout_ms, options_json, pinned_worker_id',
]
  .join(', ')
  .replace(/(\w+)/g, 't.$1 AS $1');
const COLUMNS = `${PLAIN_COLUMNS}, SUBSTR(t.timeline, 1, 80) AS timeline_head,
  CASE WHEN t.parent_id IS NULL AND t.shard_total IS NOT NULL THEN t.result ELSE NULL END AS shards_result`;
/** Rows looked at in one statement, and statements for one page: what a filter no index serves may cost. */
const STEP = 2_000;
const STEPS = 10;
export const COUNTED = 10_000;

/**
 * Lists and counts for people, over all apps, newest first unless asked otherwise. Each statement reads a bounded stretch of one index; a page whose filter
 * finds little in many rows ends early and says how far it came.
 */
@Injectable()
export class TaskSearchStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** `past`: only what comes after this id in the order. `budget`: of who asks more than once for one answer. */
  async find(
    sql: Sql,
    search: TaskSearch,
    past: string | undefined,
    limit: number,
    order: IdOrder = 'newest',
    budget?: ParamBudget,
  ): Promise<Found> {
    const plan = planSearch(search);
    if (looksAtParams(plan))
      return this.findByParams(sql, { plan, past, way: order, columns: COLUMNS, budget: budget ?? paramBudget() }, limit);
    const rows: ListedTaskRow[] = [];
    // Usually the first stretch is the page; many shards in a row make the next ones longer.
    let step = onlyHidesShards(plan) ? limit : STEP;
    for (let taken = 0, from = past; taken < STEPS; taken++, step = Math.min(STEP, step * 4)) {
      const stretch = headsOf(this.dialect.name, plan, from, step, order);
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
    if (looksAtParams(plan)) return this.countByParams(sql, plan, states && planSearch({ ...search, states }));
    const plain = onlyHidesShards(plan) && plan.heads.length === 1 && search.groupIds === null && isOnlyTime(search);
    if (plain) return this.countEach(sql, search, Object.values(STATE_CODE), states);
    const newest = await this.countNewest(sql, plan);
    if (!newest.capped) return newest;
    if (!states) return { ...newest, partial: true };
    const asked = await this.countEach(sql, search, states);
    return { counts: new Map([...newest.counts, ...asked.counts]), capped: true, partial: asked.partial };
  }

  /** As `count`, for who needs no other states than those asked for: where one index has them, the others are not counted. */
  async countAsked(sql: Sql, search: TaskSearch): Promise<StateCounts> {
    const { states } = search;
    const plan = planSearch(search);
    if (looksAtParams(plan)) return this.countByParams(sql, plan);
    return states && search.groupIds === null && isOnlyTime(search)
      ? this.countEach(sql, search, states)
      : this.count(sql, search);
  }

  /** The statement a stretch is read by, for tests that look at how it is carried out. */
  stretch(search: TaskSearch, past?: string, order: IdOrder = 'newest'): Condition {
    return headsOf(this.dialect.name, planSearch(search), past, STEP, order);
  }

  private async findByParams(sql: Sql, search: ParamSearch, limit: number): Promise<Found> {
    const rows: ListedTaskRow[] = [];
    let searchedTo: string | null = null;
    for await (const stretch of lookAtParams<ListedTaskRow & { params: string | null }>(this.dialect.name, sql, search)) {
      rows.push(...stretch.found.map(({ params: _, ...row }) => row));
      if (rows.length >= limit) return { rows: rows.slice(0, limit), searchedTo: rows[limit - 1]?.id as string };
      searchedTo = stretch.searchedTo;
    }
    return { rows, searchedTo };
  }

  /** Of everything; and of what was asked for alone, should everything be more than is looked through for one answer. */
  private async countByParams(sql: Sql, plan: ParamSearch['plan'], asked?: SearchPlan): Promise<StateCounts> {
    const counts = new Map<number, number>();
    let partial = false;
    let found = 0;
    const search = { plan, past: undefined, way: 'newest', columns: 't.state AS state', budget: paramBudget() } as const;
    for await (const stretch of lookAtParams<{ state: number; params: string | null }>(this.dialect.name, sql, search)) {
      for (const { state } of stretch.found) counts.set(Number(state), (counts.get(Number(state)) ?? 0) + 1);
      partial = stretch.searchedTo !== null;
      found += stretch.found.length;
      if (found > COUNTED) break;
    }
    const capped = partial || [...counts.values()].some((count) => count > COUNTED);
    if (!partial || !asked || !looksAtParams(asked)) return { counts, capped, partial };
    const alone = await this.countByParams(sql, asked);
    return { counts: new Map([...counts, ...alone.counts]), capped: true, partial: alone.partial };
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
      `SELECT ${COLUMNS} FROM ${rowsOf(this.dialect.name, stretch)} ${where.sql ? `WHERE ${where.sql}` : ''} ORDER BY t.id ${WAYS[way].sql} LIMIT ${limit}`,
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

  /** `asked`: the states whose total somebody wants; all of them unless stated. */
  private async countEach(sql: Sql, search: TaskSearch, states: readonly number[], asked = states): Promise<StateCounts> {
    const counts = new Map<number, number>();
    let [capped, partial] = [false, false];
    const shards = await this.hasShards(sql);
    for (const state of states) {
      const { sql: text, params } = this.countOf({ ...search, states: [state] }, shards);
      const [row] = await sql.rows<{ looked: number | string; n: number | string }>(text, [...params]);
      const full = Number(row?.looked ?? 0) > COUNTED;
      if (full) capped = true;
      if (full && asked.includes(state)) partial = true;
      counts.set(state, Math.min(Number(row?.n ?? 0), COUNTED));
    }
    return { counts, capped, partial };
  }

  /** Whether any task is a shard: where none is, counts need not look at a single row to leave them out. */
  private async hasShards(sql: Sql): Promise<boolean> {
    return (await sql.rows("SELECT 1 AS one FROM tasks WHERE parent_id > '' LIMIT 1")).length > 0;
  }

  /** How many rows were `looked` at, of which `n` fit: what lies beyond the first ten thousand is not known. */
  private countOf(search: TaskSearch, shards: boolean): Condition {
    const plan = planSearch({ ...search, jobId: undefined, clientRequestId: undefined });
    const [head] = plan.heads;
    if (head && plan.heads.length === 1 && search.jobId === undefined && onlyHidesShards(plan)) {
      // Rows are found once, by the index they are counted in, and not again by their ids.
      const newest = firstOf(this.dialect.name, head, COUNTED + 1, 'newest', shards ? 'parent_id' : undefined);
      const fits = shards ? 'CASE WHEN t.parent_id IS NULL THEN 1 END' : '*';
      return { sql: `SELECT COUNT(*) AS looked, COUNT(${fits}) AS n FROM (${newest}) AS t`, params: head.params };
    }
    const inner = headsOf(this.dialect.name, plan, undefined, COUNTED + 1);
    const job = search.jobId === undefined ? [] : [{ sql: 't.job_id = ?', params: [search.jobId] }];
    const where = [...plan.rest, ...job].reduce(both, { sql: '', params: [] });
    const from = where.sql ? rowsOf(this.dialect.name, inner) : `(${inner.sql}) AS h`;
    const fits = where.sql ? `CASE WHEN ${where.sql} THEN 1 END` : '*';
    return { sql: `SELECT COUNT(*) AS looked, COUNT(${fits}) AS n FROM ${from}`, params: [...where.params, ...inner.params] };
  }

  private async countNewest(sql: Sql, { heads, rest }: SearchPlan): Promise<StateCounts> {
    const inner = headsOf(this.dialect.name, { heads }, undefined, COUNTED + 1);
    const where = rest.reduce(both, { sql: '', params: [] });
    const rows = await sql.rows<{ state: number; n: number | string }>(
      `SELECT t.state AS state, COUNT(*) AS n FROM ${rowsOf(this.dialect.name, inner)} ${where.sql ? `WHERE ${where.sql}` : ''} GROUP BY t.state`,
      [...inner.params, ...where.params],
    );
    const counts = new Map(rows.map((row) => [Number(row.state), Number(row.n)]));
    const last = await this.lastOf(sql, inner, COUNTED + 1);
    return { counts, capped: last !== null };
  }
}

const looksAtParams = (plan: SearchPlan): plan is ParamSearch['plan'] => plan.params !== undefined && plan.params.length > 0;

const isOnlyTime = ({ ids, failedOf, jobId, appId, clientRequestId, flowId, parentId }: TaskSearch): boolean =>
  [ids, failedOf, jobId, appId, clientRequestId, flowId, parentId].every((stated) => stated === undefined);
