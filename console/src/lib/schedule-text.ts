import type { JobSchedule } from '@evenkeel/sdk/contract';
import cronstrue from 'cronstrue';
import 'cronstrue/locales/zh_CN';
import type { Translate } from './i18n';
import type { Language } from './preferences';
import { durationText } from './times';

/** A schedule as a sentence, with its zone where one matters. The sentence explains; the fires come from the server. */
export function scheduleText(schedule: JobSchedule, timeZone: string, t: Translate, language: Language): string {
  switch (schedule.kind) {
    case 'cron':
      return `${cronText(schedule.expression, language)} (${schedule.timeZone ?? timeZone})`;
    case 'every':
      return t('schedule.every', { every: durationText(schedule.everyMs) });
    case 'after':
      return t('schedule.after', { delay: durationText(schedule.delayMs) });
    case 'once':
      return t('schedule.once', { at: schedule.at });
    case 'manual':
      return t('schedule.manual');
    default:
      return otherText(schedule, t);
  }
}

/** Kinds whose fires other things decide. */
function otherText(schedule: { kind: string; name?: string }, t: Translate): string {
  if (schedule.kind === 'event') return t('schedule.event', { name: schedule.name ?? '' });
  if (schedule.kind === 'upstream') return t('schedule.upstream');
  return schedule.kind;
}

function cronText(expression: string, language: Language): string {
  try {
    return cronstrue.toString(expression, {
      locale: language === 'zh-CN' ? 'zh_CN' : 'en',
      use24HourTimeFormat: true,
      verbose: true,
    });
  } catch {
    return expression;
  }
}
