import { calendarDays, DAY_MS, type NextDay } from './calendar-days.js';
import { type CronExpression, readCron } from './cron-expression.js';

/** The matching local times of an expression, in milliseconds as if the clock on the wall showed UTC. */
export interface LocalCalendar {
  /** The first matching local time later than `local`; null if there is none through the year 2099. */
  next(local: number): number | null;
  /** The policies of daylight saving apply (SPEC section 4). */
  fixedHours: boolean;
}

const calendars = new Map<string, LocalCalendar>();
const CALENDARS_KEPT = 2_000;

/**
 * The calendar of a normalised expression. Kept, since the same expressions are asked at every fire; the oldest goes first.
 *
 * @throws CronError if the expression is not one
 */
export function localCalendar(expression: string): LocalCalendar {
  const kept = calendars.get(expression);
  if (kept) return kept;
  const parsed = readCron(expression, 'unix');
  const calendar = new DayByDay(parsed, calendarDays(parsed));
  if (calendars.size >= CALENDARS_KEPT) calendars.delete(calendars.keys().next().value as string);
  calendars.set(expression, calendar);
  return calendar;
}

class DayByDay implements LocalCalendar {
  readonly fixedHours: boolean;
  private readonly hours: readonly number[];
  private readonly minutes: readonly number[];
  private readonly seconds: readonly number[];

  constructor(
    expression: CronExpression,
    private readonly nextDay: NextDay,
  ) {
    this.fixedHours = expression.fixedHours;
    this.hours = ascending(expression.hours);
    this.minutes = ascending(expression.minutes);
    this.seconds = ascending(expression.seconds);
  }

  next(local: number): number | null {
    const from = Math.floor(local / 1000) + 1;
    const today = Math.floor(from / DAY_S);
    const day = this.nextDay(today);
    if (day === null) return null;
    const time = this.timeOfDay(day === today ? from - today * DAY_S : 0);
    if (time !== null) return (day * DAY_S + time) * 1000;
    const later = this.nextDay(day + 1);
    return later === null ? null : (later * DAY_S + (this.timeOfDay(0) as number)) * 1000;
  }

  /** The first matching second of the day from `from` on. */
  private timeOfDay(from: number): number | null {
    const [hour, minute, second] = [Math.floor(from / 3600), Math.floor(from / 60) % 60, from % 60];
    const sameHour = this.hours.includes(hour);
    if (sameHour && this.minutes.includes(minute)) {
      const s = atLeast(this.seconds, second);
      if (s !== undefined) return hour * 3600 + minute * 60 + s;
    }
    const [firstMinute, firstSecond] = [this.minutes[0] as number, this.seconds[0] as number];
    const m = sameHour ? atLeast(this.minutes, minute + 1) : undefined;
    if (m !== undefined) return hour * 3600 + m * 60 + firstSecond;
    const h = atLeast(this.hours, hour + 1);
    return h === undefined ? null : h * 3600 + firstMinute * 60 + firstSecond;
  }
}

const DAY_S = DAY_MS / 1000;
const ascending = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);
const atLeast = (values: readonly number[], least: number): number | undefined => values.find((value) => value >= least);
