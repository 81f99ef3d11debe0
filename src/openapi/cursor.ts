import { type IdPrefix, isId } from '../platform/ids.js';

/** Opaque to partners, so that the order of lists may get another key one day: `v1` and the last id shown. */
export const cursorAfter = (id: string): string => Buffer.from(`v1|${id}`).toString('base64url');

/** The id a cursor stands for; undefined if we never made it. */
export function cursorId(cursor: string, prefix: IdPrefix): string | undefined {
  const [version, id] = Buffer.from(cursor, 'base64url').toString('utf8').split('|');
  return version === 'v1' && id !== undefined && isId(prefix, id) && cursorAfter(id) === cursor ? id : undefined;
}
