import { type DaySet, daysOfMonth, daysOfWeek } from './cron-day-items.js';
import { DAY_OF_WEEK, HOUR, MINUTE, MONTH, QUARTZ_DAY_OF_WEEK, SECOND, YEAR } from './cron-fields.js';
import { cronList } from './cron-items.js';
import { CronError, quoted } from './cron-sentences.js';

export const CRON_DIALECTS = ['unix', 'quartz'] as const;
export type CronDialect = (typeof CRON_DIALECTS)[number];

/** An expression taken apart. Numbers are plain: months 1–12, weekdays 0–6 from Sunday. */
export interface CronExpression {
  seconds: ReadonlySet<number>;
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  dayOfMonth: DaySet;
  months: ReadonlySet<number>;
  dayOfWeek: DaySet;
  years: ReadonlySet<number>;
  /** The hour is neither a wildcard nor a step: the policies of daylight saving apply. */
  fixedHours: boolean;
  /** In the unix dialect, capitals, one blank between fields; reading it again gives it back. */
  normalised: string;
}

/** crontab(5). */
const MACROS: ReadonlyMap<string, string> = new Map([
  ['@YEARLY', '0 0 1 1 *'],
  ['@ANNUALLY', '0 0 1 1 *'],
  ['@MONTHLY', '0 0 1 * *'],
  ['@WEEKLY', '0 0 * * 0'],
  ['@DAILY', '0 0 * * *'],
  ['@MIDNIGHT', '0 0 * * *'],
  ['@HOURLY', '0 * * * *'],
]);

/**
 * Reads an expression of 5 fields, 6 with leading seconds, or 7 with a trailing year (Quartz: 6 or 7).
 *
 * @throws CronError naming the field and the rule; at once, whatever the size of the numbers
 */
export function readCron(expression: string, dialect: CronDialect): CronExpression {
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year] = split(expression, dialect);
  const seconds = cronList(second ?? '0', SECOND);
  const minutes = cronList(minute, MINUTE);
  const hours = cronList(hour, HOUR);
  const monthDays = daysOfMonth(dayOfMonth);
  const months = cronList(month, MONTH);
  const weekdays = daysOfWeek(dayOfWeek, dialect === 'quartz' ? QUARTZ_DAY_OF_WEEK : DAY_OF_WEEK);
  const years = cronList(year ?? '*', YEAR);
  if (dialect === 'quartz') checkQuartzDays(dayOfMonth, dayOfWeek);
  return {
    seconds: seconds.values,
    minutes: minutes.values,
    hours: hours.values,
    dayOfMonth: monthDays,
    months: months.values,
    dayOfWeek: weekdays,
    years: years.values,
    fixedHours: !hours.rhythmic,
    normalised: [
      ...(second === undefined ? [] : [seconds.text]),
      ...[minutes, hours, monthDays, months, weekdays].map(({ text }) => text),
      ...(year === undefined ? [] : [years.text]),
    ].join(' '),
  };
}

type Fields = [string | undefined, string, string, string, string, string, string | undefined];

function split(expression: string, dialect: CronDialect): Fields {
  const text = expression.trim().toUpperCase();
  if (text.startsWith('@') && !MACROS.has(text)) {
    const choices = [...MACROS.keys()].join(', ').toLowerCase();
    throw new CronError('bad_format', 'cron_macro', { got: quoted(expression), choices });
  }
  const fields = (MACROS.get(text) ?? text).split(/\s+/);
  if (MACROS.has(text) || (fields.length === 5 && dialect === 'unix')) return [undefined, ...fields, undefined] as Fields;
  if (fields.length === 6) return [...fields, undefined] as Fields;
  if (fields.length === 7) return fields as Fields;
  const count = text === '' ? 0 : fields.length;
  throw new CronError('bad_format', dialect === 'quartz' ? 'cron_quartz_fields' : 'cron_fields', { count });
}

/** Quartz refuses two restricted day fields; run by the unix rule such an expression would fire when nobody meant it. */
function checkQuartzDays(dayOfMonth: string, dayOfWeek: string): void {
  const open = (text: string) => text === '*' || text === '?';
  if (dayOfMonth === '?' && dayOfWeek === '?') {
    throw new CronError('bad_format', 'cron_quartz_two_open', { field: DAY_OF_WEEK.name });
  }
  if (!open(dayOfMonth) && !open(dayOfWeek)) {
    throw new CronError('bad_format', 'cron_quartz_two_days', { field: DAY_OF_WEEK.name });
  }
}
