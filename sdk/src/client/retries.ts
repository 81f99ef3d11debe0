import { setTimeout as delay } from 'node:timers/promises';
import { EvenkeelProblem } from '../transport/problem.js';
import { TransportError } from '../transport/transport-error.js';

const FIRST_MS = 200;
const LONGEST_MS = 10_000;

/**
 * Repeats what may succeed when repeated: no answer, 429, 502 to 504, and every problem the centre marks `retryable` (or
 * `nonce_reused`, which an HTTP stack causes by sending twice by itself). Safe because each repetition is signed anew and carries the
 * same `clientRequestId`, or changes nothing. `onlyUndone`: what would meet its own success is repeated only when it is certain that
 * nothing was done: the connection was refused, or the centre said so with 429 or 503.
 */
export async function withRetries<T>(
  limitMs: number,
  attempt: () => Promise<T>,
  { onlyUndone = false }: { onlyUndone?: boolean } = {},
): Promise<T> {
  const end = performance.now() + limitMs;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = onlyUndone && !isUndone(error) ? undefined : waitMs(error, failures);
      if (wait === undefined || performance.now() + wait > end) throw error;
      await delay(wait);
    }
  }
}

const isUndone = (error: unknown): boolean =>
  error instanceof TransportError
    ? error.failure === 'refused'
    : error instanceof EvenkeelProblem && (error.status === 429 || error.status === 503);

/** undefined: asking again is pointless. */
function waitMs(error: unknown, failures: number): number | undefined {
  const full = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  const own = full / 2 + (full / 2) * Math.random();
  if (error instanceof TransportError) return own;
  if (!(error instanceof EvenkeelProblem)) return undefined;
  if (error.code === 'nonce_reused') return 0;
  const { status } = error;
  const repeatable = error.problem.retryable === true || status === 429 || (status >= 502 && status <= 504);
  if (!repeatable) return undefined;
  const told = error.problem.retryAfterSeconds;
  return Math.max(own, typeof told === 'number' ? told * 1000 : 0);
}
