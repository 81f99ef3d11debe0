import { type IdPrefix, isId } from '../platform/ids.js';

/** Opaque to partners, so that the order of lists may get another key one day: `v1` and the last id shown. */
export const cursorAfter = (id: string): string => Buffer.from(`v1|${id}`).toString('base64url');

/** The id a cursor stands for; undefined if we never made it. */
export function cursorId(cursor: string, prefix: IdPrefix): string | undefined {
  const [version, id] = Buffer.from(cursor, 'base64url').toString('utf8').split('|');
  return version === 'v1' && id !== undefined && isId(prefix, id) && cursorAfter(id) === cursor ? id : undefined;
}

/** The same for the lines of a task's log: the attempt and line shown last. */
export const logCursorAfter = ({ attempt, seq }: { attempt: number; seq: number }): string =>
  Buffer.from(`l1|${attempt}|${seq}`).toString('base64url');

export function logCursorPlace(cursor: string): { attempt: number; seq: number } | undefined {
  const match = /^l1\|(\d{1,5})\|(\d{1,10})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  const place = match && { attempt: Number(match[1]), seq: Number(match[2]) };
  return place && logCursorAfter(place) === cursor ? place : undefined;
}
