import { nextFire } from './next-fire.js';
import type { Schedule } from './schedule.js';

const FIRST_SPAN_MS = 60_000;
/** Nobody waits for the tasks of more than ten years. */
const LONGEST_SPAN_MS = 3_660 * 24 * 3600 * 1000;

/**
 * The last fire of the schedule before `fireAt`, which is one of its fires; null if there is none. Found by the function that fires:
 * looks back twice as far until a fire is there, then halves its way to the last one.
 */
export function previousFire(schedule: Schedule, fireAt: number): number | null {
  const fireAfter = (at: number): number => nextFire(schedule, at) ?? Number.POSITIVE_INFINITY;
  let found: number | null = null;
  for (let span = FIRST_SPAN_MS; found === null; span *= 2) {
    const from = fireAt - Math.min(span, LONGEST_SPAN_MS);
    const fire = fireAfter(from);
    if (fire < fireAt) found = fire;
    else if (span >= LONGEST_SPAN_MS) return null;
  }
  let low = found;
  let high = fireAt - 1;
  while (fireAfter(low) < fireAt) {
    const middle = Math.floor((low + high) / 2);
    const fire = fireAfter(middle);
    if (fire < fireAt) low = fire;
    else {
      high = middle;
      low = fireAfter(low);
    }
  }
  return low;
}
