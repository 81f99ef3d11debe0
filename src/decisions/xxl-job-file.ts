import {
  type Conversion,
  type ConversionTarget,
  convertedFile,
  foreignRows,
  idOf,
  type Named,
  notebook,
  paramsText,
  type Row,
  type Tell,
  textOf,
  withKeys,
} from './foreign-jobs.js';

/** The table writes this column in one word, unlike all its others. */
const childrenOf = (row: Row): string[] =>
  textOf(row.childJobId ?? row.childJobid)
    .split(/[,\s]+/)
    .filter((id) => id !== '');

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

/**
 * Jobs of XXL-JOB as a configuration file: rows of its table as JSON (names with capitals or underscores), or the answer its list of jobs
 * gets (`/jobinfo/pageList`). Null if the text is neither. Rows that run a script of their own have no handler and are left out.
 * A job that was started by others and has no schedule waits for them, for all of them. Pure.
 */
export function convertXxlJobs(text: string, { group, timeZone }: ConversionTarget): Conversion | null {
  const rows = foreignRows(text, (row) => 'executorHandler' in row || 'glueType' in row);
  if (!rows) return null;
  const { tell, notes } = notebook();
  const taken = rows.filter((row, i) => isTakenOver(row, i, tell));
  // Named after its handler.
  const named = withKeys(taken, ({ executorHandler }) => textOf(executorHandler));
  const parents = parentsOf(named, tell);
  const jobs = named.map(({ row, key }) => jobOf(row, key, parents.get(key) ?? [], timeZone, tell));
  return convertedFile(group, jobs, notes());
}

function isTakenOver(row: Row, index: number, tell: Tell): boolean {
  const name = textOf(row.jobDesc) || idOf(row) || `#${index + 1}`;
  const script = textOf(row.glueType) || 'BEAN';
  if (script !== 'BEAN') tell('script_left_out', name);
  else if (textOf(row.executorHandler) === '') tell('row_left_out', name);
  else return true;
  return false;
}

/** Keys of the jobs that start a job, by its own. */
function parentsOf(named: readonly Named[], tell: Tell): Map<string, string[]> {
  const byId = new Map(named.map((each) => [idOf(each.row), each]));
  const parents = new Map<string, string[]>();
  for (const { row, key } of named) {
    for (const id of childrenOf(row)) {
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
  const timeoutSeconds = Math.max(0, Number(textOf(row.executorTimeout)) || 0);
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
    // There 0 (and less) is no limit, here 0 too; left out it would be the group's.
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
