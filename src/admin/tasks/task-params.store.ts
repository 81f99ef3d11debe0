import { setImmediate as turn } from 'node:timers/promises';
import { holdsParams, type ParamFilter, tracesOf } from '../../decisions/param-filter.js';
import type { Sql, SqlDialect } from '../../ports.js';
import { both, type Condition, either, type SearchPlan } from './task-search.js';
import { between, headsOf, type IdOrder, rowsOf, WAYS } from './task-stretches.js';

/** What is left of what one answer may look through, and how much of it one statement reads. */
export interface ParamBudget {
  rows: number;
  /** Of params, about. */
  bytes: number;
  atOnce: { rows: number; bytes: number };
}
export const paramBudget = (): ParamBudget => ({
  rows: 100_000,
  bytes: 32 * 1024 * 1024,
  atOnce: { rows: 4_000, bytes: 4 * 1024 * 1024 },
});
/** Before it is known how long their params are. */
const FIRST_ROWS = 200;
const LEAST_ROWS = 50;

export interface ParamSearch {
  plan: SearchPlan & { params: readonly ParamFilter[] };
  past: string | undefined;
  way: IdOrder;
  /** Of what is found. */
  columns: string;
  budget: ParamBudget;
}
interface WithParams {
  params: string | null;
}

/**
 * Rows whose params hold what is looked for, stretch by stretch in the order of ids. The database finds the rows that may hold it by the
 * bare text; what they hold is read here, from the text as it is stored, so that it is the same on every database and no digit is lost.
 * It ends when its budget is spent: `searchedTo` of the last stretch says where, null that everything was looked at.
 */
export async function* lookAtParams<Row extends WithParams>(
  dialect: SqlDialect['name'],
  sql: Sql,
  { plan, past, way, columns, budget }: ParamSearch,
): AsyncGenerator<{ found: Row[]; searchedTo: string | null }> {
  const where = both(plan.rest.reduce(both, EVERYTHING), plan.params.map(mayHold).reduce(both));
  for (let from = past, step = Math.min(FIRST_ROWS, budget.atOnce.rows); ; ) {
    const seen = await survey(sql, plan, where, headsOf(dialect, plan, from, step, way));
    let found: Row[] = [];
    if (seen.candidates > 0) {
      // By ids, not by the limit: what has come into the stretch since must not push anything out of it.
      const same = headsOf(dialect, between(plan, seen.least, seen.greatest), undefined, 2 * step, way);
      const rows = await sql.rows<Row>(
        `SELECT ${columns}, t.params AS params FROM ${rowsOf(dialect, same)} WHERE ${where.sql} ORDER BY t.id ${WAYS[way].sql}`,
        [...same.params, ...where.params],
      );
      found = rows.filter(({ params }) => holdsParams(params, plan.params));
    }
    budget.rows -= seen.rows;
    budget.bytes -= seen.bytes;
    const last = way === 'newest' ? seen.least : seen.greatest;
    const isEnd = seen.rows < step;
    yield { found, searchedTo: isEnd ? null : last };
    if (isEnd || budget.rows <= 0 || budget.bytes <= 0) return;
    from = last;
    const fitting = Math.floor(budget.atOnce.bytes / (seen.bytes / seen.rows + 1));
    step = Math.min(step * 4, budget.atOnce.rows, Math.max(LEAST_ROWS, fitting));
    // The embedded database answers within the turn it is asked in: without another turn nobody else would be heard.
    await turn();
  }
}

const EVERYTHING: Condition = { sql: '', params: [] };

/** How long the params of a stretch are, and how many rows of it may hold what is looked for. */
async function survey(sql: Sql, { rest }: SearchPlan, where: Condition, stretch: Condition) {
  const own = rest.reduce(both, EVERYTHING);
  const [row] = await sql.rows<{
    looked: number | string;
    low: string | null;
    high: string | null;
    bytes: number | string | null;
    candidates: number | string | null;
  }>(
    `SELECT COUNT(*) AS looked, MIN(h.id) AS low, MAX(h.id) AS high,
       SUM(CASE WHEN ${own.sql || '1 = 1'} THEN LENGTH(t.params) ELSE 0 END) AS bytes, SUM(CASE WHEN ${where.sql} THEN 1 ELSE 0 END) AS candidates
     FROM (${stretch.sql}) AS h LEFT JOIN tasks t ON t.id = h.id`,
    [...own.params, ...where.params, ...stretch.params],
  );
  return {
    rows: Number(row?.looked),
    least: row?.low ?? '',
    greatest: row?.high ?? '',
    bytes: Number(row?.bytes),
    candidates: Number(row?.candidates),
  };
}

/** True of every row that holds it, and of few others: what it is written with is in the text as it is, or escaped. */
function mayHold(filter: ParamFilter): Condition {
  const { keys, texts } = tracesOf(filter);
  const has = (text: string): Condition => ({ sql: 'INSTR(t.params, ?) > 0', params: [text] });
  const plain = [...keys.map(has), ...(texts.length > 0 ? [texts.map(has).reduce(either)] : [])].reduce(both, EVERYTHING);
  return plain.sql === '' ? { sql: 't.params IS NOT NULL', params: [] } : either(has('\\'), plain);
}
