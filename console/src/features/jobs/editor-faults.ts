import type { JobDefinitionView, JobDetail } from '../../../../src/admin/contract/jobs.js';
import { fieldErrors } from '../../lib/field-errors';
import type { Language } from '../../lib/preferences';
import { EMPTY_FORM } from './job-form';

/** What the server refused, at the fields where it is shown. */
export function faultsOf(error: unknown, language: Language): { name: string[]; errors: string[] }[] {
  const known = new Set(Object.keys(EMPTY_FORM));
  return fieldErrors(error, language).map(({ name, errors }) => ({
    name: known.has(name[0] ?? '') ? [name[0] ?? ''] : [FIELD_OF[name.join('/')] ?? FIELD_OF[name[0] ?? ''] ?? 'handler'],
    errors,
  }));
}

/** A copy is the house's own, and only jobs of an app have callbacks. */
export function stated({ definition, app }: JobDetail, isCopy: boolean): JobDefinitionView {
  const { callbackUrl: _, ...others } = definition;
  return isCopy && app !== null ? others : definition;
}

/** Where the server's pointers are shown. */
const FIELD_OF: Record<string, string> = {
  schedule: 'kind',
  'schedule/expression': 'expression',
  'schedule/timeZone': 'timeZone',
  'schedule/everyMs': 'everySeconds',
  'schedule/delayMs': 'delaySeconds',
  'schedule/at': 'at',
  'schedule/startAt': 'startAt',
  'schedule/endAt': 'endAt',
  'schedule/jitterMs': 'jitterSeconds',
  'schedule/name': 'eventName',
  shards: 'shardKind',
  params: 'paramsText',
  timeoutMs: 'timeoutSeconds',
  misfireWindowMs: 'misfireWindowSeconds',
  retry: 'retryKind',
};
