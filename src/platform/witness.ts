import type { Sql } from '../ports.js';

/** Told of a change inside its own transaction: what it writes stands or falls with the change. Null: it was not there, or is not any more. */
export type Witness<T> = (tx: Sql, before: T | null, after: T | null) => Promise<void>;

/** What a change is logged as. */
export interface Deed<T> {
  /** e.g. `job.changed`. */
  action: string;
  type: string;
  id: (object: T) => string;
  group?: (object: T) => string | null;
  /** What of it the log keeps. */
  show: (object: T) => object | null;
}

/** What an entry says of one change. */
export function deedEntry<T>({ action, type, id, group, show }: Deed<T>, before: T | null, after: T | null) {
  const object = (after ?? before) as T;
  return {
    action,
    object: { type, id: id(object) },
    group: group?.(object) ?? null,
    before: before && show(before),
    after: after && show(after),
  };
}
