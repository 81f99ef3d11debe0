import { createHash } from 'node:crypto';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';

const LOCK_WAIT_SECONDS = 120;

/** The database is older than this program. */
export class MigrationsPendingError extends Error {
  constructor(readonly pending: readonly string[]) {
    super(`the database lacks ${pending.length} migration(s) (${pending.join(', ')}): run \`npx evenkeel migrate\` first`);
    this.name = 'MigrationsPendingError';
  }
}

/**
 * Runs what is pending, oldest first, and returns the names. Of several nodes that start at once one runs them and the others
 * wait for it (a lock of the database; SQLite has one server anyway). A migration that fails leaves the earlier ones in place;
 * MySQL commits schema changes one by one, so a failed one may be half done and says so by its error.
 */
export async function runMigrations(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    return await underLock(dataSource, runner, async () => {
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'each';
      const executed = await executor.executePendingMigrations();
      return executed.map((migration) => migration.name);
    });
  } finally {
    await runner.release();
  }
}

/** Names of the migrations this program has and the database has not. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const pending = await new MigrationExecutor(dataSource).getPendingMigrations();
  return pending.map((migration) => migration.name);
}

/** Throws MigrationsPendingError unless the database is up to date. */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0) throw new MigrationsPendingError(pending);
}

async function underLock<T>(dataSource: DataSource, runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  if (dataSource.options.type === 'better-sqlite3') return work();
  const name = `evenkeel:${createHash('sha256').update(String(dataSource.options.database)).digest('hex').slice(0, 32)}`;
  const [answer] = (await runner.query('SELECT GET_LOCK(?, ?) AS taken', [name, LOCK_WAIT_SECONDS])) as {
    taken: number | null;
  }[];
  if (answer?.taken !== 1) throw new Error(`another process has been migrating this database for ${LOCK_WAIT_SECONDS} s`);
  try {
    return await work();
  } finally {
    await runner.query('SELECT RELEASE_LOCK(?)', [name]);
  }
}
