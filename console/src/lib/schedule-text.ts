import type { JobSchedule } from '@evenkeel/sdk/contract';
import { cronText } from './cron-text';
import type { Translate } from './i18n';
import type { Language } from './preferences';
import { durationText, withZone } from './times';

/**
 * A schedule as a sentence, with its zone where one matters. The sentence explains; the fires come from the server.
 * Nothing for an expression nobody has written yet. `usual`: the zone that goes without saying, because every time beside it is in it.
 */
export function scheduleText(schedule: JobSchedule, timeZone: string, t: Translate, language: Language, usual?: string): string {
  switch (schedule.kind) {
    case 'cron': {
      const zone = schedule.timeZone ?? timeZone;
      const sentence = cronText(schedule.expression, language);
      if (sentence.trim() === '') return '';
      return zone === usual ? sentence : t('schedule.inZone', { sentence, zone });
    }
    case 'every':
      return t('schedule.every', { every: durationText(schedule.everyMs, t) });
    case 'after':
      return t('schedule.after', { delay: durationText(schedule.delayMs, t) });
    case 'once':
      return t('schedule.once', { at: onceText(schedule.at, timeZone) });
    case 'manual':
      return t('schedule.manual');
    default:
      return otherText(schedule, t);
  }
}

/** As it is written while nobody can read it as an instant yet. */
function onceText(written: string, zone: string): string {
  const at = Date.parse(written);
  return Number.isNaN(at) ? written : withZone(at, zone);
}

/** Kinds whose fires other things decide. */
function otherText(schedule: { kind: string; name?: string }, t: Translate): string {
  if (schedule.kind === 'event') return t('schedule.event', { name: schedule.name ?? '' });
  if (schedule.kind === 'upstream') return t('schedule.upstream');
  return schedule.kind;
}
