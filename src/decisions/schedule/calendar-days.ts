import { Cron } from 'croner';
import type { DaySet } from './cron-day-items.js';
import type { CronExpression } from './cron-expression.js';

export const DAY_MS = 24 * 3600 * 1000;

/** The first matching day on or after a day, both as days since 1970-01-01; null if there is none through 2099. */
export type NextDay = (day: number) => number | null;

/**
 * The calendar of an expression: which days it means, whatever the zone. croner is asked only this, at midnights of a calendar
 * without zones (UTC), and only with lists of plain numbers, `L`, `W`, `LW` and `#`; it takes those as SPEC section 4 does.
 * What it takes otherwise is put into such patterns here:
 * - `L-n`, which it refuses, becomes the day it is in each length of month;
 * - `LW` in a list, which it refuses, gets a pattern of its own;
 * - day of month and day of week together are OR only if neither starts with `*` (crontab(5)); to croner a star with a
 *   step restricts as well.
 */
export function calendarDays(expression: CronExpression): NextDay {
  const calendars = dayPatterns(expression).map(nextDayOf);
  return (day) => {
    const days = calendars.map((nextDay) => nextDay(day)).filter((found) => found !== null);
    return days.length > 0 ? Math.min(...days) : null;
  };
}

/** Answers kept of a pattern: a fire asks for its own day and for the next, and jobs of many zones for a few more. */
const ANSWERS_KEPT = 4;

/** Remembers its last answers: the fires of one day ask for it again and again, and that there is none takes a search of a century. */
function nextDayOf(pattern: string): NextDay {
  const calendar = new Cron(pattern, { utcOffset: 0, mode: '7-part', domAndDow: true, paused: true });
  const answers: { asked: number; found: number | null }[] = [];
  return (day) => {
    const known = answers.find(({ asked, found }) => day >= asked && (found === null || day <= found));
    if (known) return known.found;
    const next = calendar.nextRun(new Date(day * DAY_MS - 1000));
    const found = next && next.getTime() / DAY_MS;
    answers.unshift({ asked: day, found });
    answers.length = Math.min(answers.length, ANSWERS_KEPT);
    return found;
  };
}

/** An item of a list, as croner writes it. */
type Choice = string | number;

/** Patterns for croner; a day matches if it matches one of them. */
function dayPatterns({ dayOfMonth, months, dayOfWeek, years }: CronExpression): string[] {
  const weekdays: Choice[] = dayOfWeek.days.size === 7 ? ['*'] : [...dayOfWeek.days, ...dayOfWeek.nth];
  const either = !dayOfMonth.unrestricted && !dayOfWeek.unrestricted;
  const combined = either ? ['*'] : weekdays;
  const patterns: Choice[][][] = dayOfMonth.lastWorkday ? [[['LW'], [...months], combined, [...years]]] : [];
  // `L` alone croner knows, so only `L-n` asks for the length of the month.
  const lengths = [...dayOfMonth.beforeLast].some((before) => before > 0) ? MONTH_LENGTHS : ANY_LENGTH;
  for (const { length, inMonth, inYear } of lengths) {
    patterns.push([monthDays(dayOfMonth, length), [...months].filter(inMonth), combined, [...years].filter(inYear)]);
  }
  if (either) patterns.push([['*'], [...months], weekdays, [...years]]);
  return patterns.filter((lists) => lists.every((list) => list.length > 0)).map((lists) => `0 0 0 ${lists.join(' ')}`);
}

/** `length` undefined: whatever the month's. */
function monthDays({ days, nearest, beforeLast }: DaySet, length?: number): Choice[] {
  const last = [...beforeLast].flatMap((before): Choice[] =>
    length === undefined ? ['L'] : before < length ? [length - before] : [],
  );
  return [...new Set([...days, ...last]), ...[...nearest].map((day) => `${day}W`)];
}

interface MonthLength {
  length?: number;
  inMonth: (month: number) => boolean;
  inYear: (year: number) => boolean;
}
const always = () => true;
const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
const ANY_LENGTH: readonly MonthLength[] = [{ inMonth: always, inYear: always }];
const MONTH_LENGTHS: readonly MonthLength[] = [
  { length: 31, inMonth: (month) => [1, 3, 5, 7, 8, 10, 12].includes(month), inYear: always },
  { length: 30, inMonth: (month) => [4, 6, 9, 11].includes(month), inYear: always },
  { length: 29, inMonth: (month) => month === 2, inYear: isLeap },
  { length: 28, inMonth: (month) => month === 2, inYear: (year) => !isLeap(year) },
];
