import { TASK_STATES, type TaskState } from '../../../../sdk/src/contract/task-states';
import type { TriggerName } from '../../../../src/admin/contract/tasks.js';
import type { Query } from '../../api/client';
import { sortsOf } from '../../components/sorting';
import { findsNothing, many, one, oneOf, type RawSearch, type SearchRules, straysIn } from '../../lib/search';
import { DEFAULT_WINDOW, WINDOWS, type Window, windowStart } from '../../lib/since';

/** The task list as its URL says; what is a default is left out of the URL. */
export interface TaskSearch {
  state?: TaskState[];
  group?: string[];
  job?: string;
  handler?: string;
  app?: string;
  worker?: string;
  clientRequestId?: string;
  trigger?: TriggerName;
  late?: boolean;
  since?: Window;
  from?: string;
  to?: string;
  endedFrom?: string;
  parentId?: string;
  flowId?: string;
  after?: string;
  size?: number;
  /** The task that is glanced at. */
  peek?: string;
  /** Counted by what tasks have in common, instead of listed. */
  by?: (typeof GROUPINGS)[number];
  /** Newest first if absent. */
  sort?: (typeof SORTS)[number];
  /** Behind that path of their params is one of these; the path as the server reads it. */
  [param: ParamName]: string[] | undefined;
}
type ParamName = `param.${string}`;
export const isParam = (name: string): name is ParamName => name.startsWith('param.');
/** Of the params among the filters alone. */
const paramsOf = (raw: RawSearch): Record<ParamName, string[] | undefined> =>
  Object.fromEntries(
    Object.keys(raw)
      .filter(isParam)
      .map((name) => [name, many(raw, name)]),
  );
/** What an index of the server has in order; see `TASK_ORDERS` there. */
export const SORTED_COLUMNS = ['id', 'state', 'group'] as const;
const SORTS = sortsOf(SORTED_COLUMNS);
export const GROUPINGS = ['job', 'error', 'worker', 'group'] as const;
export const TRIGGERS: readonly TriggerName[] = ['schedule', 'manual', 'api', 'event', 'upstream', 'backfill', 'shard'];
export const SIZES = [20, 50, 100];

/** Filters other than the state, the time and the params. */
const FILTERS = [
  'group',
  'job',
  'handler',
  'app',
  'worker',
  'clientRequestId',
  'trigger',
  'late',
  'endedFrom',
  'parentId',
  'flowId',
] as const;
/** What the address of the list may say. */
export const TASK_RULES: SearchRules = {
  names: [...FILTERS, 'state', 'since', 'from', 'to', 'after', 'size', 'peek', 'by', 'sort'],
  repeated: ['state', 'group'],
  values: { state: TASK_STATES, trigger: TRIGGERS, late: ['true'], since: WINDOWS },
  prefix: 'param.',
};
/** Whether the address has a filter that cannot be understood: then nothing is asked for. */
export const asksNothing = (raw: RawSearch): boolean => findsNothing(straysIn(raw, TASK_RULES));

export function taskSearch(raw: RawSearch): TaskSearch {
  const states = many(raw, 'state')?.flatMap((text) => TASK_STATES.filter((state) => state === text.toUpperCase()));
  const size = Number(one(raw, 'size'));
  const since = oneOf(raw, 'since', WINDOWS);
  return {
    state: states?.length ? states : undefined,
    group: many(raw, 'group'),
    job: one(raw, 'job'),
    handler: one(raw, 'handler'),
    app: one(raw, 'app'),
    worker: one(raw, 'worker'),
    clientRequestId: one(raw, 'clientRequestId'),
    trigger: oneOf(raw, 'trigger', TRIGGERS),
    late: one(raw, 'late') === 'true' || undefined,
    since: since === DEFAULT_WINDOW ? undefined : since,
    from: one(raw, 'from'),
    to: one(raw, 'to'),
    endedFrom: one(raw, 'endedFrom'),
    parentId: one(raw, 'parentId'),
    flowId: one(raw, 'flowId'),
    after: one(raw, 'after'),
    size: SIZES.includes(size) && size !== 50 ? size : undefined,
    peek: one(raw, 'peek'),
    by: oneOf(raw, 'by', GROUPINGS),
    sort: oneOf(raw, 'sort', SORTS),
    ...paramsOf(raw),
  };
}

/** As the API asks for it. A stated `from` or `to` stands for itself; else the window, the last 24 hours if none is stated. */
export function taskQuery({ since, after, size, from, to, peek: _, by: __, ...filters }: TaskSearch): Query {
  const stated = from !== undefined || to !== undefined;
  return {
    ...filters,
    from: stated ? from : windowStart(since ?? DEFAULT_WINDOW),
    to,
    cursor: after,
    limit: size ?? 50,
  };
}

/** The names of those that are in force, and what takes all of them away. */
export const filtersIn = (search: TaskSearch) =>
  [...FILTERS, ...Object.keys(search).filter(isParam)].filter((name) => search[name] !== undefined);
export const withoutFilters = (search: TaskSearch): Partial<TaskSearch> =>
  Object.fromEntries([...filtersIn(search), 'from', 'to', 'state'].map((name) => [name, undefined]));
