import { isTerminal, type TerminalState } from '@evenkeel/sdk/contract';
import type { MadeAttempt } from '../../callbacks/delivery-news.js';
import { addDuration, type DurationHistogram, mergeInto } from '../../decisions/duration-histogram.js';
import type { TaskChange } from '../../tasks/task.store.js';

/** What ended in a group in a span of time, and how full it was. */
export interface RollupFigures {
  outcomes: Partial<Record<TerminalState, number>>;
  /** Actual start after the time it was due. */
  startDelay: DurationHistogram;
  runTime: DurationHistogram;
  /** Most that waited, of samples. Null: none was taken yet, or, in rows of before, nothing waited. */
  backlog: number | null;
  oldestAgeMs: number | null;
  /** Most that ran at once, of samples. Absent in rows of who did not know it yet. */
  running?: number | null;
}

/** Lengths of the spans that are kept, in milliseconds. */
export const MINUTE = 60_000;
export const TEN_MINUTES = 600_000;
export const HOUR = 3_600_000;
export const SPANS = [MINUTE, TEN_MINUTES] as const;

export const noFigures = (): RollupFigures => ({
  outcomes: {},
  startDelay: {},
  runTime: {},
  backlog: null,
  oldestAgeMs: null,
  running: null,
});

/** Counts a task that has just ended; anything else counts for nothing. */
export function addEnd(figures: RollupFigures, { before, after }: TaskChange): void {
  const { state, startedAt, endedAt, dueAt } = after;
  if (!isTerminal(state) || isTerminal(before.state)) return;
  figures.outcomes[state] = (figures.outcomes[state] ?? 0) + 1;
  if (startedAt === null) return;
  addDuration(figures.startDelay, Math.max(0, startedAt - dueAt));
  if (endedAt !== null) addDuration(figures.runTime, Math.max(0, endedAt - startedAt));
}

/** Counts a task that was SKIPPED as it was made. */
export function addSkipped(figures: RollupFigures): void {
  figures.outcomes.SKIPPED = (figures.outcomes.SKIPPED ?? 0) + 1;
}

/** What came of attempts at an endpoint. */
export interface AttemptFigures {
  succeeded: number;
  failed: number;
  /** How long each took; a refused target was never asked. */
  times: DurationHistogram;
}
export const noAttempts = (): AttemptFigures => ({ succeeded: 0, failed: 0, times: {} });

export function addAttempt(figures: AttemptFigures, { succeeded, refused, durationMs }: Omit<MadeAttempt, 'endpointId'>): void {
  if (succeeded) figures.succeeded += 1;
  else figures.failed += 1;
  if (!refused) addDuration(figures.times, Math.max(0, durationMs));
}

export function addAttempts(into: AttemptFigures, other: AttemptFigures): void {
  into.succeeded += other.succeeded;
  into.failed += other.failed;
  mergeInto(into.times, other.times);
}

/** Requests of a key that were answered. */
export interface RequestFigures {
  requests: number;
  failed: number;
}
export const noRequests = (): RequestFigures => ({ requests: 0, failed: 0 });

export function addFigures(into: RollupFigures, other: RollupFigures): void {
  for (const [state, count] of Object.entries(other.outcomes) as [TerminalState, number][])
    into.outcomes[state] = (into.outcomes[state] ?? 0) + count;
  mergeInto(into.startDelay, other.startDelay);
  mergeInto(into.runTime, other.runTime);
}
