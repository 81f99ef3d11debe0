import type { AttemptResult } from '@evenkeel/sdk/contract';
import { isTerminal, LIMITS } from '@evenkeel/sdk/contract';
import { jsonTextOf } from '../decisions/json-text.js';
import { type AttemptEnd, settlement } from '../decisions/settlement.js';
import { parseTimeline } from '../decisions/timeline.js';
import { wholeJson, wholeText } from '../decisions/whole-text.js';
import { advance } from './advance.js';
import type { TaskRecord } from './task.js';

// How the words about one attempt change the record of its task; nothing here reads or writes.

/** The columns of the current attempt while there is none. */
export const NO_ATTEMPT = { lease: null, workerId: null, workerIncarnation: null, startedAt: null, endedAt: null };

/**
 * The task after the end of its attempt. A success whose result is larger than may be stored is a failure, whoever wrote the worker.
 * Halves of surrogate pairs in a result are replaced: it goes into answers and callbacks, which strict readers could not read at all.
 */
export function afterEnd(
  task: TaskRecord,
  end: AttemptEnd | AttemptResult,
  now: number,
  endedAt: number,
  actor: string,
  error: TaskRecord['error'],
  result?: unknown,
): TaskRecord | null {
  const text = end.outcome === 'succeeded' ? wholeJson(jsonTextOf(result)) : null;
  if (text !== null && text.length * 3 > LIMITS.resultBytes && Buffer.byteLength(text) > LIMITS.resultBytes) {
    const tooLarge = {
      name: 'ResultTooLargeError',
      message: `the result is ${Buffer.byteLength(text)} bytes of JSON; the limit is ${LIMITS.resultBytes}`,
    };
    const failed: AttemptEnd = { outcome: 'failed', error: { ...tooLarge, retryable: false } };
    return afterEnd(task, failed, now, endedAt, actor, tooLarge);
  }
  const facts = { retries: task.retries, crashes: task.crashes, cancelAsked: task.cancelAskedAt !== null, ...task.options };
  const decided = settlement(facts, end, Math.random());
  const after = advance(task, decided.event, {
    at: endedAt,
    actor,
    reason: decided.reason,
    attempt: task.attempt,
    worker: task.workerId,
  });
  if (!after) return null;
  const again = !isTerminal(after.state);
  return {
    ...after,
    attempt: task.attempt + (again ? 1 : 0),
    retries: task.retries + (decided.spends === 'retry' ? 1 : 0),
    crashes: task.crashes + (decided.spends === 'crash' ? 1 : 0),
    dueAt: decided.delayMs !== undefined ? now + decided.delayMs : task.dueAt,
    endedAt,
    ...(again ? NO_ATTEMPT : {}),
    error: after.state === 'SUCCEEDED' ? null : error,
    result: after.state === 'SUCCEEDED' ? text : null,
  };
}

/** The task once its worker has confirmed the attempt. */
export function afterAcceptance(task: TaskRecord, at: number): TaskRecord | null {
  const after = advance(task, 'accepted', { at, actor: `worker:${task.workerId}`, attempt: task.attempt, worker: task.workerId });
  return after && { ...after, startedAt: at };
}

/** The centre or a person ended the attempt, whatever for: what its worker still says about it comes late. */
export const endedByCentre = ({ timeline }: TaskRecord): boolean =>
  parseTimeline(timeline)
    .findLast(({ from, to }) => from !== to)
    ?.actor.startsWith('worker:') === false;

/** Waiting for another attempt: the current lease belongs to one that has ended. */
export const isBetween = (task: TaskRecord): boolean => task.state !== 'DISPATCHED' && task.state !== 'RUNNING';

export const isSameAttempt = (task: TaskRecord, lease: number, workerId: string, incarnation?: string): boolean =>
  task.lease === lease && task.workerId === workerId && (incarnation === undefined || task.workerIncarnation === incarnation);

export const clamp = (at: number, earliest: number, latest: number): number =>
  Math.round(Math.min(Math.max(at, earliest), Math.max(earliest, latest)));

/** As much of an error as is kept, whoever wrote the worker: it stands in lists and in callbacks too. */
export const errorOf = ({ error }: AttemptResult): TaskRecord['error'] =>
  error
    ? {
        name: cut(error.name, LIMITS.nameLength),
        message: cut(error.message, LIMITS.errorMessageLength),
        ...(error.stack ? { stack: cut(error.stack, LIMITS.errorStackLength) } : {}),
      }
    : null;

const cut = (text: string, length: number): string => wholeText(text.slice(0, length));
