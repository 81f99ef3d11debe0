import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE, stateOf } from '../../src/decisions/state-codes.js';

/** How many tasks are in each state. */
export async function tasksByState(backends: Backends): Promise<Record<string, number>> {
  const rows = await backends.dialect.root.rows<{ state: number; n: number | string }>(
    'SELECT state, COUNT(*) AS n FROM tasks GROUP BY state',
  );
  return Object.fromEntries(rows.map((row) => [stateOf(row.state), Number(row.n)]));
}

/** How many tasks have ended, in whatever way. */
export async function endedTasks(backends: Backends): Promise<number> {
  const [row] = await backends.dialect.root.rows<{ n: number | string }>(
    `SELECT COUNT(*) AS n FROM tasks WHERE state >= ${STATE_CODE.SUCCEEDED}`,
  );
  return Number(row?.n ?? 0);
}
