/**
 * When a job fires (SPEC section 4), in the one form that is accepted, stored and shown: what `checkSchedule` returns passes
 * `checkSchedule` again unchanged, so a stored row is read by the same rule that admitted it. Instants are RFC 3339 UTC.
 */
export type Schedule = CronSchedule | EverySchedule | AfterSchedule | OnceSchedule | EventSchedule | PlainSchedule;

interface Limits {
  /** No fire before it; a fire exactly at it counts. */
  startAt?: string;
  /** No fire after it; a fire exactly at it counts. */
  endAt?: string;
  /** Spreads when the task becomes due; the fire time stays what it is. */
  jitterMs?: number;
}

export interface CronSchedule extends Limits {
  kind: 'cron';
  /** Unix weekday numbers or names; Quartz input has been rewritten. */
  expression: string;
  /** IANA name. */
  timeZone: string;
  dst: DaylightSaving;
}

/** Fixed rate: `anchorAt` + k × `everyMs` for k ≥ 0, in real time. */
export interface EverySchedule extends Limits {
  kind: 'every';
  everyMs: number;
  /** Default: `startAt`, else the epoch. */
  anchorAt?: string;
}

/** Fixed delay after the end of the previous task. */
export interface AfterSchedule extends Limits {
  kind: 'after';
  delayMs: number;
}

export interface OnceSchedule extends Limits {
  kind: 'once';
  at: string;
}

export interface EventSchedule extends Limits {
  kind: 'event';
  /** The event's name. */
  name: string;
}

export interface PlainSchedule extends Limits {
  kind: 'upstream' | 'manual';
}

/** What a cron expression with fixed hours does when clocks change. One whose hour is a wildcard or a step follows real time. */
export interface DaylightSaving {
  /** A local time that does not exist: fire at the first instant after the gap, or not at all. */
  gap: 'first_valid' | 'skip';
  /** A local time that exists twice: fire in its first pass, or in both. */
  overlap: 'once' | 'twice';
}

export const DEFAULT_DST: DaylightSaving = { gap: 'first_valid', overlap: 'once' };

/** The wire documentation states the same numbers. */
export const SCHEDULE_BOUNDS = {
  everyMs: { min: 1000, max: 366 * 24 * 3600 * 1000 },
  delayMs: { min: 0, max: 366 * 24 * 3600 * 1000 },
  jitterMs: { min: 0, max: 24 * 3600 * 1000 },
  expressionLength: 255,
  eventNameLength: 128,
} as const;
