import { placeholders, type Sql } from '../../ports.js';
import { slices } from '../slices.js';

/**
 * Inserts any number of rows in several statements, which the caller's transaction makes one.
 *
 * @param into the table and its columns: `job_slots (job_id, task_id)`
 * @param most rows of one statement: SQLite takes 32 766 parameters, MariaDB 16 MiB
 */
export async function insertRows(tx: Sql, into: string, rows: readonly (readonly unknown[])[], most = 500): Promise<void> {
  for (const some of slices(rows, most)) {
    const row = `(${placeholders((some[0] as readonly unknown[]).length)})`;
    await tx.run(`INSERT INTO ${into} VALUES ${some.map(() => row).join(', ')}`, some.flat());
  }
}
