import type { RateLimit, RateVerdict } from '../ports.js';

/**
 * One take from a GCRA bucket. `tatMicros` is the bucket's only state: the time at which it will be full again. Returns the
 * verdict and the new state (unchanged unless allowed).
 */
export function gcra(
  tatMicros: number,
  nowMicros: number,
  limit: RateLimit,
  cost: number,
): { verdict: RateVerdict; tatMicros: number } {
  if (cost > limit.burst) return { verdict: { outcome: 'never', remaining: 0, retryAfterMicros: 0, fullInMicros: 0 }, tatMicros };
  const tat = Math.max(tatMicros, nowMicros);
  const tolerance = limit.intervalMicros * limit.burst;
  const next = tat + limit.intervalMicros * cost;
  const allowedAt = next - tolerance;
  const state = (outcome: 'allowed' | 'limited', full: number, retryAfterMicros: number): RateVerdict => ({
    outcome,
    remaining: Math.floor((tolerance - (full - nowMicros)) / limit.intervalMicros),
    retryAfterMicros,
    fullInMicros: full - nowMicros,
  });
  if (allowedAt > nowMicros) return { verdict: state('limited', tat, allowedAt - nowMicros), tatMicros };
  return { verdict: state('allowed', next, 0), tatMicros: next };
}
