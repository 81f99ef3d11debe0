import { LIMITS } from '@evenkeel/sdk/contract';
import { CONFIGURATION_SCHEMA, CONFIGURATION_VERSION } from './configuration-file.js';
import { isObject } from './field-rules.js';

/** Schedulers whose jobs can be taken over. */
export const CONVERTED_FROM = ['xxl-job'] as const;
export type ConvertedFrom = (typeof CONVERTED_FROM)[number];

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
] as const;
type NoteCode = (typeof NOTE_CODES)[number];

interface ConversionTarget {
  group: string;
  timeZone: string;
}
interface Conversion {
  /** A file as an import takes it; what is wrong with single jobs the import says. */
  text: string;
  jobs: number;
  notes: ConversionNote[];
}

/** A row of XXL-JOB's table `xxl_job_info`, with the names its pages answer with. Numbers may come as text. */
type Row = Record<string, unknown>;
type Named = { row: Row; key: string };
type Tell = (code: NoteCode, job: string) => void;

/** `SERIAL_EXECUTION` and others, as what becomes of a fire while an earlier task is going. */
const OVERLAP = new Map([
  ['SERIAL_EXECUTION', 'queue'],
  ['DISCARD_LATER', 'skip'],
  ['COVER_EARLY', 'replace'],
]);
const MISFIRE = new Map([
  ['DO_NOTHING', 'skip'],
  ['FIRE_ONCE_NOW', 'fire_once'],
]);
/** The other strategies choose by what the choice by cost weighs too, or by an order that nothing here has. */
const ROUTING = new Map([
  ['ROUND', 'round_robin'],
  ['RANDOM', 'random'],
  ['CONSISTENT_HASH', 'consistent_hash'],
]);
const BROADCAST = 'SHARDING_BROADCAST';
const DEPTH = 3;

/**
 * Jobs of XXL-JOB as a configuration file: rows of its table as JSON (names with capitals or underscores), or the answer its list of jobs
 * gets (`/jobinfo/pageList`). Null if the text is neither. Rows that run a script of their own have no handler and are left out.
 * A job that was started by others and has no schedule waits for them, for all of them. Pure.
 */
export function convertXxlJobs(text: string, { group, timeZone }: ConversionTarget): Conversion | null {
  const rows = rowsOf(text);
  if (!rows) return null;
  const notes = new Map(NOTE_CODES.map((code) => [code, new Set<string>()]));
  const tell: Tell = (code, job) => void notes.get(code)?.add(job);
  const named = withKeys(rows.filter((row, i) => isTakenOver(row, i, tell)));
  const parents = parentsOf(named, tell);
  const jobs = named.map(({ row, key }) => ({ group, ...jobOf(row, key, parents.get(key) ?? [], timeZone, tell) }));
  const file = { schema: CONFIGURATION_SCHEMA, schemaVersion: CONFIGURATION_VERSION, groups: [], jobs };
  return {
    text: `${JSON.stringify(file, null, 2)}\n`,
    jobs: jobs.length,
    notes: [...notes].flatMap(([code, told]) => (told.size > 0 ? [{ code, jobs: [...told] }] : [])),
  };
}

function rowsOf(text: string): Row[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const found = listIn(value, DEPTH)?.filter(isObject).map(withCapitals);
  return found?.some((row) => 'executorHandler' in row || 'glueType' in row) ? found : null;
}

/** The list, however deep an answer has wrapped it. */
function listIn(value: unknown, depth: number): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || depth === 0) return null;
  for (const name of ['data', 'content', 'rows', 'RECORDS']) {
    const found = listIn(value[name], depth - 1);
    if (found) return found;
  }
  return null;
}

const withCapitals = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]),
  );
const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim());
const idOf = (row: Row): string => textOf(row.id);

function isTakenOver(row: Row, index: number, tell: Tell): boolean {
  const name = textOf(row.jobDesc) || idOf(row) || `#${index + 1}`;
  const script = textOf(row.glueType) || 'BEAN';
  if (script !== 'BEAN') tell('script_left_out', name);
  else if (textOf(row.executorHandler) === '') tell('row_left_out', name);
  else return true;
  return false;
}

/** Named after its handler, and after its number too where several have one handler. */
function withKeys(rows: readonly Row[]): Named[] {
  const names = rows.map((row) => keyText(textOf(row.executorHandler)) || 'job');
  const uses = new Map<string, number>();
  for (const name of names) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  return rows.map((row, i) => {
    const name = names[i] as string;
    const suffix = uses.get(name.toLowerCase()) === 1 ? '' : `-${keyText(idOf(row)) || i + 1}`;
    return { row, key: `${name.slice(0, LIMITS.groupKeyLength - suffix.length)}${suffix}` };
  });
}

const keyText = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LIMITS.groupKeyLength);

/** Keys of the jobs that start a job, by its own. */
function parentsOf(named: readonly Named[], tell: Tell): Map<string, string[]> {
  const byId = new Map(named.map((each) => [idOf(each.row), each]));
  const parents = new Map<string, string[]>();
  for (const { row, key } of named) {
    for (const id of textOf(row.childJobId).split(/[,\s]+/)) {
      if (id === '') continue;
      const child = byId.get(id);
      if (!child) tell('child_unknown', key);
      else if (scheduleKind(child.row) !== 'NONE') tell('child_keeps_schedule', child.key);
      else parents.set(child.key, [...new Set([...(parents.get(child.key) ?? []), key])]);
    }
  }
  return parents;
}

/** Before there were types of schedules, a job had a cron expression or none. */
const scheduleKind = (row: Row): string =>
  textOf(row.scheduleType) || (textOf(row.scheduleConf) || textOf(row.jobCron) ? 'CRON' : 'NONE');

function jobOf(row: Row, key: string, upstreams: readonly string[], timeZone: string, tell: Tell): Record<string, unknown> {
  const retries = Number(textOf(row.executorFailRetryCount)) || 0;
  const timeoutSeconds = Number(textOf(row.executorTimeout)) || 0;
  const route = textOf(row.executorRouteStrategy);
  if (route === BROADCAST) tell('broadcast_as_shards', key);
  else if (route !== '' && !ROUTING.has(route)) tell('routing_differs', key);
  if (textOf(row.alarmEmail) !== '') tell('alarm_left_out', key);
  if (upstreams.length > 1) tell('waits_for_all', key);
  const [description, owner] = [textOf(row.jobDesc), textOf(row.author)];
  return {
    key,
    handler: textOf(row.executorHandler),
    paramsText: paramsText(row.executorParam),
    schedule: upstreams.length > 0 ? { kind: 'upstream' } : scheduleOf(row, key, tell),
    timeZone,
    ...(upstreams.length > 0 ? { upstreams } : {}),
    overlap: OVERLAP.get(textOf(row.executorBlockStrategy)) ?? 'queue',
    misfire: MISFIRE.get(textOf(row.misfireStrategy)) ?? 'skip',
    // There 0 is no limit, here too; left out it would be the group's.
    timeoutMs: timeoutSeconds * 1_000,
    retry: retries > 0 ? { kind: 'fixed', maxRetries: retries, delayMs: 0 } : { kind: 'none' },
    // Without retries nothing ran twice there, also not after its executor was lost.
    repeatable: retries > 0,
    ...(ROUTING.has(route) ? { routing: ROUTING.get(route) } : {}),
    ...(route === 'CONSISTENT_HASH' ? { routingKey: key } : {}),
    ...(route === BROADCAST ? { shards: 'broadcast' } : {}),
    ...(owner === '' ? {} : { owner }),
    tags: ['xxl-job'],
    ...(description === '' ? {} : { description }),
  };
}

function scheduleOf(row: Row, key: string, tell: Tell): Record<string, unknown> {
  const stated = textOf(row.scheduleConf) || textOf(row.jobCron);
  switch (scheduleKind(row)) {
    case 'CRON':
      return { kind: 'cron', expression: stated, cronDialect: 'quartz' };
    case 'FIX_RATE':
      return { kind: 'every', everyMs: Number(stated) * 1_000 };
    case 'FIX_DELAY':
      return { kind: 'after', delayMs: Number(stated) * 1_000 };
    case 'NONE':
      return { kind: 'manual' };
    default:
      tell('schedule_unknown', key);
      return { kind: 'manual' };
  }
}

/** What is an object or a list stays one; anything else is the text that the handler got. */
function paramsText(stated: unknown): string {
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
