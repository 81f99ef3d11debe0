import type { LocalCalendar } from './local-calendar.js';
import type { DaylightSaving } from './schedule.js';
import { clockChange, LONGEST_CHANGE_MS, offsetAt } from './time-zone.js';

/** How far ahead of a position changes of clocks are looked for at once. */
const STRIDE_MS = 2 * 24 * 3600 * 1000;

/**
 * The first instant later than `after` at which the local times of the calendar come in the zone (SPEC section 4).
 *
 * Between two changes of clocks local time is real time with an offset; only the changes need a rule:
 * - real time (hour a wildcard or step): whatever the clock shows is a fire, so a skipped hour has none and a repeated one two;
 * - gap `first_valid`: local times left out fire together, once, at the instant of the change; `skip`: they do not;
 * - overlap `once`: the second pass has no fires; `twice`: it has.
 */
export function nextCronFire(calendar: LocalCalendar, timeZone: string, dst: DaylightSaving, after: number): number | null {
  const firstValid = calendar.fixedHours && dst.gap === 'first_valid';
  const once = calendar.fixedHours && dst.overlap === 'once';
  // The position: local times up to `local` are behind us, `offset` holds from the instant `since` on.
  let since = after;
  let offset = offsetAt(timeZone, after);
  let local = after + offset;
  if (once) {
    const recent = clockChange(timeZone, after - LONGEST_CHANGE_MS, after);
    if (recent) local = Math.max(local, recent.at + recent.before - 1);
  }
  for (;;) {
    const next = calendar.next(local);
    if (next === null) return null;
    const fire = next - offset;
    const from = Math.max(since, local - offset);
    const change = clockChange(timeZone, from, Math.min(fire, from + STRIDE_MS));
    if (change) {
      const firstLocal = change.at + (once ? Math.max(change.before, change.after) : change.after);
      if (firstValid && change.after > change.before) {
        const left = calendar.next(change.at + change.before - 1);
        if (left !== null && left < change.at + change.after) return change.at;
      }
      since = change.at;
      offset = change.after;
      local = firstLocal - 1;
    } else if (fire - from <= STRIDE_MS) {
      return fire;
    } else {
      // Far away: no local time until `next` matches, so only the changes near it matter.
      since = fire - STRIDE_MS;
      offset = offsetAt(timeZone, since);
      local = since + offset;
    }
  }
}
