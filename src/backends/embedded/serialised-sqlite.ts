import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, QueryResult } from 'typeorm';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { SerialQueue } from './serial-queue.js';

/** Set while the work of a transaction runs, so that a use of any other runner from inside it is refused, not a deadlock. */
export const insideTransaction = new AsyncLocalStorage<{ open: boolean }>();

/**
 * TypeORM's driver for one SQLite connection, made safe for concurrent callers: stock TypeORM shares one runner, so overlapping
 * transactions roll back each other's rows. Here every caller has its own runner, and the connection is held for a whole
 * transaction or a single statement, in order of arrival.
 */
export class SerialisedSqliteDriver extends BetterSqlite3Driver {
  readonly queue = new SerialQueue();
  readonly statements = new Map<string, unknown>();

  constructor(dataSource: DataSource) {
    super(dataSource);
    (this.supportedDataTypes as string[]).push('mediumtext');
  }

  override createQueryRunner(): SerialisedQueryRunner {
    return new SerialisedQueryRunner(this);
  }

  /** The same entities serve MySQL: its mediumtext is SQLite's text. */
  override normalizeType(column: Parameters<BetterSqlite3Driver['normalizeType']>[0]): string {
    const type = super.normalizeType(column);
    return type === 'mediumtext' ? 'text' : type;
  }
}

export class SerialisedQueryRunner extends BetterSqlite3QueryRunner {
  private holding = false;

  constructor(private readonly serialised: SerialisedSqliteDriver) {
    super(serialised);
    (this as unknown as { stmtCache: Map<string, unknown> }).stmtCache = serialised.statements;
  }

  override async startTransaction(...args: Parameters<BetterSqlite3QueryRunner['startTransaction']>): Promise<void> {
    if (!this.holding) {
      await this.enter();
      this.holding = true;
    }
    try {
      await super.startTransaction(...args);
    } catch (error) {
      if (this.transactionDepth === 0) this.isTransactionActive = false;
      this.leaveUnlessOpen();
      throw error;
    }
  }

  override async commitTransaction(): Promise<void> {
    await super.commitTransaction();
    this.leaveUnlessOpen();
  }

  /** SQLite has rolled back by itself when the disk was full or failed; the connection is given to the next caller all the same. */
  override async rollbackTransaction(): Promise<void> {
    const outermost = this.transactionDepth <= 1;
    try {
      await super.rollbackTransaction();
    } finally {
      if (outermost) this.isTransactionActive = false;
      this.leaveUnlessOpen();
    }
  }

  override async query(sql: string, parameters?: unknown[], useStructuredResult = false): Promise<QueryResult> {
    // A write lock from the start: a reader that turns writer fails at once when another process wrote in between.
    const statement = sql === 'BEGIN TRANSACTION' ? 'BEGIN IMMEDIATE' : sql;
    if (this.holding) return super.query(statement, parameters, useStructuredResult);
    await this.enter();
    try {
      return await super.query(statement, parameters, useStructuredResult);
    } finally {
      this.serialised.queue.leave();
    }
  }

  override async release(): Promise<void> {
    if (this.isTransactionActive) await this.rollbackTransaction();
    this.isReleased = true;
  }

  private async enter(): Promise<void> {
    if (insideTransaction.getStore()?.open)
      throw new Error('inside a transaction only the handle it was given may be used: anything else would wait for it for ever');
    await this.serialised.queue.enter();
  }

  private leaveUnlessOpen(): void {
    if (!this.holding || this.isTransactionActive) return;
    this.holding = false;
    this.serialised.queue.leave();
  }
}
