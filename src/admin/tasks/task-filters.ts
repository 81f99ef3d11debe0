import { LIMITS, TASK_STATES } from '@evenkeel/sdk/contract';
import { said } from '../../decisions/field-sentences.js';
import {
  isParamText,
  keysOfPath,
  PARAM,
  PARAM_BOUNDS,
  PARAM_PATH_RULE,
  paramFilters,
  type StatedParam,
} from '../../decisions/param-filter.js';
import type { Parameter } from '../../decisions/query-parameters.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { firstIdAt, isId } from '../../platform/ids.js';
import type { TriggerName } from '../contract/tasks.js';
import { instantParameter, many, shortText, words } from '../request-parts.js';
import { type TaskSearch, WAITING_STATES } from './task-search.js';

/** Due and not started for longer than this is late. */
export const LATE_MS = 5_000;
export const TRIGGERS: readonly TriggerName[] = ['schedule', 'manual', 'api', 'event', 'upstream', 'backfill', 'shard'];
const taskId = { parse: (value: string) => (isId('task', value) ? value : undefined), rule: said('task_id') };
const param: Parameter<StatedParam> & { many: true } = {
  prefix: PARAM,
  parse: (text, path) => (keysOfPath(path) && isParamText(text) ? { path, text } : undefined),
  rule: said('param', { path: PARAM_PATH_RULE, max: PARAM_BOUNDS.textLength }),
  many: true,
  most: PARAM_BOUNDS.most,
};
export const TASK_FILTERS = {
  state: many(words(TASK_STATES)),
  group: many(shortText(LIMITS.groupKeyLength)),
  job: { parse: (value: string) => (isId('job', value) ? value : undefined), rule: said('job_id') },
  handler: shortText(LIMITS.handlerLength),
  app: shortText(31),
  worker: shortText(LIMITS.workerIdLength),
  clientRequestId: shortText(LIMITS.clientRequestIdLength),
  trigger: words(TRIGGERS),
  late: words(['true']),
  from: instantParameter,
  to: instantParameter,
  endedFrom: instantParameter,
  flowId: taskId,
  parentId: taskId,
  params: param,
};

export interface StatedFilters {
  state?: (typeof TASK_STATES)[number][];
  job?: string;
  handler?: string;
  worker?: string;
  clientRequestId?: string;
  trigger?: TriggerName;
  flowId?: string;
  parentId?: string;
  late?: string;
  from?: number;
  to?: number;
  endedFrom?: number;
  params?: StatedParam[];
}

/** What a list is asked by, as a search; groups and app are for the caller to resolve. */
export function searchOf(stated: StatedFilters, now: number): Omit<TaskSearch, 'groupIds'> {
  const states = stated.state?.map((state) => STATE_CODE[state]);
  const late = stated.late === undefined ? undefined : now - LATE_MS;
  return {
    states: late === undefined ? states : WAITING_STATES.filter((state) => states?.includes(state) ?? true),
    jobId: stated.job,
    handler: stated.handler,
    workerId: stated.worker,
    clientRequestId: stated.clientRequestId,
    trigger: stated.trigger,
    dueBefore: late,
    fromId: stated.from === undefined ? undefined : firstIdAt('task', stated.from),
    toId: stated.to === undefined ? undefined : firstIdAt('task', stated.to),
    endedFrom: stated.endedFrom,
    flowId: stated.flowId,
    parentId: stated.parentId,
    params: stated.params && paramFilters(stated.params),
  };
}
