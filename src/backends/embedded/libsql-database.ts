import Libsql from 'libsql';

interface NativeStatement {
  readonly reader: boolean;
  run(params: unknown[]): { changes: number; lastInsertRowid: number };
  all(params: unknown[]): unknown[];
}

/** A statement that takes its parameters in any number: libsql itself takes a single NULL for a missing list. */
class Statement {
  readonly reader: boolean;

  constructor(private readonly native: NativeStatement) {
    this.reader = native.reader;
  }
  run(...params: unknown[]) {
    return this.native.run(params);
  }
  all(...params: unknown[]) {
    return this.native.all(params);
  }
}

/** libsql behind the few calls TypeORM's better-sqlite3 driver makes. */
export class LibsqlDatabase {
  private readonly native: Libsql.Database;

  constructor(path: string, options: { timeout?: number }) {
    this.native = new Libsql(path, { timeout: options.timeout });
  }
  prepare(sql: string): Statement {
    return new Statement(this.native.prepare(sql) as unknown as NativeStatement);
  }
  pragma(source: string): unknown[] {
    return this.prepare(`PRAGMA ${source}`).all();
  }
  exec(sql: string): void {
    this.native.exec(sql);
  }
  close(): void {
    this.native.close();
  }
}
