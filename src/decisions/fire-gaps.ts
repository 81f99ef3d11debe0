import type { MisfirePolicy } from './schedule/missed-fires.js';

/** Why a fire has no task. `missing`: nothing that is recorded explains it. `unknown`: what would is not recorded, or no longer. */
export type Gap = 'paused' | 'disabled' | 'missed' | 'missing' | 'unknown';

export type Standing = 'active' | 'paused' | 'disabled';
/** A change of a job as the log has it, epoch milliseconds; before null as it was made. */
export interface StandingChange {
  at: number;
  before: Standing | null;
  after: Standing;
}

/** What tells of the fires a job has had. Instants are epoch milliseconds, lists ascend. */
export interface FireRecord {
  /** How it stands now. */
  standing: Standing;
  changes: readonly StandingChange[];
  /** Since when every change of how it stands is in `changes`. */
  changesKnownFrom: number;
  /** Since when no task of it has been removed. */
  tasksKeptFrom: number;
  /** Fires that have a task, with when the planner made it; those of backfills say nothing of the planner. */
  made: readonly { fireAt: number; madeAt: number }[];
  /** What SKIPPED tasks say was too old to be made up for: both ends belong to it. */
  tooOld: readonly { first: number; last: number }[];
}

/**
 * Why each of these fires, for which there is no task, has none. A fire by a definition whose rule was `misfire`; `lateMs`: a fire that got
 * its task so much later was made up for, so the planner had not run since.
 */
export function gapOf(fireAt: number, misfire: MisfirePolicy['policy'], record: FireRecord, lateMs: number): Gap {
  if (fireAt < record.tasksKeptFrom) return 'unknown';
  const standing = standingAt(fireAt, record);
  if (standing !== 'active') return standing;
  if (record.tooOld.some(({ first, last }) => first <= fireAt && fireAt <= last)) return 'missed';
  if (misfire === 'skip') return 'missed';
  const next = record.made.find((made) => made.fireAt > fireAt);
  const madeUp = misfire === 'fire_once' && next !== undefined && next.madeAt > next.fireAt + lateMs;
  return madeUp ? 'missed' : 'missing';
}

/** Between two changes that contradict each other something happened that is not recorded. */
function standingAt(at: number, { standing, changes, changesKnownFrom }: FireRecord): Standing | 'unknown' {
  if (at < changesKnownFrom) return 'unknown';
  const later = changes.findIndex((change) => change.at > at);
  const last = later < 0 ? changes.at(-1) : changes[later - 1];
  const then = later < 0 ? standing : (changes[later] as StandingChange).before;
  if (then === null || (last !== undefined && last.after !== then)) return 'unknown';
  return then;
}
