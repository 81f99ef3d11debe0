import { instantMs, LAST_INSTANT_MS } from '../rfc3339.js';
import { nextCronFire } from './cron-fires.js';
import { localCalendar } from './local-calendar.js';
import type { AfterSchedule, EverySchedule, Schedule } from './schedule.js';

export interface FireContext {
  /** When the job's latest task ended (`after`); absent if none has ended yet. Nobody asks while one is going. */
  lastEndedAt?: number;
}

/**
 * The first fire later than `after`, in epoch milliseconds; null if there is none: the kind has no times of its own, or they are
 * over. Never before `startAt`, never after `endAt`, never after the year 9999, beyond which RFC 3339 has no instants. Every fire
 * and every preview comes from here.
 *
 * @throws CronError or RangeError if the schedule did not pass `checkSchedule` on this node
 */
export function nextFire(schedule: Schedule, after: number, context: FireContext = {}): number | null {
  const start = instant(schedule.startAt);
  const later = start === null ? after : Math.max(after, start - 1);
  const fire = unlimited(schedule, later, context);
  const end = instant(schedule.endAt) ?? LAST_INSTANT_MS;
  return fire === null || fire > end ? null : fire;
}

/** At most `count` fires later than `from`. Of `after` only the first is known: the others depend on when tasks end. */
export function previewFires(schedule: Schedule, from: number, count: number): number[] {
  const fires: number[] = [];
  const most = schedule.kind === 'after' ? Math.min(count, 1) : count;
  while (fires.length < most) {
    const fire = nextFire(schedule, fires.at(-1) ?? from);
    if (fire === null) break;
    fires.push(fire);
  }
  return fires;
}

/**
 * When the task of a fire becomes due: up to `jitterMs` later, evenly spread.
 *
 * @param random 0 ≤ n < 1
 */
export const dueAt = (fireAt: number, jitterMs: number, random: number): number => fireAt + Math.floor(random * (jitterMs + 1));

function unlimited(schedule: Schedule, after: number, context: FireContext): number | null {
  switch (schedule.kind) {
    case 'cron':
      return nextCronFire(localCalendar(schedule.expression), schedule.timeZone, schedule.dst, after);
    case 'every':
      return nextOfRate(schedule, after);
    case 'after':
      return afterTheLast(schedule, after, context);
    case 'once': {
      const at = stored(schedule.at);
      return at > after ? at : null;
    }
    case 'event':
    case 'upstream':
    case 'manual':
      return null;
  }
}

function nextOfRate({ everyMs, anchorAt, startAt }: EverySchedule, after: number): number {
  const anchor = instant(anchorAt) ?? instant(startAt) ?? 0;
  return anchor + Math.max(0, Math.floor((after - anchor) / everyMs) + 1) * everyMs;
}

/** A delay that is over already makes the job due at once; were it passed over, the job would never run again. */
function afterTheLast({ delayMs, startAt }: AfterSchedule, after: number, { lastEndedAt }: FireContext): number {
  if (lastEndedAt !== undefined) return Math.max(lastEndedAt + delayMs, after + 1);
  return startAt === undefined ? after + Math.max(delayMs, 1) : after + 1;
}

const instant = (text: string | undefined): number | null => (text === undefined ? null : stored(text));

function stored(text: string): number {
  const at = instantMs(text);
  if (at === null) throw new RangeError('an instant of the schedule is not one');
  return at;
}
