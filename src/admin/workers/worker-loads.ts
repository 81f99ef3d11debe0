import type { Candidate } from '../../decisions/balance/candidate.js';
import { loadTerms, meanSlotsOf } from '../../decisions/balance/equal-cost.js';
import type { LoadTerms, WorkerLoad } from '../contract/workers.js';

const FORMULA = '(active + queued) · attemptPoints + min(avgCostMs / 1000, 100) + (100 − cpuIdlePercent) / 10';
/** Within this part of the mean, or less than one attempt away from it, a worker counts as even with the others. */
const EVEN_PERCENT = 15;
const EVEN_POINTS = 10;

export interface ScoredWorker {
  id: string;
  terms: LoadTerms;
}

/** The score of every candidate with its terms, smallest first. */
export function scored(candidates: readonly Candidate[]): ScoredWorker[] {
  const meanSlots = meanSlotsOf(candidates);
  return candidates
    .map((candidate) => ({ id: candidate.workerId, terms: loadTerms(candidate, meanSlots) }))
    .sort((a, b) => a.terms.load - b.terms.load || (a.id < b.id ? -1 : 1));
}

/** Why the worker gets as much as it gets, by the figures of this moment; `all` smallest load first. */
export function explainLoad(group: string, workerId: string, all: ScoredWorker[]): WorkerLoad {
  const worker = all.find(({ id }) => id === workerId) ?? null;
  const loads = all.map(({ terms }) => terms.load);
  const mean = loads.length === 0 ? 0 : loads.reduce((sum, load) => sum + load, 0) / loads.length;
  const variance = loads.length === 0 ? 0 : loads.reduce((sum, load) => sum + (load - mean) ** 2, 0) / loads.length;
  const variation = mean === 0 ? 0 : Math.sqrt(variance) / mean;
  return {
    group,
    formula: FORMULA,
    worker,
    candidates: all,
    imbalance: { meanLoad: mean, maxMinusMin: loads.length === 0 ? 0 : Math.max(...loads) - Math.min(...loads), variation },
    verdict: verdictOf(worker?.terms.load ?? null, mean, all.length),
  };
}

function verdictOf(load: number | null, mean: number, count: number): WorkerLoad['verdict'] {
  if (load === null) return { code: 'not_eligible', percentOfMean: null };
  const percentOfMean = mean === 0 ? 100 : Math.round((load / mean) * 100);
  if (count === 1) return { code: 'alone', percentOfMean };
  if (Math.abs(percentOfMean - 100) <= EVEN_PERCENT || Math.abs(load - mean) < EVEN_POINTS)
    return { code: 'balanced', percentOfMean };
  return { code: load > mean ? 'above_mean' : 'below_mean', percentOfMean };
}
