import type { Sql } from '../../src/ports.js';

export interface Recorded {
  /** What the statement is for. */
  intent: string;
  sql: string;
  params: readonly unknown[];
}

/** Runs every statement on `sql` and keeps it, so that its plan can be looked at. */
export class RecordingSql implements Sql {
  readonly statements: Recorded[] = [];
  private intent = '';

  constructor(private readonly sql: Sql) {}

  get manager(): Sql['manager'] {
    return this.sql.manager;
  }

  async during(intent: string, work: (sql: Sql) => Promise<unknown>): Promise<void> {
    this.intent = intent;
    await work(this);
  }

  /** Handed over by the database so far. */
  rowsRead = 0;

  async rows<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    this.statements.push({ intent: this.intent, sql, params });
    const rows = await this.sql.rows<Row>(sql, params);
    this.rowsRead += rows.length;
    return rows;
  }

  /** Of the MySQL dialect. */
  runPrepared(sql: string, rows: string): Promise<number> {
    this.statements.push({ intent: this.intent, sql, params: [rows] });
    return (this.sql as Sql & { runPrepared(sql: string, rows: string): Promise<number> }).runPrepared(sql, rows);
  }

  run(sql: string, params: readonly unknown[] = []): Promise<number> {
    this.statements.push({ intent: this.intent, sql, params });
    return this.sql.run(sql, params);
  }
}
