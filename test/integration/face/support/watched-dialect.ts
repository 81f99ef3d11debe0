import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../../src/backends/embedded/sqlite-data-source.js';
import { SqliteDialect } from '../../../../src/backends/embedded/sqlite-dialect.js';
import { runMigrations } from '../../../../src/backends/migrate.js';
import { type Sql, SqlDialect, type UpdateFromRows } from '../../../../src/ports.js';

/** A real SQLite database in a folder of its own that counts single reads and can be made to look lost. */
export class WatchedDialect extends SqlDialect {
  readonly name = 'sqlite';
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly nowMs: string;
  away = false;
  reads = 0;
  readonly root: Sql;
  readonly uncommitted: Pick<Sql, 'rows'>;

  private constructor(
    private readonly real: SqliteDialect,
    readonly close: () => Promise<void>,
  ) {
    super();
    this.nowMs = real.nowMs;
    this.root = {
      manager: real.root.manager,
      rows: async (sql, params) => {
        this.reads++;
        this.mustBeThere();
        return real.root.rows(sql, params);
      },
      run: async (sql, params) => {
        this.mustBeThere();
        return real.root.run(sql, params);
      },
    };
    this.uncommitted = this.root;
  }

  static async open(): Promise<WatchedDialect> {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-face-'));
    const dataSource = await openSqlite(folder);
    await runMigrations(dataSource);
    return new WatchedDialect(new SqliteDialect(dataSource), async () => {
      await dataSource.destroy();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return this.real.transaction(work);
  }
  impatient(sql: Sql): Sql {
    return this.real.impatient(sql);
  }
  estimatedRows(table: string): string {
    return this.real.estimatedRows(table);
  }

  concat(a: string, b: string): string {
    return this.real.concat(a, b);
  }
  updateFromRows(sql: Sql, update: UpdateFromRows): Promise<number> {
    return this.real.updateFromRows(sql, update);
  }
  isUniqueViolation(error: unknown, keyName?: string): boolean {
    return this.real.isUniqueViolation(error, keyName);
  }
  isUnavailable(error: unknown): boolean {
    return (error as { code?: unknown } | null)?.code === 'ECONNREFUSED' || this.real.isUnavailable(error);
  }
  /** As a server tells of a deadlock. */
  isContention(error: unknown): boolean {
    return (error as { errno?: unknown } | null)?.errno === 1213;
  }

  private mustBeThere(): void {
    if (this.away) throw Object.assign(new Error('connect ECONNREFUSED secret-host:3306'), { code: 'ECONNREFUSED' });
  }
}
