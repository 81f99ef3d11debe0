import { type FireContext, nextFire } from './next-fire.js';
import type { Schedule } from './schedule.js';

export interface MisfirePolicy {
  policy: 'fire_once' | 'skip' | 'fire_all';
  /** How old a fire may be to be made up for. */
  windowMs: number;
  /** `fire_all` makes up for the latest so many. */
  cap?: number;
  /** A fire no older than this is on time: the planner reached it in its ordinary round. */
  graceMs?: number;
}
export const MISFIRE_DEFAULTS = { policy: 'fire_once', windowMs: 10 * 60_000, cap: 100, graceMs: 5_000 } as const;

/** A row of fires without a task each. `count` is exact up to 2 000; beyond, `atLeast` is true. */
export interface FireSpan {
  count: number;
  atLeast: boolean;
  first: number;
  last: number;
}
const COUNTED = 2_000;

export interface MissedFires {
  /** Fires that get a task now, ascending: those made up for, then those on time. */
  fire: number[];
  /** Fires too old to be made up for (or beyond the cap): one SKIPPED task tells of all of them. */
  skipped: FireSpan | null;
  /** Fires within the window that the policy leaves without a task. */
  passedOver: FireSpan | null;
  /** The first fire after `now`. */
  next: number | null;
}

/**
 * What to do about the fires later than `lastPlanned` and not later than `now` (SPEC section 4, misfire).
 * On time: all fire. Missed within the window: `fire_once` fires the latest, `skip` none, `fire_all` the latest `cap`.
 * `after` has one fire and continues only when its task ends, so it fires however late it is.
 */
export function missedFires(
  schedule: Schedule,
  lastPlanned: number,
  now: number,
  { policy, windowMs, cap = MISFIRE_DEFAULTS.cap, graceMs = MISFIRE_DEFAULTS.graceMs }: MisfirePolicy,
  context: FireContext = {},
): MissedFires {
  if (schedule.kind === 'after') {
    const due = nextFire(schedule, lastPlanned, context);
    const isDue = due !== null && due <= now;
    return { fire: isDue ? [due] : [], skipped: null, passedOver: null, next: isDue ? null : due };
  }
  const fires = new Fires(schedule);
  // (lastPlanned, tooOld] is skipped, (tooOld, missed] is made up for, (missed, now] is on time.
  const missed = Math.max(lastPlanned, now - graceMs - 1);
  const tooOld = Math.max(lastPlanned, Math.min(missed, now - windowMs - 1));
  const kept = policy === 'skip' ? missed : fires.beforeLatest(tooOld, missed, policy === 'fire_once' ? 1 : cap);
  return {
    fire: [...fires.list(kept, missed), ...fires.list(missed, now)],
    skipped: fires.span(lastPlanned, policy === 'fire_all' ? kept : tooOld),
    passedOver: policy === 'fire_all' ? null : fires.span(tooOld, kept),
    next: nextFire(schedule, now),
  };
}

/** The fires of a schedule in spans open at their beginning and closed at their end. */
class Fires {
  constructor(private readonly schedule: Schedule) {}

  /** At most `most` of them, from the beginning. */
  list(from: number, to: number, most = Number.POSITIVE_INFINITY): number[] {
    const found: number[] = [];
    let at: number | null = from;
    while (at < to && found.length < most) {
      at = nextFire(this.schedule, at);
      if (at === null || at > to) break;
      found.push(at);
    }
    return found;
  }

  /** The beginning from which at most `most` fires remain until `to`; found by halving, since a long outage may have millions. */
  beforeLatest(from: number, to: number, most: number): number {
    if (this.list(from, to, most + 1).length <= most) return from;
    let [tooMany, enough] = [from, to];
    while (enough - tooMany > 1) {
      const middle = Math.floor((tooMany + enough) / 2);
      if (this.list(middle, to, most + 1).length <= most) enough = middle;
      else tooMany = middle;
    }
    return enough;
  }

  span(from: number, to: number): FireSpan | null {
    const counted = this.list(from, to, COUNTED + 1);
    const first = counted[0];
    if (first === undefined) return null;
    const atLeast = counted.length > COUNTED;
    const last = atLeast ? this.list(this.beforeLatest(from, to, 1), to, 1)[0] : counted.at(-1);
    return { count: Math.min(counted.length, COUNTED), atLeast, first, last: last as number };
  }
}
