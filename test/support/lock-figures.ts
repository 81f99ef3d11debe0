import type { Backends } from '../../src/backends/backends.js';

export interface LockFigures {
  deadlocks: number;
  /** How often a statement waited for a row another transaction had locked. */
  waits: number;
}

/** What a MariaDB has counted since it was started, of all its databases. */
export async function lockFigures({ dialect }: Backends): Promise<LockFigures> {
  const found = await dialect.root.rows<{ name: string; value: string }>(
    `SELECT VARIABLE_NAME AS name, VARIABLE_VALUE AS value FROM information_schema.GLOBAL_STATUS
     WHERE VARIABLE_NAME IN ('INNODB_DEADLOCKS', 'INNODB_ROW_LOCK_WAITS')`,
  );
  const of = (name: string) => Number(found.find((row) => row.name.toUpperCase() === name)?.value);
  return { deadlocks: of('INNODB_DEADLOCKS'), waits: of('INNODB_ROW_LOCK_WAITS') };
}
