import type { JobDefinition } from './job-definition.js';
import { admission, type Occupation } from './overlap.js';
import { type FireSpan, missedFires } from './schedule/missed-fires.js';
import { dueAt, nextFire } from './schedule/next-fire.js';
import type { Schedule } from './schedule/schedule.js';
import { isWithin } from './schedule/window.js';

export type FiringRules = Pick<JobDefinition, 'schedule' | 'overlap' | 'maxParallel' | 'misfire' | 'misfireWindowMs'>;

/** A task to be made for a fire, or for a span of fires that came too late. */
export type PlannedFire =
  | { fireAt: number; becomes: 'start' | 'wait'; dueAt: number; late: boolean }
  | { fireAt: number; becomes: 'overlap' }
  | { fireAt: number; becomes: 'misfire_window'; span: FireSpan };

export interface FirePlan {
  fires: PlannedFire[];
  /** Null: nothing is planned; of `after`, until its task has ended. */
  next: number | null;
}

/** A fire this much behind its time is made up for, not on time; the same bound `missedFires` knows. */
export const LATE_MS = 5_000;

/**
 * What a job that is due does now: the fires from `dueFrom` (its `next_fire_at`) up to `now` by its misfire rule, each admitted by its
 * overlap rule after the ones before it. `random` gives numbers 0 ≤ n < 1.
 */
export function planFires(
  rules: FiringRules,
  dueFrom: number,
  now: number,
  occupation: Occupation,
  random: () => number,
): FirePlan {
  const { schedule, overlap, maxParallel } = rules;
  const missed = fromPlanned(rules, dueFrom, now);
  const fires: PlannedFire[] = [];
  if (missed.skipped) fires.push({ fireAt: missed.skipped.last, becomes: 'misfire_window', span: missed.skipped });
  let { going, waiting } = occupation;
  for (const fireAt of missed.fire) {
    const becomes = admission(overlap, maxParallel, { going, waiting });
    if (becomes === 'skip') {
      fires.push({ fireAt, becomes: 'overlap' });
      continue;
    }
    if (becomes === 'start') going += 1;
    else waiting += 1;
    const late = fireAt < now - LATE_MS;
    fires.push({ fireAt, becomes, late, dueAt: late ? now : dueAt(fireAt, schedule.jitterMs ?? 0, random()) });
  }
  return { fires, next: missed.next };
}

/** `after` has exactly the one fire that was planned when its task ended. */
function fromPlanned({ schedule, misfire, misfireWindowMs }: FiringRules, dueFrom: number, now: number) {
  if (schedule.kind === 'after') return { fire: [dueFrom], skipped: null, next: null };
  return missedFires(schedule, dueFrom - 1, now, { policy: misfire, windowMs: misfireWindowMs });
}

/** What the next fire of a job of the kind `after` hangs on. */
export interface LatestTask {
  going: boolean;
  /** Null: none has ended yet. */
  endedAt: number | null;
}
export const NO_TASK: LatestTask = { going: false, endedAt: null };

/** The first fire of a job as it is created, or given another schedule; null for `after` while a task of it is going. */
export function firstFire(schedule: Schedule, now: number, { going, endedAt }: LatestTask): number | null {
  if (schedule.kind === 'after' && going) return null;
  return nextFire(schedule, now, endedAt === null ? {} : { lastEndedAt: endedAt });
}

/**
 * The next fire of a job that is given another schedule: it counts from now, and of `after` from the end of the latest task. A fire
 * that is planned stays if the new schedule names it as well: one that is due already, or an edit of the jitter in the second of a
 * nightly fire would lose that night; and of `after` any, unless the edit is about when it fires.
 */
export function editedFire(
  schedule: Schedule,
  former: Schedule | null,
  planned: number | null,
  now: number,
  latest: LatestTask,
): number | null {
  const stays = planned !== null && (isSameDelay(schedule, former, planned) || isDueFire(schedule, planned, now));
  return stays ? planned : firstFire(schedule, now, latest);
}

function isDueFire(schedule: Schedule, planned: number, now: number): boolean {
  return planned <= now && schedule.kind !== 'after' && nextFire(schedule, planned - 1) === planned;
}

function isSameDelay(schedule: Schedule, former: Schedule | null, planned: number): boolean {
  if (schedule.kind !== 'after' || former?.kind !== 'after') return false;
  const isSame = schedule.delayMs === former.delayMs && schedule.startAt === former.startAt;
  return isSame && isWithin(schedule, planned);
}

/**
 * When a resumed job fires next: at most one fire is made up for, the latest within the window, and none by `skip`. One beyond the
 * window is planned only if none comes after it, so that the planner writes down that the last one did not come.
 */
export function resumedFire(rules: FiringRules, pausedFireAt: number | null, now: number, latest: LatestTask): number | null {
  const { schedule, misfire, misfireWindowMs } = rules;
  if (schedule.kind === 'after') return pausedFireAt ?? firstFire(schedule, now, latest);
  if (pausedFireAt === null || pausedFireAt > now) return nextFire(schedule, now);
  const missed = missedFires(schedule, pausedFireAt - 1, now, { policy: 'fire_once', windowMs: misfireWindowMs, graceMs: 0 });
  const madeUpFor = misfire === 'skip' ? undefined : missed.fire.at(-1);
  return madeUpFor ?? missed.next ?? missed.skipped?.last ?? null;
}
