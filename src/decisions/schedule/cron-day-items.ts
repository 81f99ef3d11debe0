import { type CronField, cronValue, DAY_OF_MONTH, WEEKDAYS } from './cron-fields.js';
import { type CronSet, cronItem, cronList } from './cron-items.js';
import { CronError, quoted } from './cron-sentences.js';

/** A day-of-month or day-of-week field: plain days and days that depend on the month. */
export interface DaySet {
  /** Days of the month 1–31, or weekdays 0–6. */
  days: ReadonlySet<number>;
  /** `15W`: the days n whose nearest weekday is meant. */
  nearest: ReadonlySet<number>;
  /** `L-n`: days before the last of the month; `L` is 0. */
  beforeLast: ReadonlySet<number>;
  /** `LW`: the last Monday to Friday of the month. */
  lastWorkday: boolean;
  /** `5#2` and `5L`, as croner writes them. */
  nth: ReadonlySet<string>;
  /** crontab(5): the field starts with `*`, so it restricts nothing by itself. `?` is the same. */
  unrestricted: boolean;
  text: string;
}

export function daysOfMonth(text: string): DaySet {
  const nearest = new Set<number>();
  const beforeLast = new Set<number>();
  let lastWorkday = false;
  const special = (item: string, field: CronField): CronSet => {
    const none = (normal: string): CronSet => ({ values: new Set(), rhythmic: false, text: normal });
    if (item === 'LW' || item === 'WL') {
      lastWorkday = true;
      return none('LW');
    }
    const last = /^L(?:-(.*))?$/.exec(item);
    if (last) {
      const before = last[1] === undefined ? 0 : daysBeforeLast(last[1], item);
      beforeLast.add(before);
      return none(before === 0 ? 'L' : `L-${before}`);
    }
    const near = /^(.+)W$/.exec(item)?.[1];
    if (near !== undefined) {
      const { value } = cronValue(near, field);
      nearest.add(value);
      return none(`${value}W`);
    }
    return cronItem(item, field);
  };
  const list = cronList(wildcard(text), DAY_OF_MONTH, special);
  return { days: list.values, nearest, beforeLast, lastWorkday, nth: new Set(), ...shape(list, text) };
}

export function daysOfWeek(text: string, field: CronField): DaySet {
  const nth = new Set<string>();
  const special = (item: string): CronSet => {
    // Quartz: `L` alone is the last day of its week, Saturday. Elsewhere nobody agrees on what it is.
    if (item === 'L' && field.firstNumber === 1) return cronItem('SAT', field);
    if (item === 'L') throw new CronError('bad_format', 'cron_last_weekday', { field: field.name });
    const match = /^(.+?)(?:#(.*)|L)$/.exec(item);
    if (!match) return cronItem(item, field);
    const { value, text: day } = cronValue(match[1] as string, field);
    const which = match[2];
    if (which !== undefined && !/^[1-5]$/.test(which)) {
      throw new CronError('out_of_range', 'cron_nth', { field: field.name, got: quoted(which) });
    }
    nth.add(which === undefined ? `${value}L` : `${value}#${which}`);
    const named = field.firstNumber === 1 ? WEEKDAYS[value] : day;
    return { values: new Set(), rhythmic: false, text: which === undefined ? `${named}L` : `${named}#${which}` };
  };
  const list = cronList(wildcard(text), field, special);
  return {
    days: list.values,
    nearest: new Set(),
    beforeLast: new Set(),
    lastWorkday: false,
    nth,
    ...shape(list, text),
  };
}

function shape(list: CronSet, written: string): Pick<DaySet, 'unrestricted' | 'text'> {
  return { unrestricted: written.startsWith('*') || written === '?', text: list.text };
}

/** `?` says that the other day field decides; so does `*`. In other fields, where croner takes it for `*`, it is refused. */
const wildcard = (text: string): string => (text === '?' ? '*' : text);

function daysBeforeLast(text: string, item: string): number {
  if (!/^\d+$/.test(text)) {
    throw new CronError('bad_format', 'cron_last_form', { field: DAY_OF_MONTH.name, got: quoted(item) });
  }
  const before = Number(text);
  if (before > 30) throw new CronError('out_of_range', 'cron_last', { field: DAY_OF_MONTH.name, got: quoted(text) });
  return before;
}
