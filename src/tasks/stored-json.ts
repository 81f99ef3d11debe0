import type { TaskOptions } from './task.js';

/*
 * JSON of a task's row. Rows are read many at a time, so one that somebody spoiled must not throw: it would hold up every task that is
 * promoted, claimed or ended together with it.
 */

/** Of a task whose options cannot be read: nobody knows whether it may run twice. */
const UNREADABLE: TaskOptions = { repeatable: false };

export const storedOptions = (text: string | null | undefined): TaskOptions => (text ? (objectOf(text) ?? UNREADABLE) : {});

/** Null if there is none, or it cannot be read. */
export function objectOf<T extends object>(text: string | null | undefined): T | null {
  if (!text) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as T | null) : null;
  } catch {
    return null;
  }
}
