import type { Routing } from '@evenkeel/sdk/contract';
import type { BalanceState, Candidate, Strategy } from './candidate.js';
import { equalCost } from './equal-cost.js';
import { randomly } from './random.js';
import { roundRobin } from './round-robin.js';

const STRATEGIES: Record<Routing, Strategy> = {
  equal_cost: equalCost,
  round_robin: roundRobin,
  random: randomly,
};

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
): (Candidate | null)[] {
  const open = candidates.filter((candidate) => candidate.available > 0);
  if (open.length === 0) return Array(count).fill(null);
  return STRATEGIES[strategy](count, open, state, random);
}
