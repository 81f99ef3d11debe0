import type { RateLimit, RateVerdict } from '../ports.js';

/**
 * One take from a GCRA bucket. `tatMicros` is the bucket's only state: the time at which it will be full again. Returns the
 * verdict and the new state (unchanged unless allowed). With `nodes`, the bucket holds this node's share of the limit; what costs
 * more than the share passes when it is full, so that whatever the limit allows at once is only slower.
 */
export function gcra(
  tatMicros: number,
  nowMicros: number,
  limit: RateLimit,
  cost: number,
  nodes = 1,
): { verdict: RateVerdict; tatMicros: number } {
  if (cost > limit.burst) return { verdict: { outcome: 'never', remaining: 0, retryAfterMicros: 0, fullInMicros: 0 }, tatMicros };
  const intervalMicros = limit.intervalMicros * nodes;
  const burst = Math.max(1, Math.floor(limit.burst / nodes));
  const tat = Math.max(tatMicros, nowMicros);
  const tolerance = intervalMicros * burst;
  const next = tat + intervalMicros * cost;
  const allowedAt = next - Math.max(tolerance, intervalMicros * cost);
  const state = (outcome: 'allowed' | 'limited', full: number, retryAfterMicros: number): RateVerdict => ({
    outcome,
    remaining: Math.max(0, Math.floor((tolerance - (full - nowMicros)) / intervalMicros)),
    retryAfterMicros,
    fullInMicros: full - nowMicros,
  });
  if (allowedAt > nowMicros) return { verdict: state('limited', tat, allowedAt - nowMicros), tatMicros };
  return { verdict: state('allowed', next, 0), tatMicros: next };
}
