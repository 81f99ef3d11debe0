import { groupedBy } from '../decisions/grouped.js';
import { slices } from '../platform/slices.js';
import type { SqlDialect } from '../ports.js';
import { PartitionLostError } from './partitions.service.js';

export interface Reviewed {
  id: string;
  partition: number;
}

/**
 * Looks at rows of this node's partitions, each look a transaction of its own partition with at most `batch` of them. A look that
 * fails is made again for each of its rows alone, so that one that cannot be looked at holds up no other; `skipped` hears of that one.
 * A partition that was lost meanwhile is another node's to look at. Throws while the database is away: the next sweep begins anew.
 */
export async function reviewByPartition(
  dialect: SqlDialect,
  rows: readonly Reviewed[],
  batch: number,
  look: (partition: number, ids: string[]) => Promise<void>,
  skipped: (id: string, error: unknown) => void,
): Promise<void> {
  for (const [partition, found] of groupedBy(rows, (row) => row.partition))
    for (const some of slices(found, batch)) {
      const ids = some.map(({ id }) => id);
      const error = await failureOf(dialect, () => look(partition, ids));
      if (error === undefined) continue;
      const [id = '', ...others] = ids;
      if (others.length === 0) skipped(id, error);
      else await reviewByPartition(dialect, some, 1, look, skipped);
    }
}

/** Undefined if the look was made, or is no longer this node's to make. */
async function failureOf(dialect: SqlDialect, look: () => Promise<void>): Promise<unknown> {
  try {
    await look();
    return undefined;
  } catch (error) {
    if (error instanceof PartitionLostError) return undefined;
    if (dialect.isUnavailable(error)) throw error;
    return error;
  }
}
