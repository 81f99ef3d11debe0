import type { Sql } from '../ports.js';

/** Told of a change inside its own transaction: what it writes stands or falls with the change. Null: it was not there, or is not any more. */
export type Witness<T> = (tx: Sql, before: T | null, after: T | null) => Promise<void>;
