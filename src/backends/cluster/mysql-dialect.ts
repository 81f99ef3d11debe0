import type { Connection, ResultSetHeader } from 'mysql2';
import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';
import { type RowColumnType, type Sql, SqlDialect, type UpdateFromRows } from '../../ports.js';
import { driverError } from '../driver-error.js';
import { bindable, rowChunks, rowPaths } from '../parameters.js';
import { withRetries } from '../transaction-retry.js';
import { LOCK_WAIT_SECONDS } from './mysql-pool.js';

const DUPLICATE_ENTRY = 1062;
/** Deadlock, lock wait timeout, and MariaDB's "record has changed since last read". */
const CONTENTION = new Set([1213, 1205, 1020]);
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
]);
/** Too many connections, shutdown, killed, read-only (failing over), and MySQL 8's own idle disconnect. */
const AWAY_NUMBERS = new Set([1040, 1053, 1152, 1184, 1290, 1317, 1836, 1927, 3024, 4031]);

/** MySQL 8+ and MariaDB 10.6+. Sessions run at READ COMMITTED and count matched rows; see `mysqlDriver`. */
export class MysqlDialect extends SqlDialect {
  readonly name = 'mysql';
  readonly forUpdate = 'FOR UPDATE';
  readonly forUpdateSkipLocked = 'FOR UPDATE SKIP LOCKED';
  readonly nowMs = 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';
  readonly root: Sql;
  readonly uncommitted: Pick<Sql, 'rows'>;

  constructor(
    private readonly dataSource: DataSource,
    /** MariaDB can state the wait of a single statement, and none at all. */
    private readonly statesWaits = dataSource.options.type === 'mariadb',
  ) {
    super();
    const root = new RootSql(dataSource);
    this.root = root;
    this.uncommitted = { rows: (sql, params) => root.rowsUncommitted(sql, params) };
  }

  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return withRetries(
      () => this.attempt(work),
      (error) => this.isContention(error),
    );
  }

  private async attempt<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner('master');
    try {
      await query(runner, 'START TRANSACTION');
      const result = await work(new RunnerSql(runner));
      await query(runner, 'COMMIT');
      await runner.release();
      return result;
    } catch (error) {
      await giveBack(runner);
      throw error;
    }
  }

  impatient(sql: Sql): Sql {
    return new ImpatientSql(sql as InnerSql, this.statesWaits ? runUnwaiting : runShortlyWaiting);
  }

  estimatedRows(table: string): string {
    return `COALESCE((SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '${table}'), 0)`;
  }

  concat(a: string, b: string): string {
    return `CONCAT(${a}, ${b})`;
  }

  /** The rows come first and STRAIGHT_JOIN keeps them there, so that locks are taken in their order and by primary key. */
  async updateFromRows(sql: Sql, update: UpdateFromRows): Promise<number> {
    const columns = rowPaths(update).map(({ name, type, path }) => `${name} ${columnType(type)} PATH '${path}'`);
    const set = Object.entries(update.set).map(([column, expression]) => `t.${column} = ${expression}`);
    const statement = `UPDATE JSON_TABLE(?, '$[*]' COLUMNS(${columns.join(', ')})) r STRAIGHT_JOIN ${update.table} t ON ${update.on} SET ${set.join(', ')}`;
    let changed = 0;
    for (const chunk of rowChunks(update)) changed += await (sql as InnerSql).runPrepared(statement, chunk);
    return changed;
  }

  isUniqueViolation(error: unknown, keyName?: string): boolean {
    const inner = driverError(error);
    if (inner?.errno !== DUPLICATE_ENTRY) return false;
    // "Duplicate entry '…' for key 'tasks.uk_tasks_app_crid'" on MySQL, without the table on MariaDB.
    const key = /for key '(?:[^']*\.)?([^'.]+)'$/.exec(inner.message)?.[1];
    return keyName === undefined || key === keyName;
  }

  isUnavailable(error: unknown): boolean {
    const inner = driverError(error);
    return (
      inner !== undefined &&
      (inner.fatal === true ||
        AWAY.has(inner.code ?? '') ||
        AWAY_NUMBERS.has(inner.errno ?? 0) ||
        inner.message === 'Pool is closed.' ||
        inner.message === "Can't add new command when connection is in closed state")
    );
  }

  isContention(error: unknown): boolean {
    return CONTENTION.has(driverError(error)?.errno ?? 0);
  }
}

/** The character set is stated: without it a session of another character set destroys what is not ASCII. */
function columnType(type: RowColumnType): string {
  if (type === 'id') return 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin';
  if (type === 'text') return 'MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
  return type === 'int' ? 'INT' : 'BIGINT';
}

/** Rolls back; a connection that cannot even do that is thrown away, which makes the server roll back. */
async function giveBack(runner: QueryRunner): Promise<void> {
  try {
    await query(runner, 'ROLLBACK');
  } catch {
    await destroyConnection(runner);
  }
  await runner.release();
}

async function destroyConnection(runner: QueryRunner): Promise<void> {
  try {
    ((await runner.connect()) as { destroy(): void }).destroy();
  } catch {
    // There never was a connection: the pool could not make one.
  }
}

/**
 * The statement on the runner's connection itself: TypeORM's own `query` makes a wrapper of the connection and asks its subscribers each
 * time, which costs as much as the statement. Throws QueryFailedError as that does.
 */
async function query<Result>(runner: QueryRunner, sql: string, params: readonly unknown[] = []): Promise<Result> {
  const connection = (await runner.connect()) as Connection;
  return new Promise((resolve, reject) => {
    connection.query(sql, bindable(params), (error, result) =>
      error ? reject(new QueryFailedError(sql, undefined, error)) : resolve(result as Result),
    );
  });
}

/** TypeORM has no prepared statements; its runner hands out the connection it holds. */
async function runPrepared(runner: QueryRunner, sql: string, param: string): Promise<number> {
  const connection = (await runner.connect()) as Connection;
  return new Promise((resolve, reject) => {
    connection.execute<ResultSetHeader>(sql, [param], (error, result) => (error ? reject(error) : resolve(result.affectedRows)));
  });
}

const rows = <Row>(runner: QueryRunner, sql: string, params: readonly unknown[]): Promise<Row[]> =>
  query<Row[]>(runner, sql, params);

async function run(runner: QueryRunner, sql: string, params: readonly unknown[]): Promise<number> {
  const { affectedRows } = await query<{ affectedRows?: number }>(runner, sql, params);
  return affectedRows ?? 0;
}

const runUnwaiting = (runner: QueryRunner, sql: string, params: readonly unknown[]): Promise<number> =>
  run(runner, `SET STATEMENT innodb_lock_wait_timeout = 0 FOR ${sql}`, params);

/** The session's own wait is stated again whatever becomes of the statement; if that fails, the connection has failed. */
async function runShortlyWaiting(runner: QueryRunner, sql: string, params: readonly unknown[]): Promise<number> {
  await query(runner, 'SET SESSION innodb_lock_wait_timeout = 1');
  try {
    return await run(runner, sql, params);
  } finally {
    await query(runner, `SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`);
  }
}

/** What the dialect's own handles can do besides. */
interface InnerSql extends Sql {
  /** A statement of constant text with one parameter: prepared once a connection, so the parameter is neither escaped nor parsed. */
  runPrepared(sql: string, param: string): Promise<number>;
  /** Several statements on one connection. */
  withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T>;
}

class RunnerSql implements InnerSql {
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
  runPrepared(sql: string, param: string): Promise<number> {
    return runPrepared(this.runner, sql, param);
  }
  withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return work(this.runner);
  }
}

class RootSql implements InnerSql {
  constructor(private readonly dataSource: DataSource) {}

  get manager(): EntityManager {
    return this.dataSource.manager;
  }
  rows<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return this.withRunner((runner) => rows<Row>(runner, sql, params));
  }
  run(sql: string, params: readonly unknown[] = []): Promise<number> {
    return this.withRunner((runner) => run(runner, sql, params));
  }
  runPrepared(sql: string, param: string): Promise<number> {
    return this.withRunner((runner) => runPrepared(runner, sql, param));
  }

  /** The isolation is that of the next transaction alone, here of the one statement. */
  rowsUncommitted<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return this.withRunner(async (runner) => {
      await query(runner, 'SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED');
      return rows<Row>(runner, sql, params);
    });
  }

  async withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner('master');
    try {
      return await work(runner);
    } finally {
      await runner.release();
    }
  }
}

class ImpatientSql implements InnerSql {
  constructor(
    private readonly inner: InnerSql,
    private readonly runImpatiently: typeof run,
  ) {}

  get manager(): EntityManager {
    return this.inner.manager;
  }
  rows<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]> {
    return this.inner.rows<Row>(sql, params);
  }
  run(sql: string, params: readonly unknown[] = []): Promise<number> {
    return this.inner.withRunner((runner) => this.runImpatiently(runner, sql, params));
  }
  runPrepared(sql: string, param: string): Promise<number> {
    return this.inner.runPrepared(sql, param);
  }
  withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return this.inner.withRunner(work);
  }
}
