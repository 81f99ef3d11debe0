import type { DeliveryKind } from './callback-turn.js';

/** How one attempt to deliver a callback ended. */
export interface AttemptFacts {
  /** Of the answer; null if there was none. */
  status: number | null;
  /** Why there was no usable answer. */
  failure: 'dns' | 'connect' | 'tls' | 'timeout' | 'http' | 'too_large' | 'blocked' | null;
  /** Header of the answer. */
  retryAfter: string | null;
}
export type AttemptClass = 'success' | 'gone' | 'overload' | 'failure' | 'blocked';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** After each failure; eleven attempts in about three days. */
const DELAYS = [5_000, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR];
const OVERLOAD_LEAST_MS = MINUTE;
const JITTER = 0.2;
/** A refused address may be a name in the middle of a change: that often it is tried again. */
const BLOCKED_RETRIES = 3;
/** A receiver that never asked for anything is asked no more than that often. */
const CHALLENGE_ATTEMPTS = 3;
const RETRY_AFTER_MOST_S = 86_400;
const IMF_FIXDATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const OVERLOADED = new Set([429, 502, 503, 504]);

/** What `nextDelay` goes by, for whoever is shown it. */
export const RETRY_PLAN = {
  delaysMs: DELAYS as readonly number[],
  jitter: JITTER,
  overloadLeastMs: OVERLOAD_LEAST_MS,
  refusedAttempts: BLOCKED_RETRIES + 1,
  verificationAttempts: CHALLENGE_ATTEMPTS,
};

/** How far a schedule has come: failed attempts, and how many of them the policy refused. */
export interface ScheduleProgress {
  failures: number;
  blocks: number;
}

/** The waits of one delivery, those behind it included; `isRefused`: its target was refused last, and as long as it is. */
export function delaysOf(kind: DeliveryKind, { failures, blocks }: ScheduleProgress, isRefused: boolean): readonly number[] {
  const ofKind = kind === 'test' ? 1 : kind === 'challenge' ? CHALLENGE_ATTEMPTS : DELAYS.length + 1;
  const ofRefusals = isRefused ? failures - blocks + BLOCKED_RETRIES + 1 : ofKind;
  return DELAYS.slice(0, Math.min(ofKind, ofRefusals) - 1);
}

/** The failed attempts of a schedule were enough for a challenge. */
export const endsChallenge = (failures: number): boolean => failures >= CHALLENGE_ATTEMPTS;

export function classOf({ status, failure }: AttemptFacts): AttemptClass {
  if (failure === 'blocked') return 'blocked';
  if (failure === 'timeout') return 'overload';
  if (failure !== null || status === null) return 'failure';
  if (status >= 200 && status < 300) return 'success';
  if (status === 410) return 'gone';
  return OVERLOADED.has(status) ? 'overload' : 'failure';
}

/**
 * Milliseconds until the next attempt after `failures` failed ones, of which `blocks` were refused by the policy; null when that was
 * the last. `random` is from 0 to 1. A wish of the receiver is kept within bounds, and the jitter then never comes before it.
 */
export function nextDelay(facts: AttemptFacts, failures: number, blocks: number, now: number, random: number): number | null {
  const planned = DELAYS[failures - 1];
  const kind = classOf(facts);
  if (planned === undefined || kind === 'success' || kind === 'gone') return null;
  if (kind === 'blocked' && blocks > BLOCKED_RETRIES) return null;
  if (kind !== 'overload') return Math.round(planned * (1 - JITTER + 2 * JITTER * random));
  const base = Math.max(planned, OVERLOAD_LEAST_MS);
  const wished = retryAfterMs(facts.retryAfter, now);
  if (wished === null) return Math.round(Math.max(OVERLOAD_LEAST_MS, base * (1 - JITTER + 2 * JITTER * random)));
  return Math.round(Math.min(Math.max(wished, base), Math.max(2 * base, HOUR)) * (1 + JITTER * random));
}

/** Whole seconds up to a day, or a date to come. Anything else counts as absent. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,5}$/.test(header)) return Number(header) <= RETRY_AFTER_MOST_S ? Number(header) * 1000 : null;
  if (!IMF_FIXDATE.test(header)) return null;
  const wait = Date.parse(header) - now;
  return wait > 0 && wait <= RETRY_AFTER_MOST_S * 1000 ? wait : null;
}
