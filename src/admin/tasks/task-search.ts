import type { ParamFilter } from '../../decisions/param-filter.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { placeholders } from '../../ports.js';
import type { TriggerName } from '../contract/tasks.js';

/** What tasks are looked for by. States are their stored numbers, instants epoch milliseconds, ids bound the time of creation. */
export interface TaskSearch {
  /** Null: every group. */
  groupIds: readonly number[] | null;
  states?: readonly number[];
  ids?: readonly string[];
  /** What failed in this bulk operation. */
  failedOf?: string;
  jobId?: string;
  /** Of one app; `appIds` are all there are, for a request id without an app. */
  appId?: number;
  appIds?: readonly number[];
  handler?: string;
  workerId?: string;
  clientRequestId?: string;
  trigger?: TriggerName;
  flowId?: string;
  /** Only the shards of this task. Absent: no shards, unless they are named by `ids` or `failedOf`. */
  parentId?: string;
  /** Not started, and due before. */
  dueBefore?: number;
  fromId?: string;
  toId?: string;
  endedFrom?: number;
  /** Ended before, or not yet. */
  endedBefore?: number;
  /** What their params hold. */
  params?: readonly ParamFilter[];
  /** Read by the index of its groups, though others would serve: for who reads group after group. */
  byGroup?: boolean;
}

export interface Condition {
  sql: string;
  params: readonly unknown[];
  /** The index that serves it in the order of ids. */
  index?: string;
  /** Where the ids are read, if not in `tasks`; and by what they are ordered there, if not by themselves. */
  table?: { name: string; id: string };
  order?: string;
}

const { SCHEDULED, BLOCKED, PENDING, RETRYING } = STATE_CODE;
/** States of tasks that have not started, or wait to start again. */
export const WAITING_STATES: readonly number[] = [SCHEDULED, BLOCKED, PENDING, RETRYING];

/**
 * How a search is read: `heads` are conditions each served newest first by one index that ends with the id (or by the primary key),
 * disjoint, their union being what is looked through; `rest` is what a row must still fulfil.
 */
export interface SearchPlan {
  heads: Condition[];
  rest: Condition[];
  /** What no statement tells: it is looked up in the params of rows that fulfil the rest. */
  params?: readonly ParamFilter[];
}

/** Each ends with the id. */
const INDEXES: Record<string, string> = {
  state: 'ix_tasks_state',
  group_id: 'ix_tasks_group',
  job_id: 'ix_tasks_job',
  app_id: 'ix_tasks_app',
  // The ids of one task's shards ascend with their number.
  parent_id: 'uk_tasks_parent_shard',
};
const equals = (column: string, value: unknown): Condition => ({ sql: `${column} = ?`, params: [value], index: INDEXES[column] });
const among = (column: string, values: readonly unknown[]): Condition => ({
  sql: `${column} IN (${placeholders(values.length)})`,
  params: values,
});
const GROUP_HEADS = 8;

/** `byState: false` leaves the states to the rest, for counts over all of them. */
export function planSearch(search: TaskSearch, byState = true): SearchPlan {
  const plan = planOf(search, byState);
  return search.params === undefined ? plan : { ...plan, params: search.params };
}

function planOf(search: TaskSearch, byState: boolean): SearchPlan {
  const rest = restOf(search);
  const states = search.states ? [among('state', search.states)] : [];
  const groups = search.groupIds ? [among('group_id', search.groupIds)] : [];
  const within = bounds(search);
  const heads = (conditions: Condition[]) => conditions.map((condition) => both(condition, within));
  /** What is stated beside the key that a search is read by. */
  const narrowed = (key: (typeof KEYS)[number]) => {
    const others = KEYS.slice(KEYS.indexOf(key) + 1).flatMap((each) => ofKey(each, search));
    return [...rest, ...states, ...groups, ...ofJob(search), ...ofApp(search), ...others];
  };
  if (search.ids?.length === 0) return { heads: [NOTHING], rest: [] };
  if (search.ids) return { heads: heads([among('id', search.ids)]), rest: narrowed('ids') };
  if (search.failedOf !== undefined) {
    const table = { name: 'bulk_items', id: 'item_id' };
    const failed = { sql: "bulk_id = ? AND outcome = 'failed'", params: [search.failedOf] };
    const own = { ...both(failed, bounds(search, table.id)), table };
    return { heads: [own], rest: narrowed('failedOf') };
  }
  if (search.parentId !== undefined) {
    const own = heads([{ ...equals('parent_id', search.parentId), order: 'shard_index' }]);
    return { heads: own, rest: narrowed('parentId') };
  }
  if (search.flowId !== undefined) {
    const table = { name: 'flow_tasks', id: 'task_id' };
    const own = { ...both({ sql: 'flow_id = ?', params: [search.flowId] }, bounds(search, table.id)), table };
    return { heads: [own], rest: narrowed('flowId') };
  }
  if (search.clientRequestId !== undefined) {
    const apps = search.appId === undefined ? (search.appIds ?? []) : [search.appId];
    const own = apps.length === 0 ? NOTHING : both(among('app_id', apps), equals('client_request_id', search.clientRequestId));
    return { heads: heads([own]), rest: [...rest, ...states, ...groups, ...ofJob(search)] };
  }
  if (search.jobId !== undefined) return { heads: heads(ofJob(search)), rest: [...rest, ...states, ...groups, ...ofApp(search)] };
  if (byState && search.states?.length === 0) return { heads: [NOTHING], rest: [] };
  if (search.byGroup && search.groupIds) {
    const each = search.groupIds.map((id) => equals('group_id', id));
    return { heads: heads(each), rest: [...rest, ...states, ...ofApp(search)] };
  }
  if (byState && search.states) {
    const each = search.states.map((state) => equals('state', state));
    return { heads: heads(each), rest: [...rest, ...groups, ...ofApp(search)] };
  }
  if (search.appId !== undefined) return { heads: heads(ofApp(search)), rest: [...rest, ...states, ...groups] };
  if (search.groupIds && search.groupIds.length <= GROUP_HEADS) {
    const each = search.groupIds.map((id) => equals('group_id', id));
    return { heads: heads(each.length > 0 ? each : [NOTHING]), rest: [...rest, ...states] };
  }
  return { heads: [within], rest: [...rest, ...states, ...groups] };
}

const NOTHING: Condition = { sql: '1 = 0', params: [] };

function bounds({ fromId, toId }: TaskSearch, id = 'id'): Condition {
  const conditions = [
    ...(fromId === undefined ? [] : [{ sql: `${id} >= ?`, params: [fromId] }]),
    ...(toId === undefined ? [] : [{ sql: `${id} < ?`, params: [toId] }]),
  ];
  return conditions.reduce(both, EVERYTHING);
}

const EVERYTHING: Condition = { sql: '', params: [] };

export function both(a: Condition, b: Condition): Condition {
  if (a.sql === '') return b;
  return b.sql === '' ? a : { ...a, sql: `${a.sql} AND ${b.sql}`, params: [...a.params, ...b.params] };
}

/** Each names tasks by itself: a search is read by the first of them it states, and the others narrow that. */
const KEYS = ['ids', 'failedOf', 'parentId', 'flowId', 'clientRequestId'] as const;

function ofKey(key: (typeof KEYS)[number], search: TaskSearch): Condition[] {
  const value = search[key];
  if (value === undefined) return [];
  switch (key) {
    case 'ids':
      return [among('t.id', search.ids ?? [])];
    case 'failedOf':
      return [{ sql: "t.id IN (SELECT item_id FROM bulk_items WHERE bulk_id = ? AND outcome = 'failed')", params: [value] }];
    case 'parentId':
      return [equals('parent_id', value)];
    case 'flowId':
      return [{ sql: 't.id IN (SELECT task_id FROM flow_tasks WHERE flow_id = ?)', params: [value] }];
    case 'clientRequestId':
      return [equals('client_request_id', value)];
  }
}

const ofJob = ({ jobId }: TaskSearch): Condition[] => (jobId === undefined ? [] : [equals('job_id', jobId)]);
const ofApp = ({ appId }: TaskSearch): Condition[] => (appId === undefined ? [] : [equals('app_id', appId)]);

/** The first step of the timeline names who made the task; its actor begins within these characters, that of the next step does not. */
const madeBy = (kind: string): Condition => ({ sql: 'SUBSTR(t.timeline, 1, 40) LIKE ?', params: [`[1,null,%,"${kind}:%`] });
const FIRED = { sql: 't.job_id IS NOT NULL AND t.fire_at IS NULL AND t.parent_id IS NULL', params: [] };
const BY_TRIGGER: Record<TriggerName, readonly Condition[]> = {
  api: [{ sql: 't.job_id IS NULL AND t.parent_id IS NULL', params: [] }],
  schedule: [{ sql: "t.fire_at IS NOT NULL AND COALESCE(t.backfill_key, '') = '' AND t.parent_id IS NULL", params: [] }],
  backfill: [{ sql: "COALESCE(t.backfill_key, '') <> '' AND t.parent_id IS NULL", params: [] }],
  event: [FIRED, madeBy('event')],
  upstream: [FIRED, either(madeBy('job'), madeBy('task'))],
  manual: [FIRED, either(madeBy('user'), madeBy('app'))],
  shard: [{ sql: 't.parent_id IS NOT NULL', params: [] }],
};

export function either(a: Condition, b: Condition): Condition {
  return { sql: `(${a.sql} OR ${b.sql})`, params: [...a.params, ...b.params] };
}

/** Shards are hidden; a list of nothing else is read nearly as if this were not there. */
const NO_SHARDS: Condition = { sql: 't.parent_id IS NULL', params: [] };
export const onlyHidesShards = ({ rest, params }: SearchPlan): boolean =>
  params === undefined && rest.every((condition) => condition === NO_SHARDS);

function restOf({
  handler,
  workerId,
  trigger,
  dueBefore,
  endedFrom,
  endedBefore,
  ids,
  failedOf,
  parentId,
}: TaskSearch): Condition[] {
  const rest: Condition[] = [];
  const named = ids !== undefined || failedOf !== undefined || parentId !== undefined;
  if (!named && trigger !== 'shard') rest.push(NO_SHARDS);
  if (handler !== undefined) rest.push(equals('handler', handler));
  if (workerId !== undefined) rest.push(equals('worker_id', workerId));
  if (trigger !== undefined) rest.push(...BY_TRIGGER[trigger]);
  if (dueBefore !== undefined) rest.push({ sql: 'due_at < ?', params: [dueBefore] });
  if (endedFrom !== undefined) rest.push({ sql: 'ended_at >= ?', params: [endedFrom] });
  if (endedBefore !== undefined) rest.push({ sql: '(ended_at IS NULL OR ended_at < ?)', params: [endedBefore] });
  return rest;
}
