import { DELIVERY_STATES, JOB_STATES, type JobStateName, LIMITS, TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import { CLIENT_REQUEST_ID, GROUP_KEY, HANDLER } from '../decisions/check-submission.js';
import { type Parameter, type ParameterTable, type QueryPairs, readQuery, wholeNumber } from '../decisions/query-parameters.js';
import { instantMs } from '../decisions/rfc3339.js';
import { AppError } from '../platform/errors.js';
import { type IdPrefix, isId } from '../platform/ids.js';
import { cursorId, logCursorPlace } from './cursor.js';

/** How many fires are shown at once. */
export const MOST_FIRES = 100;
/** How many lines of a log are read at once. */
export const LOG_LINES = 1_000;

const matching = (pattern: RegExp, rule: string): Parameter<string> => ({
  parse: (value) => (pattern.test(value) ? value : undefined),
  rule,
});
const instant: Parameter<number> = {
  parse: (value) => instantMs(value) ?? undefined,
  rule: 'must be an RFC 3339 instant with a zone',
};

function cursorOf(prefix: IdPrefix): Parameter<string> {
  return { parse: (value) => cursorId(value, prefix), rule: 'must be a nextCursor of an earlier answer' };
}

const LIST = {
  status: {
    parse: (value: string) => TASK_STATES.find((state) => state === value) as TaskState | undefined,
    rule: `must be one of ${TASK_STATES.join(', ')}`,
    many: true as const,
  },
  clientRequestId: matching(CLIENT_REQUEST_ID, 'must be a clientRequestId'),
  handler: {
    parse: (value: string) => (value.length <= LIMITS.handlerLength && HANDLER.test(value) ? value : undefined),
    rule: 'must be the name of a handler',
  },
  group: matching(GROUP_KEY, 'must be the key of a group'),
  createdAfter: instant,
  createdBefore: instant,
  limit: wholeNumber(1, LIMITS.listPage),
  cursor: cursorOf('task'),
  jobId: { parse: (value: string) => (isId('job', value) ? value : undefined), rule: 'must be the id of a job' },
  flowId: {
    parse: (value: string) => (isId('task', value) ? value : undefined),
    rule: 'must be a flowId, which is the id of a task',
  },
  parentId: { parse: (value: string) => (isId('task', value) ? value : undefined), rule: 'must be the id of a task' },
};
const JOBS = {
  group: matching(GROUP_KEY, 'must be the key of a group'),
  key: matching(GROUP_KEY, 'must be the key of a job'),
  state: {
    parse: (value: string) => JOB_STATES.find((state) => state === value) as JobStateName | undefined,
    rule: `must be one of ${JOB_STATES.join(', ')}`,
  },
  limit: wholeNumber(1, LIMITS.listPage),
  cursor: cursorOf('job'),
};
const DELIVERIES = {
  status: {
    parse: (value: string) => DELIVERY_STATES.find((state) => state === value),
    rule: `must be one of ${DELIVERY_STATES.join(', ')}`,
    many: true as const,
  },
  taskId: { parse: (value: string) => (isId('task', value) ? value : undefined), rule: 'must be the id of a task' },
  endpointId: { parse: (value: string) => (isId('wep', value) ? value : undefined), rule: 'must be the id of an endpoint' },
  since: instant,
  limit: wholeNumber(1, LIMITS.listPage),
  cursor: cursorOf('dlv'),
};
const NEXT_FIRES = { n: wholeNumber(1, MOST_FIRES) };
const LOGS = {
  cursor: { parse: logCursorPlace, rule: 'must be a nextCursor of an earlier answer' },
  limit: wholeNumber(1, LOG_LINES),
  wait: wholeNumber(0, LIMITS.waitSeconds),
};
const GET = { wait: wholeNumber(0, LIMITS.waitSeconds) };

/** Every parameter of the list, and of a single task; the document is tested against them. */
export const LIST_PARAMETERS: readonly string[] = Object.keys(LIST);
export const JOB_LIST_PARAMETERS: readonly string[] = Object.keys(JOBS);

export const listQuery = (pairs: QueryPairs) => valuesOf(pairs, LIST);
export const jobsQuery = (pairs: QueryPairs) => valuesOf(pairs, JOBS);
export const deliveriesQuery = (pairs: QueryPairs) => valuesOf(pairs, DELIVERIES);
export const nextFiresQuery = (pairs: QueryPairs) => valuesOf(pairs, NEXT_FIRES);
export const logsQuery = (pairs: QueryPairs) => valuesOf(pairs, LOGS);
export const getQuery = (pairs: QueryPairs) => valuesOf(pairs, GET);
/** For routes without parameters. */
export const noQuery = (pairs: QueryPairs) => valuesOf(pairs, {});

/** Throws AppError. */
function valuesOf<T extends ParameterTable>(pairs: QueryPairs, table: T) {
  const verdict = readQuery(pairs, table);
  if (verdict.ok) return verdict.values;
  if ('repeated' in verdict) {
    throw new AppError('duplicate_parameter', `${verdict.repeated} is repeated`, {
      errors: [{ pointer: `/query/${verdict.repeated}`, code: 'repeated', message: 'may be given once' }],
    });
  }
  throw AppError.fields(verdict.errors);
}
