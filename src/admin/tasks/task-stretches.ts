import type { SqlDialect } from '../../ports.js';
import { both, type Condition, type SearchPlan } from './task-search.js';

type Dialect = SqlDialect['name'];
/** Ids ascend with the time their tasks were made at. */
export type IdOrder = 'newest' | 'oldest';
export const WAYS = { newest: { sign: '<', sql: 'DESC' }, oldest: { sign: '>', sql: 'ASC' } } as const;
const TASKS = { name: 'tasks', id: 'id' };

/**
 * The first ids of all heads together, each head read from its index alone. The index is named: left to itself MySQL may take
 * one that only fits the condition, and sort.
 */
export function headsOf(
  dialect: Dialect,
  { heads }: Pick<SearchPlan, 'heads'>,
  past: string | undefined,
  limit: number,
  way: IdOrder = 'newest',
): Condition {
  const { sign, sql } = WAYS[way];
  const bound = ({ table }: Condition): Condition =>
    past === undefined ? { sql: '', params: [] } : { sql: `${table?.id ?? 'id'} ${sign} ?`, params: [past] };
  const each = heads.map((head) => both(head, bound(head)));
  const params = each.flatMap((head) => head.params);
  if (each.length === 1) return { sql: firstOf(dialect, each[0] as Condition, limit, way), params };
  const union = each.map((head, i) => `SELECT id FROM (${firstOf(dialect, head, limit, way)}) AS head_${i}`).join(' UNION ALL ');
  return { sql: `SELECT id FROM (${union}) AS heads ORDER BY id ${sql} LIMIT ${limit}`, params };
}

/** Heads that have only the ids from the one to the other, both with them. */
export const between = ({ heads }: Pick<SearchPlan, 'heads'>, least: string, greatest: string): Pick<SearchPlan, 'heads'> => ({
  heads: heads.map((head) => {
    const id = head.table?.id ?? 'id';
    return both(head, { sql: `${id} >= ? AND ${id} <= ?`, params: [least, greatest] });
  }),
});

/** Of one head: the ids, or another column of its rows. */
export function firstOf(
  dialect: Dialect,
  { sql, index, table = TASKS, order = table.id }: Condition,
  limit: number,
  way: IdOrder,
  column?: string,
): string {
  const hint = dialect === 'mysql' ? ` FORCE INDEX (${index})` : ` INDEXED BY ${index}`;
  const from = `${table.name}${index ? hint : ''}`;
  return `SELECT ${column ?? `${table.id} AS id`} FROM ${from} ${sql ? `WHERE ${sql}` : ''} ORDER BY ${order} ${WAYS[way].sql} LIMIT ${limit}`;
}

/**
 * The rows of a stretch, each by its id. The order of the join is stated: left to itself SQLite reads the rows that are no shards,
 * which is the whole table, and looks each up in the stretch. So is the index for MySQL, which may gather those rows as a filter.
 */
export function rowsOf(dialect: Dialect, stretch: Condition): string {
  const join = dialect === 'mysql' ? 'STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY)' : 'CROSS JOIN tasks t';
  return `(${stretch.sql}) AS h ${join} ON t.id = h.id`;
}
