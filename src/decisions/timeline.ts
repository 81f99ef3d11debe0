import type { ReasonCode, TaskState } from '@evenkeel/sdk/contract';
import { STATE_CODE, stateOf } from './state-codes.js';

/** One step of a task's life. Instants are epoch milliseconds. */
export interface TimelineStep {
  /** Version of the task after the write; strictly increasing, never rewritten. */
  seq: number;
  from: TaskState | null;
  to: TaskState;
  at: number;
  actor: string;
  reason?: ReasonCode;
  attempt?: number;
  worker?: string;
  /** How many alike in a row this one stands for. */
  count?: number;
  lastAt?: number;
}

/** More steps than this and the middle is summarised. */
export const TIMELINE_LIMIT = 200;
const KEPT_AT_EACH_END = 99;

type Tuple = [
  number,
  number | null,
  number,
  number,
  string | typeof BY_ITS_WORKER,
  (ReasonCode | null)?,
  (number | null)?,
  (string | null)?,
  number?,
  number?,
];

/** Stands for `worker:<the step's worker>`. */
const BY_ITS_WORKER = 0;

/** A step as it stands in the row: a JSON tuple of state numbers and the rest, without trailing gaps. Steps are joined by commas. */
export function stepText(step: TimelineStep): string {
  const actor = step.worker !== undefined && step.actor === `worker:${step.worker}` ? BY_ITS_WORKER : step.actor;
  const tuple: unknown[] = [step.seq, step.from && STATE_CODE[step.from], STATE_CODE[step.to], step.at, actor];
  const rest = [step.reason, step.attempt, step.worker, step.count, step.lastAt];
  while (rest.length > 0 && rest[rest.length - 1] === undefined) rest.pop();
  for (const value of rest) tuple.push(value ?? null);
  return JSON.stringify(tuple);
}

export const timelineText = (steps: readonly TimelineStep[]): string => steps.map(stepText).join(',');

/** Of a text that cannot be read, which only somebody who wrote into the row can have left, no steps: the task goes on all the same. */
export function parseTimeline(text: string): TimelineStep[] {
  let tuples: Tuple[];
  try {
    tuples = JSON.parse(`[${text}]`) as Tuple[];
  } catch {
    return [];
  }
  return tuples.map(([seq, from, to, at, actor, reason, attempt, worker, count, lastAt]) => ({
    seq,
    from: from === null ? null : stateOf(from),
    to: stateOf(to),
    at,
    actor: actor === BY_ITS_WORKER ? `worker:${worker}` : actor,
    ...(reason ? { reason } : {}),
    ...(attempt ? { attempt } : {}),
    ...(worker ? { worker } : {}),
    ...(count ? { count } : {}),
    ...(lastAt ? { lastAt } : {}),
  }));
}

/** Somebody retried the task after it had ended. */
export const wasReopened = (text: string): boolean =>
  text.includes('"retried_by_') && parseTimeline(text).some(({ reason }) => reason?.startsWith('retried_by_'));

/** The task was last asked to stop because a newer one of its job takes its place, and by nobody else. */
export const wasReplaced = (text: string): boolean =>
  text.includes('"replaced"') &&
  parseTimeline(text).findLast(({ reason }) => reason === 'replaced' || reason === 'cancel_requested')?.reason === 'replaced';

/**
 * The stored text with one more step: appended as it is while that cannot break a rule, else read, folded and written anew.
 * A task is seldom written two hundred times, so the text is seldom read.
 */
export function withStepText(text: string, step: TimelineStep): string {
  return step.seq < TIMELINE_LIMIT && !isRefusal(step)
    ? `${text},${stepText(step)}`
    : timelineText(withStep(parseTimeline(text), step));
}

/** The steps with one more; a refusal that repeats the one before its order is folded into it, and the whole stays bounded. */
export function withStep(steps: readonly TimelineStep[], step: TimelineStep): TimelineStep[] {
  const order = steps[steps.length - 1];
  const earlier = steps[steps.length - 2];
  if (isRefusal(step) && order?.to === 'DISPATCHED' && earlier && isRefusal(earlier) && earlier.reason === step.reason) {
    const folded = {
      ...earlier,
      count: (earlier.count ?? 1) + 1,
      lastAt: step.at,
      ...(step.worker ? { worker: step.worker } : {}),
    };
    return [...steps.slice(0, -2), folded];
  }
  return bounded([...steps, step]);
}

const isRefusal = (step: TimelineStep): boolean =>
  step.from === 'DISPATCHED' && step.to === 'PENDING' && step.reason !== undefined;

function bounded(steps: TimelineStep[]): TimelineStep[] {
  if (steps.length <= TIMELINE_LIMIT) return steps;
  const middle = steps.slice(KEPT_AT_EACH_END, -KEPT_AT_EACH_END);
  const first = middle[0] as TimelineStep;
  const last = middle[middle.length - 1] as TimelineStep;
  const count = middle.reduce((sum, step) => sum + (step.count ?? 1), 0);
  const summary: TimelineStep = {
    seq: first.seq,
    from: first.from,
    to: last.to,
    at: first.at,
    actor: 'summary',
    count,
    lastAt: last.lastAt ?? last.at,
  };
  return [...steps.slice(0, KEPT_AT_EACH_END), summary, ...steps.slice(-KEPT_AT_EACH_END)];
}
