import Database from 'libsql';
import { type Sql, SqlDialect } from '../../../../src/ports.js';

const SCHEMA = `
CREATE TABLE apps (id INTEGER PRIMARY KEY AUTOINCREMENT, public_id TEXT UNIQUE, app_name TEXT, default_group TEXT, group_keys TEXT, limits_json TEXT, created_at INTEGER);
CREATE TABLE access_keys (id INTEGER PRIMARY KEY AUTOINCREMENT, access_key TEXT UNIQUE, kind TEXT, app_id INTEGER, group_keys TEXT, key_label TEXT, secret_box TEXT,
  last4 TEXT, fingerprint TEXT, scopes_json TEXT, ip_allow_json TEXT, key_state TEXT, expires_at INTEGER, last_used_at INTEGER, created_at INTEGER);
CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, username TEXT UNIQUE, password_hash TEXT, user_role TEXT, disabled INTEGER, created_at INTEGER);`;

/** The tables of authentication in an in-memory SQLite. `away` makes every statement fail as a lost server does. */
export class SqliteDialect extends SqlDialect {
  readonly name = 'sqlite' as const;
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly nowMs = "(unixepoch('subsec') * 1000)";
  away = false;
  reads = 0;
  private readonly db = new Database(':memory:');
  readonly root: Sql = {
    rows: async <Row>(sql: string, params: readonly unknown[] = []) => {
      this.reads++;
      this.mustBeThere();
      return this.db.prepare(sql).all([...params]) as Row[];
    },
    run: async (sql, params = []) => {
      this.mustBeThere();
      return this.db.prepare(sql).run([...params]).changes;
    },
    manager: undefined as never,
  };

  constructor() {
    super();
    this.db.exec(SCHEMA);
  }

  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return work(this.root);
  }
  concat(a: string, b: string): string {
    return `${a} || ${b}`;
  }
  updateFromRows(): Promise<number> {
    throw new Error('not needed here');
  }
  isUniqueViolation(error: unknown): boolean {
    return String((error as { code?: unknown }).code).startsWith('SQLITE_CONSTRAINT');
  }
  isUnavailable(error: unknown): boolean {
    return (error as { code?: unknown } | null)?.code === 'ECONNREFUSED';
  }

  private mustBeThere(): void {
    if (this.away) throw Object.assign(new Error('connect ECONNREFUSED secret-host:3306'), { code: 'ECONNREFUSED' });
  }
}
