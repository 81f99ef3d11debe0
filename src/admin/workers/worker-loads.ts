import type { Candidate } from '../../decisions/balance/candidate.js';
import { loadTerms, meanSlotsOf } from '../../decisions/balance/equal-cost.js';
import { shownTerms } from '../../decisions/balance/shown-terms.js';
import { slotsFor, type WorkerView } from '../../registry/worker.js';
import type { WorkersService } from '../../registry/workers.service.js';
import type { GroupBalance, LoadTerms, WorkerLoad } from '../contract/workers.js';

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
    .sort((a, b) => a.terms.load - b.terms.load || (a.id < b.id ? -1 : 1))
    .map(({ id, terms }) => ({ id, terms: shownTerms(terms) }));
}

/** Score of each worker that takes orders, among those of its first group. */
export function loadsOfAll(workers: WorkersService): Map<string, number> {
  const loads = new Map<string, number>();
  for (const group of new Set(workers.all().map(({ offer }) => offer.groups[0] as string)))
    for (const { workerId, terms } of workers.loadsOf(group)) if (!loads.has(workerId)) loads.set(workerId, terms.load);
  return loads;
}

function imbalanceOf(all: readonly ScoredWorker[]): WorkerLoad['imbalance'] {
  const loads = all.map(({ terms }) => terms.load);
  if (loads.length === 0) return { meanLoad: 0, maxMinusMin: 0, variation: 0 };
  const meanLoad = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  const variance = loads.reduce((sum, load) => sum + (load - meanLoad) ** 2, 0) / loads.length;
  const variation = meanLoad === 0 ? 0 : Math.sqrt(variance) / meanLoad;
  return { meanLoad, maxMinusMin: Math.max(...loads) - Math.min(...loads), variation };
}

/**
 * Whether the workers of a group are evenly loaded, and if not who stands out: the one farthest above the mean, or, when nobody is above
 * it by enough, the one farthest below. `all` smallest load first.
 */
export function balanceOf(group: string, all: readonly ScoredWorker[]): Omit<GroupBalance, 'work'> {
  const imbalance = imbalanceOf(all);
  const { meanLoad } = imbalance;
  const workers = all.map(({ id, terms }) => ({ id, load: terms.load, ...verdictOf(terms.load, meanLoad, all.length) }));
  const shown = workers.map(({ id, load, percentOfMean }) => ({ id, load, percentOfMean: percentOfMean as number }));
  const most = workers.at(-1);
  const least = workers[0];
  const out = most?.code === 'above_mean' ? most : least?.code === 'below_mean' ? least : null;
  const code = !most ? 'no_worker' : most.code === 'alone' ? 'alone' : out ? 'uneven' : 'balanced';
  const percentFromMean = out ? (out.percentOfMean as number) - 100 : null;
  return { group, workers: shown, imbalance, verdict: { code, worker: out?.id ?? null, percentFromMean } };
}

/** How full the group's workers would be without this one; null if it takes no orders of the group. */
export function ifDrained(group: string, workerId: string, workers: readonly WorkerView[]): WorkerLoad['ifDrained'] {
  const taking = workers.filter(
    ({ takesOrders, offer }) => takesOrders && offer.groups.includes(group) && slotsFor(offer, group) > 0,
  );
  const own = taking.find((worker) => worker.workerId === workerId);
  if (!own) return null;
  const busy = taking.reduce((sum, { figures, inFlight }) => sum + figures.active + figures.queued + inFlight, 0);
  const slots = taking.reduce((sum, { offer }) => sum + slotsFor(offer, group), 0);
  const slotsLeft = slots - slotsFor(own.offer, group);
  return { busy, slots, slotsLeft, fullness: busy / slots, fullnessThen: slotsLeft === 0 ? null : busy / slotsLeft };
}

/** Why the worker gets as much as it gets, by the figures of this moment; `all` smallest load first. */
export function explainLoad(group: string, workerId: string, all: ScoredWorker[]): Omit<WorkerLoad, 'ifDrained'> {
  const worker = all.find(({ id }) => id === workerId) ?? null;
  const imbalance = imbalanceOf(all);
  return {
    group,
    formula: FORMULA,
    worker,
    candidates: all,
    imbalance,
    verdict: verdictOf(worker?.terms.load ?? null, imbalance.meanLoad, all.length),
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
