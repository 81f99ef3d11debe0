import { Column, type ColumnOptions } from 'typeorm';

/** Epoch milliseconds fit a JavaScript number until the year 287396; MySQL's driver hands bigints over as text. */
const asNumber = {
  to: (value: number | null | undefined) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};

const charset = (name: 'ascii' | 'utf8mb4'): ColumnOptions => ({ charset: name, collation: `${name}_bin` });

/** An instant in epoch milliseconds. */
export const Millis = (name: string, options: ColumnOptions = {}) =>
  Column({ name, type: 'bigint', transformer: asNumber, ...options });
/** ASCII compared byte by byte: ids, keys, codes. */
export const Key = (name: string, length: number, options: ColumnOptions = {}) =>
  Column({ name, type: 'varchar', length, ...charset('ascii'), ...options });
/** Any text a person wrote, compared exactly. */
export const Name = (name: string, length: number, options: ColumnOptions = {}) =>
  Column({ name, type: 'varchar', length, ...charset('utf8mb4'), ...options });
/** Text of up to 16 MiB; `text` on SQLite. */
export const LongText = (name: string, options: ColumnOptions = {}) =>
  Column({ name, type: 'mediumtext', ...charset('utf8mb4'), ...options });
/** A whole number of the size the database's `int` holds. */
export const Int = (name: string, options: ColumnOptions = {}) => Column({ name, type: 'int', ...options });
export const SmallInt = (name: string, options: ColumnOptions = {}) => Column({ name, type: 'smallint', ...options });
export const TinyInt = (name: string, options: ColumnOptions = {}) => Column({ name, type: 'tinyint', ...options });
/** 0 or 1 in the database. */
export const Flag = (name: string, options: ColumnOptions = {}) =>
  Column({
    name,
    type: 'tinyint',
    transformer: { to: (value?: boolean) => (value === undefined ? value : value ? 1 : 0), from: (value: number) => value === 1 },
    ...options,
  });
