import type { JobSchedule } from '@evenkeel/sdk/contract';
import cronstrue from 'cronstrue';
import 'cronstrue/locales/zh_CN';
import type { Translate } from './i18n';
import type { Language } from './preferences';
import { durationText } from './times';

/**
 * A schedule as a sentence, with its zone where one matters. The sentence explains; the fires come from the server.
 * `usual`: the zone that goes without saying, because every time beside it is in it.
 */
export function scheduleText(schedule: JobSchedule, timeZone: string, t: Translate, language: Language, usual?: string): string {
  switch (schedule.kind) {
    case 'cron': {
      const zone = schedule.timeZone ?? timeZone;
      const sentence = cronText(schedule.expression, language);
      return zone === usual ? sentence : t('schedule.inZone', { sentence, zone });
    }
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

const TIME = /^\D{0,3}\d\d:\d\d/;

/** A time of day needs its day; of what comes again within the day, "every hour, every day" says nothing more. */
export function cronText(expression: string, language: Language): string {
  const locale = language === 'zh-CN' ? 'zh_CN' : 'en';
  const said = (verbose: boolean) => cronstrue.toString(expression, { locale, use24HourTimeFormat: true, verbose });
  try {
    const text = TIME.test(said(true)) ? said(true) : said(false);
    return language === 'zh-CN' ? chinese(text) : text;
  } catch {
    return expression;
  }
}

/** As one says it: first the days, then the time; 周 for the days of the week. */
function chinese(text: string): string {
  const parts = text
    .replaceAll(/ ?星期/g, '周')
    .split(/[,，] */)
    .map((part) => part.replace(/^在 ?/, ''));
  const [time = '', ...days] = parts;
  if (!TIME.test(time) || days.length === 0) return parts.join('，');
  return `${days.join('，').replace(/^(限|仅)/, '')} ${time}`;
}
