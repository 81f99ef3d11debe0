import { LIMITS, TASK_STATES } from '@evenkeel/sdk/contract';
import { JOB_BOUNDS } from '../../decisions/check-job.js';
import { anyText, checkMembers, isObject, oneOf, type Rule, rules, text, typeOf } from '../../decisions/field-rules.js';
import type { BulkChange, BulkKind } from '../contract/bulk.js';
import { instantRule, listOf, orNull } from '../request-parts.js';
import { TRIGGERS } from '../tasks/task-filters.js';
import { BULK_PERMISSIONS } from './bulk-actions.js';

const KINDS = Object.keys(BULK_PERMISSIONS) as BulkKind[];
const STATES = [...TASK_STATES, 'active', 'paused', 'disabled'];
const MOST_IDS = 1_000;
const FILTER = rules({
  ids: listOf(anyText(31), MOST_IDS),
  failedOf: anyText(31),
  group: listOf(anyText(64), 1_000),
  state: listOf(oneOf(STATES), STATES.length),
  job: anyText(31),
  handler: anyText(LIMITS.handlerLength),
  app: anyText(31),
  worker: anyText(64),
  clientRequestId: anyText(64),
  flowId: anyText(31),
  parentId: anyText(31),
  trigger: oneOf(TRIGGERS),
  late: (value, pointer, findings) => {
    if (value !== true) findings.add(pointer, 'not_allowed', 'must be true, or absent');
  },
  endedFrom: instantRule,
  from: instantRule,
  to: instantRule,
  owner: anyText(128),
  tag: anyText(64),
  q: anyText(128),
});
const filterRule: Rule = (value, pointer, findings) => {
  if (isObject(value)) checkMembers(value, FILTER, pointer, findings);
  else findings.add(pointer, 'wrong_type', `must be an object, not ${typeOf(value)}`);
};
const CHANGE = rules({ group: anyText(64), owner: orNull(text(JOB_BOUNDS.ownerLength, /\S/, 'must not be blank')) });
const changeRule: Rule = (value, pointer, findings) => {
  if (isObject(value)) checkMembers(value, CHANGE, pointer, findings);
  else findings.add(pointer, 'wrong_type', `must be an object, not ${typeOf(value)}`);
};
/** What of a change each kind needs; the others take none. */
export const NEEDED: Partial<Record<BulkKind, keyof BulkChange>> = { 'jobs.move': 'group', 'jobs.set_owner': 'owner' };
const kind = oneOf(KINDS);
export const PREVIEW = rules({ kind, filter: filterRule, change: changeRule });
export const START = rules({ kind, filter: filterRule, change: changeRule, reason: text(500, /\S/, 'must not be blank') });
