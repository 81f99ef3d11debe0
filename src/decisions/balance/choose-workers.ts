import type { Routing } from '@evenkeel/sdk/contract';
import type { BalanceState, Candidate, Strategy } from './candidate.js';
import { consistentHash } from './consistent-hash.js';
import { equalCost } from './equal-cost.js';
import { randomly } from './random.js';
import { roundRobin } from './round-robin.js';

const STRATEGIES: Record<Routing, Strategy> = {
  equal_cost: equalCost,
  round_robin: roundRobin,
  random: randomly,
  consistent_hash: consistentHash,
};

export interface Preference {
  /** Workers of this zone first, as long as one of them has room. */
  zone?: string;
  /** What each task is hashed by, in order. */
  keys?: readonly string[];
}

/**
 * A worker for each of `count` tasks, in order; null where nobody has room left. Never gives a candidate more than it has
 * available. The candidates are not changed: whoever chooses again must first have counted these choices as ordered.
 */
export function chooseWorkers(
  count: number,
  candidates: readonly Candidate[],
  strategy: Routing,
  state: BalanceState,
  random: () => number,
  { zone, keys = [] }: Preference = {},
): (Candidate | null)[] {
  const open = candidates.filter((candidate) => candidate.available > 0);
  const near = zone === undefined ? open : open.filter((candidate) => candidate.zone === zone);
  if (near.length === 0 || near.length === open.length) return chooseAmong(count, open, strategy, state, random, keys);
  const chosen = chooseAmong(count, near, strategy, state, random, keys);
  const left = chosen.flatMap((pick, i) => (pick === null ? [i] : []));
  if (left.length === 0) return chosen;
  const far = open.filter((candidate) => candidate.zone !== zone);
  const farKeys = left.map((i) => keys[i] ?? '');
  chooseAmong(left.length, far, strategy, state, random, farKeys).forEach((pick, i) => {
    chosen[left[i] as number] = pick;
  });
  return chosen;
}

function chooseAmong(
  count: number,
  open: readonly Candidate[],
  strategy: Routing,
  state: BalanceState,
  random: () => number,
  keys: readonly string[],
): (Candidate | null)[] {
  if (open.length === 0) return Array(count).fill(null);
  return STRATEGIES[strategy](count, open, state, random, keys);
}
