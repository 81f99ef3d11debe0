import { JOB_BOUNDS } from './check-job.js';
import { isObject } from './field-rules.js';
import {
  type Conversion,
  type ConversionTarget,
  convertedFile,
  foreignRows,
  idOf,
  keyText,
  notebook,
  paramsText,
  type Row,
  type Tell,
  textOf,
  withKeys,
} from './foreign-jobs.js';

/** Its enumerations are numbers in the table and in answers, names in what its console exports. */
const word = (value: unknown, words: Readonly<Record<string, string>>): string => {
  const text = textOf(value);
  return words[text] ?? text.toUpperCase();
};
const SCHEDULES = { 1: 'API', 2: 'CRON', 3: 'FIXED_RATE', 4: 'FIXED_DELAY', 5: 'WORKFLOW', 11: 'DAILY_TIME_INTERVAL' };
const EXECUTIONS = { 1: 'STANDALONE', 2: 'BROADCAST', 3: 'MAP_REDUCE', 4: 'MAP' };
const PROCESSORS = { 1: 'BUILT_IN', 2: 'SHELL', 3: 'PYTHON', 4: 'EXTERNAL' };
const STRATEGIES = { 1: 'HEALTH_FIRST', 2: 'RANDOM', 11: 'SPECIFY' };
const DELETED = '99';
/** How long it waits before it runs an instance again. */
const INSTANCE_RETRY_DELAY_MS = 10_000;
const MOST_RETRIES = 100;

/**
 * Jobs of PowerJob as a configuration file: rows of its table `job_info` as JSON (names with capitals or underscores), the answer its
 * list of jobs gets, or single jobs as its console exports them. Null if the text is none of them. Deleted rows and scripts are left
 * out; a job that only a workflow starts is run by hand, since the workflow is in another table. Pure.
 */
export function convertPowerJobs(text: string, { group, timeZone }: ConversionTarget): Conversion | null {
  const rows = foreignRows(text, (row) => 'processorInfo' in row || 'timeExpressionType' in row);
  if (!rows) return null;
  const { tell, notes } = notebook();
  const taken = rows.filter((row, i) => isTakenOver(row, i, tell));
  const jobs = withKeys(taken, nameOf).map(({ row, key }) => jobOf(row, key, timeZone, tell));
  return convertedFile(group, jobs, notes());
}

function isTakenOver(row: Row, index: number, tell: Tell): boolean {
  const name = textOf(row.jobName) || idOf(row) || `#${index + 1}`;
  const processor = word(row.processorType, PROCESSORS);
  if (textOf(row.status) === DELETED) return false;
  if (processor === 'SHELL' || processor === 'PYTHON') tell('script_left_out', name);
  else if (handlerOf(row) === '') tell('row_left_out', name);
  else return true;
  return false;
}

/** Its name if that can be a key, else the last part of its processor's. */
const nameOf = (row: Row): string => {
  const name = textOf(row.jobName);
  return keyText(name).length >= name.length / 2 ? name : (handlerOf(row).split(/[.$]/).at(-1) ?? '');
};

/** A processor of a container is named `container#class`. */
const handlerOf = (row: Row): string => textOf(row.processorInfo).split('#').at(-1)?.trim() ?? '';

function jobOf(row: Row, key: string, timeZone: string, tell: Tell): Row {
  const execution = word(row.executeType, EXECUTIONS);
  const strategy = word(row.dispatchStrategy, STRATEGIES);
  if (execution === 'BROADCAST') tell('broadcast_as_shards', key);
  if (execution === 'MAP' || execution === 'MAP_REDUCE') tell('map_as_one', key);
  if (word(row.processorType, PROCESSORS) === 'EXTERNAL') tell('container_left_out', key);
  if (strategy !== '' && strategy !== 'HEALTH_FIRST' && strategy !== 'RANDOM') tell('routing_differs', key);
  if (textOf(row.designatedWorkers) !== '' || number(row.maxWorkerCount) > 0) tell('workers_left_out', key);
  if (list(row.notifyUserIds) !== '') tell('alarm_left_out', key);
  const description = [textOf(row.jobName), textOf(row.jobDescription)].filter((text) => text !== '' && text !== key).join(': ');
  return {
    key,
    handler: handlerOf(row),
    paramsText: paramsText(row.jobParams),
    schedule: { ...scheduleOf(row, key, tell), ...lifeOf(row) },
    timeZone,
    ...parallelOf(row, key, tell),
    // What was due while it was down was started once it was up again.
    misfire: 'fire_once',
    // There 0 is no limit, here too; left out it would be the group's.
    timeoutMs: number(row.instanceTimeLimit),
    ...retriesOf(row),
    ...(strategy === 'RANDOM' ? { routing: 'random' } : {}),
    ...(execution === 'BROADCAST' ? { shards: 'broadcast' } : {}),
    tags: ['powerjob', ...tagOf(row)],
    ...(description === '' ? {} : { description }),
  };
}

function scheduleOf(row: Row, key: string, tell: Tell): Row {
  const stated = textOf(row.timeExpression);
  switch (word(row.timeExpressionType, SCHEDULES)) {
    case 'CRON':
      return { kind: 'cron', expression: stated, cronDialect: 'quartz' };
    case 'FIXED_RATE':
    case 'FIX_RATE':
      return { kind: 'every', everyMs: number(stated) };
    case 'FIXED_DELAY':
    case 'FIX_DELAY':
      return { kind: 'after', delayMs: number(stated) };
    case 'WORKFLOW':
      tell('workflow_left_out', key);
      return { kind: 'manual' };
    case 'API':
      return { kind: 'manual' };
    default:
      tell('schedule_unknown', key);
      return { kind: 'manual' };
  }
}

/** From when and until when it fires. */
function lifeOf({ lifecycle, lifeCycle }: Row): Row {
  const stated = parsed(lifecycle ?? lifeCycle);
  const at = (value: unknown) => (number(value) > 0 ? new Date(number(value)).toISOString() : undefined);
  const [startAt, endAt] = [at(stated.start), at(stated.end)];
  return { ...(startAt === undefined ? {} : { startAt }), ...(endAt === undefined ? {} : { endAt }) };
}

/** More instances at once than it allowed were failed; here they are recorded as skipped. */
function parallelOf({ maxInstanceNum }: Row, key: string, tell: Tell): Row {
  const stated = number(maxInstanceNum ?? 1);
  if (stated === 1) return { overlap: 'skip' };
  const most = JOB_BOUNDS.maxParallel.max;
  if (stated === 0 || stated > most) tell('parallel_limited', key);
  return { overlap: 'allow', maxParallel: stated === 0 ? most : Math.min(stated, most) };
}

/** An instance was run again as a whole, and within it each try of the task. */
function retriesOf({ instanceRetryNum, taskRetryNum }: Row): Row {
  const [instances, tries] = [number(instanceRetryNum), number(taskRetryNum)];
  const maxRetries = Math.min(MOST_RETRIES, (instances + 1) * (tries + 1) - 1);
  if (maxRetries === 0) return { retry: { kind: 'none' }, repeatable: false };
  return {
    retry: { kind: 'fixed', maxRetries, delayMs: instances > 0 ? INSTANCE_RETRY_DELAY_MS : 0 },
    repeatable: true,
  };
}

const tagOf = ({ tag }: Row): string[] => (textOf(tag) === '' ? [] : [textOf(tag).slice(0, 64)]);
const number = (value: unknown): number => Math.max(0, Math.floor(Number(textOf(value)) || 0));
const list = (value: unknown): string => (Array.isArray(value) ? value.join() : textOf(value));

function parsed(value: unknown): Row {
  if (isObject(value)) return value;
  try {
    const read: unknown = JSON.parse(textOf(value));
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}
