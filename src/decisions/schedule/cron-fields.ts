import { CronError, type CronRuleValues, quoted } from './cron-sentences.js';

/** One field of a cron expression: its bounds, its names, and how a number in it is read. */
export interface CronField {
  name: 'second' | 'minute' | 'hour' | 'day of month' | 'month' | 'day of week' | 'year';
  min: number;
  max: number;
  /** `names[i]` stands for `min + i`. */
  names?: readonly string[];
  /** A range may go over the end, as in `22-2`. */
  wraps: boolean;
  /** Numbers below this one do not exist as input (Quartz counts weekdays from 1). */
  firstNumber: number;
  /** The largest number that may be written: 7 is Sunday in both dialects' own way. */
  lastNumber: number;
}

/** As in Quartz. No cron job fires after the last of these years, which bounds every search. */
export const YEARS = { first: 1970, last: 2099 } as const;
export const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'] as const;
export const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

const plain = (name: CronField['name'], min: number, max: number, wraps = true): CronField => ({
  name,
  min,
  max,
  wraps,
  firstNumber: min,
  lastNumber: max,
});

export const SECOND = plain('second', 0, 59);
export const MINUTE = plain('minute', 0, 59);
export const HOUR = plain('hour', 0, 23);
export const DAY_OF_MONTH = plain('day of month', 1, 31);
export const MONTH: CronField = { ...plain('month', 1, 12), names: MONTHS };
export const YEAR = plain('year', YEARS.first, YEARS.last, false);
/** crontab(5): 0 and 7 are Sunday. */
export const DAY_OF_WEEK: CronField = { ...plain('day of week', 0, 6), names: WEEKDAYS, lastNumber: 7 };
/** Quartz CronExpression: 1 is Sunday, 7 is Saturday. */
export const QUARTZ_DAY_OF_WEEK: CronField = { ...DAY_OF_WEEK, firstNumber: 1 };

/** A number or name of a field, as the number used everywhere behind this file (weekdays 0–6). */
export interface CronValue {
  value: number;
  /** As the normalised expression writes it. */
  text: string;
  /** The Sunday that ends a week, which `5-7` means and `0` does not. */
  isSeven: boolean;
}

export function cronValue(token: string, field: CronField): CronValue {
  const named = field.names?.indexOf(token) ?? -1;
  if (named >= 0) return { value: field.min + named, text: token, isSeven: false };
  if (token === '?') {
    throw new CronError('bad_format', 'cron_question', { field: field.name });
  }
  const stated = { field: field.name, ...bounds(field), got: quoted(token) };
  if (!/^\d+$/.test(token)) throw new CronError('bad_format', field.names ? 'cron_name_form' : 'cron_form', stated);
  const number = Number(token);
  if (number < field.firstNumber || number > field.lastNumber) {
    throw new CronError('out_of_range', field.names ? 'cron_name_value' : 'cron_value', stated);
  }
  if (field === QUARTZ_DAY_OF_WEEK) return { value: number - 1, text: WEEKDAYS[number - 1] as string, isSeven: false };
  return { value: number > field.max ? field.min : number, text: String(number), isSeven: number > field.max };
}

/** Where the field ends, and what it is called by. */
const bounds = ({ firstNumber: min, lastNumber: max, names }: CronField): CronRuleValues =>
  names ? { min, max, first: names[0] as string, last: names.at(-1) as string } : { min, max };
