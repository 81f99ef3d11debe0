import type { BalanceState, Candidate } from './candidate.js';

/** Points of load one attempt weighs on a worker with the mean number of slots. */
const ATTEMPT_POINTS = 10;
/** What being chosen once is held against a worker in later batches, and at most. */
const HANDICAP_POINTS = 0.5;
const HANDICAP_LIMIT = 5;

interface Contender {
  candidate: Candidate;
  load: number;
  /** Decides between equal loads. */
  lot: number;
  left: number;
  /** Points each choice adds. */
  step: number;
  handicap: number;
  handicapStep: number;
}

/**
 * Load of a worker: `active·10 + min(avgCostMs/1000, 100) + (100 − cpuIdlePercent)/10`, where `active` counts running and queued
 * attempts, is scaled by the worker's slots against the mean of the candidates, and weighs more while the worker warms up.
 */
export function loadOf(candidate: Candidate, meanSlots: number): number {
  const busy = (candidate.active + candidate.queued) * attemptPoints(candidate, meanSlots);
  const cost = Math.min(Math.max(0, candidate.avgCostMs) / 1000, 100);
  const cpu = (100 - Math.min(100, Math.max(0, candidate.cpuIdlePercent))) / 10;
  return busy + cost + cpu;
}

/** The parts of `loadOf`, for people. */
export interface LoadParts {
  attemptPoints: number;
  attempts: number;
  cost: number;
  cpu: number;
  load: number;
}

export function loadParts(candidate: Candidate, meanSlots: number): LoadParts {
  const points = attemptPoints(candidate, meanSlots);
  const attempts = (candidate.active + candidate.queued) * points;
  const cost = Math.min(Math.max(0, candidate.avgCostMs) / 1000, 100);
  const cpu = (100 - Math.min(100, Math.max(0, candidate.cpuIdlePercent))) / 10;
  return { attemptPoints: points, attempts, cost, cpu, load: attempts + cost + cpu };
}

export const meanSlotsOf = (candidates: readonly Candidate[]): number =>
  candidates.reduce((sum, candidate) => sum + Math.max(1, candidate.slots), 0) / Math.max(1, candidates.length);

/**
 * Each choice goes to the smallest load and adds to it at once, so a batch spreads instead of rushing to whoever reported last.
 * Equal loads are decided at random. Across batches a small handicap keeps a difference of measurement noise (some points of CPU)
 * from sending every single task of a quiet system to the same worker; it never outweighs one running attempt.
 * A heap keeps a batch at O(count · log candidates).
 */
export function equalCost(
  count: number,
  candidates: readonly Candidate[],
  state: BalanceState,
  random: () => number,
): (Candidate | null)[] {
  const meanSlots = meanSlotsOf(candidates);
  const heap = candidates.map((candidate): Contender => {
    const handicap = state.handicaps.get(candidate.workerId) ?? 0;
    const step = attemptPoints(candidate, meanSlots);
    const handicapStep = (step / ATTEMPT_POINTS) * HANDICAP_POINTS;
    return {
      candidate,
      load: loadOf(candidate, meanSlots) + handicap,
      lot: random(),
      left: candidate.available,
      step,
      handicap,
      handicapStep,
    };
  });
  const all = [...heap];
  heap.sort(byLoad);
  const chosen: (Candidate | null)[] = [];
  while (chosen.length < count) {
    const first = heap[0];
    if (!first) {
      chosen.push(null);
      continue;
    }
    chosen.push(first.candidate);
    first.load += first.step;
    first.lot = random();
    first.handicap += first.handicapStep;
    first.left -= 1;
    if (first.left <= 0) removeFirst(heap);
    else sink(heap);
  }
  remember(state, all);
  return chosen;
}

function attemptPoints(candidate: Candidate, meanSlots: number): number {
  return (ATTEMPT_POINTS * meanSlots) / Math.max(1, candidate.slots) / Math.min(1, Math.max(0.05, candidate.warmth));
}

/** Only differences between workers count, so the smallest handicap is always 0. */
function remember(state: BalanceState, contenders: readonly Contender[]): void {
  const least = Math.min(...contenders.map((contender) => contender.handicap));
  for (const { candidate, handicap } of contenders) {
    const kept = Math.min(HANDICAP_LIMIT, handicap - least);
    if (kept > 0) state.handicaps.set(candidate.workerId, kept);
    else state.handicaps.delete(candidate.workerId);
  }
}

function byLoad(a: Contender, b: Contender): number {
  return a.load - b.load || a.lot - b.lot;
}

function removeFirst(heap: Contender[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  heap[0] = last;
  sink(heap);
}

/** Restores the order of the heap after its first element grew. */
function sink(heap: Contender[]): void {
  const moved = heap[0];
  if (!moved) return;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const smaller = left && right && byLoad(right, left) < 0 ? right : left;
    if (!smaller || byLoad(moved, smaller) <= 0) break;
    heap[at] = smaller;
    at = smaller === right ? 2 * at + 2 : 2 * at + 1;
  }
  heap[at] = moved;
}
