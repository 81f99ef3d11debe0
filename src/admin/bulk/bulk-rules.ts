import { LIMITS, TASK_STATES } from '@evenkeel/sdk/contract';
import { JOB_BOUNDS } from '../../decisions/check-job.js';
import {
  anyText,
  checkMembers,
  isObject,
  oneOf,
  pointerToken,
  type Rule,
  rules,
  text,
  typeOf,
} from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { isParamText, keysOfPath, PARAM, PARAM_BOUNDS, PARAM_PATH_RULE } from '../../decisions/param-filter.js';
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
    if (value !== true) findings.add(pointer, 'not_allowed', said('true_or_absent'));
  },
  endedFrom: instantRule,
  from: instantRule,
  to: instantRule,
  owner: anyText(128),
  tag: anyText(64),
  q: anyText(128),
});
const paramText: Rule = (value, pointer, findings) => {
  if (typeof value !== 'string') findings.add(pointer, 'wrong_type', said('string', { got: typeOf(value) }));
  else if (!isParamText(value)) findings.add(pointer, 'bad_format', said('storable_text', { max: PARAM_BOUNDS.textLength }));
};
const paramTexts = listOf(paramText, PARAM_BOUNDS.most);
const filterRule: Rule = (value, pointer, findings) => {
  if (!isObject(value)) return findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
  const isParam = ([name]: [string, unknown]) => name.startsWith(PARAM);
  const members = Object.entries(value);
  checkMembers(Object.fromEntries(members.filter((member) => !isParam(member))), FILTER, pointer, findings);
  let params = 0;
  for (const [name, texts] of members.filter(isParam)) {
    const at = `${pointer}/${pointerToken(name)}`;
    if (!keysOfPath(name.slice(PARAM.length))) findings.add(at, 'bad_format', said('param_path', { path: PARAM_PATH_RULE }));
    paramTexts(texts, at, findings);
    params += Array.isArray(texts) ? texts.length : 0;
    if (Array.isArray(texts) && texts.length === 0) findings.add(at, 'required', said('at_least_one'));
    if (params > PARAM_BOUNDS.most)
      findings.add(at, 'too_many', said('at_most_items', { max: PARAM_BOUNDS.most, what: 'values of params' }));
  }
};
const CHANGE = rules({ group: anyText(64), owner: orNull(text(JOB_BOUNDS.ownerLength, /\S/, said('blank'))) });
const changeRule: Rule = (value, pointer, findings) => {
  if (isObject(value)) checkMembers(value, CHANGE, pointer, findings);
  else findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
};
/** What of a change each kind needs; the others take none. */
export const NEEDED: Partial<Record<BulkKind, keyof BulkChange>> = { 'jobs.move': 'group', 'jobs.set_owner': 'owner' };
const kind = oneOf(KINDS);
export const PREVIEW = rules({ kind, filter: filterRule, change: changeRule });
export const START = rules({
  kind,
  filter: filterRule,
  change: changeRule,
  reason: text(500, /\S/, said('blank')),
  frozenAt: instantRule,
});
