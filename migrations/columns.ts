import type { DataSource, QueryRunner, TableColumnOptions } from 'typeorm';

/**
 * Column shapes that come out alike on MySQL, MariaDB and SQLite, so that one migration serves all and the schema equals the
 * entities (a test compares them). No column has a default: whoever writes a row states it. Instants are epoch milliseconds.
 */
const isMysql = (c: DataSource): boolean => c.options.type === 'mysql' || c.options.type === 'mariadb';
const typed = (c: DataSource, columnName: string, type: 'int' | 'bigint' | 'smallint' | 'tinyint'): TableColumnOptions => ({
  name: columnName,
  type: c.driver.normalizeType({ type: type === 'int' ? Number : type }),
});

export const int = (c: DataSource, columnName: string): TableColumnOptions => typed(c, columnName, 'int');
export const bigint = (c: DataSource, columnName: string): TableColumnOptions => typed(c, columnName, 'bigint');
export const smallint = (c: DataSource, columnName: string): TableColumnOptions => typed(c, columnName, 'smallint');
export const tinyint = (c: DataSource, columnName: string): TableColumnOptions => typed(c, columnName, 'tinyint');
/** 0 or 1. */
export const flag = (c: DataSource, columnName: string): TableColumnOptions => tinyint(c, columnName);

/** ASCII compared byte by byte: ids, keys, codes. */
export const key = (c: DataSource, columnName: string, length: number): TableColumnOptions => ({
  name: columnName,
  type: 'varchar',
  length: String(length),
  ...(isMysql(c) ? { charset: 'ascii', collation: 'ascii_bin' } : {}),
});

/** Any text a person wrote, compared exactly. */
export const name = (c: DataSource, columnName: string, length: number): TableColumnOptions => ({
  name: columnName,
  type: 'varchar',
  length: String(length),
  ...(isMysql(c) ? { charset: 'utf8mb4', collation: 'utf8mb4_bin' } : {}),
});

/** Text of up to 16 MiB. */
export const longText = (c: DataSource, columnName: string): TableColumnOptions => ({
  name: columnName,
  ...(isMysql(c) ? { type: 'mediumtext', charset: 'utf8mb4', collation: 'utf8mb4_bin' } : { type: 'text' }),
});

export const nullable = (column: TableColumnOptions): TableColumnOptions => ({ ...column, isNullable: true });

/** Adds a column that rows of before have null in. Neither dialect rewrites the table for it. */
export async function addNullable(runner: QueryRunner, table: string, column: TableColumnOptions): Promise<void> {
  const { name: columnName, type, length, charset, collation } = column;
  const text = charset ? ` CHARACTER SET ${charset} COLLATE ${collation}` : '';
  await runner.query(`ALTER TABLE ${table} ADD COLUMN ${columnName} ${type}${length ? `(${length})` : ''}${text} NULL`);
}
