import { nextFire } from './next-fire.js';
import type { Schedule } from './schedule.js';

/** Fires of a span, earliest first, at most `most` of them; `from` inclusive, `until` exclusive. Empty for kinds without times of their own. */
export function firesBetween(schedule: Schedule, from: number, until: number, most: number): number[] {
  if (schedule.kind === 'after') return [];
  const fires: number[] = [];
  for (
    let fire = nextFire(schedule, from - 1);
    fire !== null && fire < until && fires.length < most;
    fire = nextFire(schedule, fire)
  )
    fires.push(fire);
  return fires;
}
