import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { type Sql, SqlDialect, type UpdateFromRows } from '../../ports.js';
import { driverError } from '../driver-error.js';
import { bindable, rowChunks, rowPaths } from '../parameters.js';
import { withRetries } from '../transaction-retry.js';
import { insideTransaction } from './serialised-sqlite.js';

const UNIQUE = 'SQLITE_CONSTRAINT_UNIQUE';
const PRIMARY_KEY = 'SQLITE_CONSTRAINT_PRIMARYKEY';
/** Another process holds the write lock, or the disk is full or failing. */
const AWAY = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY)/;

/** SQLite through one connection; a transaction holds it from BEGIN IMMEDIATE to its end, which excludes everybody else. */
export class SqliteDialect extends SqlDialect {
  readonly name = 'sqlite';
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly nowMs = "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)";
  readonly root: Sql;
  /** Transactions exclude others: nobody ever sees one half done. */
  readonly uncommitted: Pick<Sql, 'rows'>;

  constructor(private readonly dataSource: DataSource) {
    super();
    this.root = {
      manager: dataSource.manager,
      rows: (sql, params = []) => this.withRunner((runner) => rows(runner, sql, params)),
      run: (sql, params = []) => this.withRunner((runner) => run(runner, sql, params)),
    };
    this.uncommitted = this.root;
  }

  estimatedRows(table: string): string {
    // Each is one end of the table; both in one query would read all of it.
    return `COALESCE((SELECT MAX(rowid) FROM ${table}) - (SELECT MIN(rowid) FROM ${table}) + 1, 0)`;
  }

  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return withRetries(() => this.attempt(work), isLocked);
  }

  private attempt<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return this.withRunner(async (runner) => {
      await runner.startTransaction();
      const inside = { open: true };
      try {
        const result = await insideTransaction.run(inside, () => work(new RunnerSql(runner)));
        await runner.commitTransaction();
        return result;
      } catch (error) {
        if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      } finally {
        inside.open = false;
      }
    });
  }

  private async withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      return await work(runner);
    } finally {
      await runner.release();
    }
  }

  /** There are no rows to wait for, only turns. */
  impatient(sql: Sql): Sql {
    return sql;
  }

  concat(a: string, b: string): string {
    return `${a} || ${b}`;
  }

  async updateFromRows(sql: Sql, update: UpdateFromRows): Promise<number> {
    const columns = rowPaths(update).map(({ name, path }) => `json_extract(value, '${path}') AS ${name}`);
    const set = Object.entries(update.set).map(([column, expression]) => `${column} = ${expression}`);
    const statement = `UPDATE ${update.table} AS t SET ${set.join(', ')} FROM (SELECT ${columns.join(', ')} FROM json_each(?)) AS r WHERE ${update.on}`;
    let changed = 0;
    for (const chunk of rowChunks(update)) changed += await sql.run(statement, [chunk]);
    return changed;
  }

  isUniqueViolation(error: unknown, keyName?: string): boolean {
    const inner = driverError(error);
    if (inner?.code !== UNIQUE && inner?.code !== PRIMARY_KEY) return false;
    return keyName === undefined || this.violatedKey(inner.code, inner.message) === keyName;
  }

  /** SQLite names the columns ("UNIQUE constraint failed: tasks.app_id, tasks.client_request_id"); the entities know the key. */
  private violatedKey(code: string, message: string): string | undefined {
    if (code === PRIMARY_KEY) return 'PRIMARY';
    const columns = message.replace(/^.*failed: /, '').split(', ');
    const table = columns[0]?.split('.')[0];
    const metadata = this.dataSource.entityMetadatas.find((entity) => entity.tableName === table);
    const wanted = columns.map((column) => column.split('.')[1]).join();
    return metadata?.uniques.find((unique) => unique.columns.map((column) => column.databaseName).join() === wanted)?.name;
  }

  isUnavailable(error: unknown): boolean {
    return AWAY.test(driverError(error)?.code ?? '');
  }

  /** Transactions queue here; a lock another process holds is `isUnavailable`. */
  isContention(): boolean {
    return false;
  }
}

const isLocked = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(driverError(error)?.code ?? '');

async function rows<Row>(runner: QueryRunner, sql: string, params: readonly unknown[]): Promise<Row[]> {
  return (await runner.query(sql, bindable(params), true)).records as Row[];
}

async function run(runner: QueryRunner, sql: string, params: readonly unknown[]): Promise<number> {
  return (await runner.query(sql, bindable(params), true)).affected ?? 0;
}

class RunnerSql implements Sql {
  constructor(private readonly runner: QueryRunner) {}

  get manager(): EntityManager {
    return this.runner.manager;
  }
  rows<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return rows<Row>(this.runner, sql, params);
  }
  run(sql: string, params: readonly unknown[] = []): Promise<number> {
    return run(this.runner, sql, params);
  }
}
