import type { LoadTerms } from './equal-cost.js';

const rounded = (points: number, decimals: number): number => Number(points.toFixed(decimals));
const tenths = (points: number): number => Math.round(points * 10) / 10;
const MOST_DECIMALS = 6;

/**
 * A worker's load as people are told it: each term rounded once, to the nearest tenth, and the load their sum. So every page shows the
 * same figures, and they add up. The points of one attempt have as many decimals as the product needs to be its term. The choice of
 * workers goes by the terms as they are.
 */
export function shownTerms(terms: LoadTerms): LoadTerms {
  const count = terms.active + terms.queued;
  const [attempts, cost, cpu] = [tenths(terms.attempts), tenths(terms.cost), tenths(terms.cpu)];
  let decimals = 1;
  while (decimals < MOST_DECIMALS && tenths(count * rounded(terms.attemptPoints, decimals)) !== attempts) decimals++;
  const attemptPoints = rounded(terms.attemptPoints, decimals);
  return { ...terms, attemptPoints, attempts, cost, cpu, load: tenths(attempts + cost + cpu) };
}
