import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE, stateOf } from '../../src/decisions/state-codes.js';
import { waitFor } from './wait-for.js';

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

/** Resolves once so many nodes hold all partitions in equal shares: none is being handed over. */
export async function evenlyHeld(backends: Backends, nodes: number): Promise<void> {
  await waitFor(
    `${nodes} nodes hold equal shares of the partitions`,
    async () => {
      const rows = await backends.dialect.root.rows<{ holder: string | null; n: number | string }>(
        'SELECT holder, COUNT(*) AS n FROM partitions GROUP BY holder',
      );
      const shares = rows.map(({ n }) => Number(n));
      const all = rows.length === nodes && rows.every(({ holder }) => holder !== null);
      return all && Math.max(...shares) - Math.min(...shares) <= 1;
    },
    60_000,
  );
}
