import type { RowColumnType, UpdateFromRows } from '../ports.js';

/** What both drivers bind alike: undefined is NULL, a boolean 0 or 1; an array or object is a mistake of the caller. */
export function bindable(params: readonly unknown[]): unknown[] {
  return params.map((value) => {
    if (value === undefined) return null;
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
      throw new TypeError('a parameter must be text, a number, bytes or null: spell out lists with placeholders()');
    return value;
  });
}

/** JSON of this many characters goes to the database in one statement, far below the smallest default packet of 16 MiB. */
const CHUNK_CHARACTERS = 4 * 1024 * 1024;

/**
 * The rows as JSON arrays of objects with members `c0`, `c1` …, split so that no statement grows past the packet size. NULL is a
 * member left out: every dialect reads an absent member as NULL, while a JSON null becomes the text 'null' on some.
 */
export function* rowChunks(update: UpdateFromRows): Generator<string> {
  let chunk = '';
  for (const row of update.rows) {
    const members: string[] = [];
    row.forEach((value, index) => {
      if (value !== null && value !== undefined)
        members.push(`"c${index}":${JSON.stringify(value === true ? 1 : value === false ? 0 : value)}`);
    });
    const text = `{${members.join(',')}}`;
    if (chunk && chunk.length + text.length > CHUNK_CHARACTERS) {
      yield `[${chunk}]`;
      chunk = '';
    }
    chunk += chunk ? `,${text}` : text;
  }
  if (chunk) yield `[${chunk}]`;
}

/** `name` with the path of its value, for each column of the rows. */
export function rowPaths(update: UpdateFromRows): { name: string; type: RowColumnType; path: string }[] {
  return update.columns.map(([name, type], index) => ({ name, type, path: `$.c${index}` }));
}
