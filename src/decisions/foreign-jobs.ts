import { LIMITS } from '@evenkeel/sdk/contract';
import { CONFIGURATION_SCHEMA, CONFIGURATION_VERSION } from './configuration-file.js';
import { isObject } from './field-rules.js';

/** What is not as it was: of these jobs, or of these rows where there is no job. */
export interface ConversionNote {
  code: NoteCode;
  jobs: string[];
}
export const NOTE_CODES = [
  'script_left_out',
  'row_left_out',
  'routing_differs',
  'broadcast_as_shards',
  'waits_for_all',
  'child_keeps_schedule',
  'child_unknown',
  'schedule_unknown',
  'alarm_left_out',
  'map_as_one',
  'workers_left_out',
  'workflow_left_out',
  'container_left_out',
  'parallel_limited',
] as const;
type NoteCode = (typeof NOTE_CODES)[number];

export interface ConversionTarget {
  group: string;
  timeZone: string;
}
export interface Conversion {
  /** A file as an import takes it; what is wrong with single jobs the import says. */
  text: string;
  jobs: number;
  notes: ConversionNote[];
}

/** A row of another scheduler's table, with the names its pages answer with. Numbers may come as text. */
export type Row = Record<string, unknown>;
export type Named = { row: Row; key: string };
export type Tell = (code: NoteCode, job: string) => void;
const DEPTH = 3;

/** The rows of an export, however deep an answer has wrapped them, names with underscores turned; null of a text that has none such. */
export function foreignRows(text: string, isSuch: (row: Row) => boolean): Row[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const found = listIn(value, DEPTH)?.filter(isObject).map(withCapitals);
  return found?.some(isSuch) ? found : null;
}

function listIn(value: unknown, depth: number): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || depth === 0) return null;
  for (const name of ['data', 'content', 'rows', 'RECORDS']) {
    const found = listIn(value[name], depth - 1);
    if (found) return found;
  }
  // One job alone, as it is exported one by one.
  return depth === DEPTH ? [value] : null;
}

const withCapitals = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]),
  );
export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim());
export const idOf = (row: Row): string => textOf(row.id);

/** What is told of jobs while they are converted, and the notes it makes. */
export function notebook(): { tell: Tell; notes: () => ConversionNote[] } {
  const told = new Map(NOTE_CODES.map((code) => [code, new Set<string>()]));
  return {
    tell: (code, job) => void told.get(code)?.add(job),
    notes: () => [...told].flatMap(([code, jobs]) => (jobs.size > 0 ? [{ code, jobs: [...jobs] }] : [])),
  };
}

/** Named by what `nameOf` says, and by their number too where several have one name. */
export function withKeys(rows: readonly Row[], nameOf: (row: Row) => string): Named[] {
  const names = rows.map((row) => keyText(nameOf(row)) || 'job');
  const uses = new Map<string, number>();
  for (const name of names) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  return rows.map((row, i) => {
    const name = names[i] as string;
    const suffix = uses.get(name.toLowerCase()) === 1 ? '' : `-${keyText(idOf(row)) || i + 1}`;
    return { row, key: `${name.slice(0, LIMITS.groupKeyLength - suffix.length)}${suffix}` };
  });
}

export const keyText = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LIMITS.groupKeyLength);

/** What is an object or a list stays one; anything else is the text that the handler got. */
export function paramsText(stated: unknown): string {
  const text = textOf(stated);
  if (text === '') return 'null';
  if (/^[[{]/.test(text)) {
    try {
      JSON.parse(text);
      return text;
    } catch {
      // A text that only begins like one.
    }
  }
  return JSON.stringify(text);
}

export function convertedFile(group: string, jobs: readonly Row[], notes: ConversionNote[]): Conversion {
  const file = {
    schema: CONFIGURATION_SCHEMA,
    schemaVersion: CONFIGURATION_VERSION,
    groups: [],
    jobs: jobs.map((job) => ({ group, ...job })),
  };
  return { text: `${JSON.stringify(file, null, 2)}\n`, jobs: jobs.length, notes };
}
