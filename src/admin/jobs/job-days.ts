import { previewFires } from '../../decisions/schedule/next-fire.js';
import { DEFAULT_DST } from '../../decisions/schedule/schedule.js';
import { offsetAt } from '../../decisions/schedule/time-zone.js';
import { STATE_CODE } from '../../decisions/state-codes.js';

const DAY = 24 * 3_600_000;

/** A day of a zone, epoch milliseconds; `to` is the first instant of the next. */
export interface Day {
  date: string;
  from: number;
  to: number;
}
/** What became of the tasks of a day. */
export interface DayFigures {
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  unfinished: number;
}

/**
 * The days of the zone from the one `back` days before that of `now` to the one `ahead` days after it, oldest first. A day begins at
 * midnight, or at its first instant where clocks leave midnight out, so it has 23 to 25 hours where they change. Pure.
 *
 * @throws RangeError if there is no such zone
 */
export function daysAround(timeZone: string, now: number, back: number, ahead: number): Day[] {
  const midnights = { kind: 'cron', expression: '0 0 * * *', timeZone, dst: DEFAULT_DST } as const;
  const starts = previewFires(midnights, now - (back + 3) * DAY, back + ahead + 8);
  const today = starts.findLastIndex((at) => at <= now);
  return starts.slice(Math.max(0, today - back), today + ahead + 1).map((from, n, chosen) => {
    // Noon is in the day whatever its clocks do.
    const noon = from + DAY / 2;
    const date = new Date(noon + offsetAt(timeZone, noon)).toISOString().slice(0, 10);
    return { date, from, to: chosen[n + 1] ?? (starts[today + ahead + 1] as number) };
  });
}

/** Index of the day an instant is in; −1 for none of them. */
export function dayIndex(days: readonly Day[], at: number): number {
  let low = 0;
  let high = days.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((days[middle] as Day).to <= at) low = middle + 1;
    else high = middle;
  }
  const day = days[low];
  return day !== undefined && day.from <= at ? low : -1;
}

export const noTasks = (): DayFigures => ({ succeeded: 0, failed: 0, cancelled: 0, skipped: 0, unfinished: 0 });

export function countTask(figures: DayFigures, state: number): void {
  if (state === STATE_CODE.SUCCEEDED) figures.succeeded += 1;
  else if (state === STATE_CODE.FAILED || state === STATE_CODE.TIMED_OUT) figures.failed += 1;
  else if (state === STATE_CODE.CANCELLED) figures.cancelled += 1;
  else if (state === STATE_CODE.SKIPPED) figures.skipped += 1;
  else figures.unfinished += 1;
}
