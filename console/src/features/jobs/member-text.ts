import type { JobSchedule, RetryPolicy } from '@evenkeel/sdk/contract';
import { cronText } from '../../lib/cron-text';
import { marksShown } from '../../lib/direction-marks';
import type { Translate } from '../../lib/i18n';
import type { Language } from '../../lib/preferences';
import { scheduleText } from '../../lib/schedule-text';
import { durationText, withZone } from '../../lib/times';
import { dstFacts, scheduleFacts } from './schedule-facts';

export interface MemberWords {
  t: Translate;
  code: (prefix: string, code: string) => string;
  language: Language;
  /** Of the job. */
  timeZone: string;
}

/** The label of a field without the unit it asks for. */
export const plainLabel = (label: string): string => label.replace(/ ?[（(].*$/u, '');

/**
 * What a member of a definition, or `schedule.` and a member of its schedule, states: in the words of the editor, with the direction marks of
 * what somebody wrote shown.
 */
export const memberText = (name: string, value: unknown, words: MemberWords): string => marksShown(wordsOf(name, value, words));

function wordsOf(name: string, value: unknown, words: MemberWords): string {
  const { t, code, language, timeZone } = words;
  if (value === undefined || value === null || (name === 'paramsText' && value === 'null')) return '–';
  switch (name) {
    case 'overlap':
    case 'misfire':
    case 'routing':
    case 'onShardFailure':
      return code(name, String(value));
    case 'repeatable':
      return t(value ? 'jobs.yes' : 'jobs.no');
    case 'shards':
      return value === 'broadcast' ? t('jobs.shards.broadcast') : String(value);
    case 'retry':
      return retryText(value as RetryPolicy, words);
    case 'schedule':
      return wholeSchedule(value as JobSchedule, words);
    case 'schedule.expression':
      return [cronText(String(value), language), String(value)].join(' · ');
    case 'schedule.dst':
      return dstFacts(value, t).join(' · ') || '–';
    case 'schedule.at':
    case 'schedule.startAt':
    case 'schedule.endAt':
    case 'schedule.anchorAt':
      return instantText(String(value), timeZone);
    default:
      return plainText(name, value, t);
  }
}

function plainText(name: string, value: unknown, t: Translate): string {
  if (name === 'timeoutMs' && value === 0) return t('task.noTimeout');
  if (typeof value === 'number' && name.endsWith('Ms')) return durationText(value, t);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ') || '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function wholeSchedule(schedule: JobSchedule, words: MemberWords): string {
  const { t, language, timeZone } = words;
  const sentence = scheduleText(schedule, timeZone, t, language);
  const expression = schedule.kind === 'cron' ? [schedule.expression] : [];
  return [sentence, ...expression, ...scheduleFacts(schedule, timeZone, t), ...unnamed(schedule, words)].join(' · ');
}

/** Members that the editor has no field for stand by their names. */
function unnamed(schedule: JobSchedule, { t, timeZone }: MemberWords): string[] {
  const fact = (name: string, value: string) => [t('jobs.fact', { name, value })];
  if (schedule.kind === 'every' && schedule.anchorAt) return fact('anchorAt', instantText(schedule.anchorAt, timeZone));
  return schedule.kind === 'cron' && schedule.cronDialect ? fact('cronDialect', schedule.cronDialect) : [];
}

function retryText(policy: RetryPolicy, { t, code }: MemberWords): string {
  const kind = code('retryKind', policy.kind);
  if (policy.kind === 'none') return kind;
  const fact = (name: string, value: string) => t('jobs.fact', { name, value });
  const delay = plainLabel(t('jobs.retrySeconds'));
  const exactly = (ms: number) => durationText(ms, t);
  if (policy.kind === 'list') return [kind, fact(delay, policy.delaysMs.map(exactly).join(t('punctuation.comma')))].join(' · ');
  const { kind: _, maxRetries, delayMs, ...others } = policy;
  return [
    kind,
    fact(t('jobs.maxRetries'), String(maxRetries)),
    fact(delay, exactly(delayMs)),
    ...Object.entries(others).map(([name, value]) => fact(name, plainText(name, value, t))),
  ].join(' · ');
}

/** As it is written while nobody can read it as an instant. */
function instantText(written: string, timeZone: string): string {
  const at = Date.parse(written);
  return Number.isNaN(at) ? written : withZone(at, timeZone);
}
