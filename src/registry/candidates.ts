import type { Candidate } from '../decisions/balance/candidate.js';
import { MEAN_WEIGHT } from '../decisions/balance/consistent-hash.js';
import type { KnownWorker } from './known-worker.js';
import { slotsFor } from './worker.js';

/** A worker that just registered is given this part of its share, rising to the whole over that time. */
const COLD = 0.75;
const WARM_UP_MS = 10_000;

/** Workers that may take orders of the group, as the choice of one for the handler sees them. `now` is epoch milliseconds. */
export function candidatesOf(
  workers: readonly KnownWorker[],
  groupKey: string,
  handler: string | null,
  now: number,
): Candidate[] {
  const usual = meanFigures(workers);
  return workers.map((worker) => {
    // Before its first beat a worker is taken to be like the others, not to be idle: else it would draw every task.
    const { avgCostMs, cpuIdlePercent } = worker.figures.beatSeq < 0 ? usual : worker.figures;
    return {
      workerId: worker.workerId,
      incarnation: worker.incarnation,
      active: worker.figures.active + worker.inFlight,
      queued: worker.figures.queued,
      available: handler === null ? worker.available : worker.roomFor(handler),
      slots: slotsFor(worker.offer, groupKey),
      avgCostMs,
      cpuIdlePercent,
      zone: worker.offer.zone ?? null,
      weight: worker.offer.weight ?? MEAN_WEIGHT,
      warmth: COLD + (1 - COLD) * Math.min(1, Math.max(0, now - worker.registeredAt) / WARM_UP_MS),
    };
  });
}

function meanFigures(workers: readonly KnownWorker[]): { avgCostMs: number; cpuIdlePercent: number } {
  const known = workers.filter((worker) => worker.figures.beatSeq >= 0);
  if (known.length === 0) return { avgCostMs: 0, cpuIdlePercent: 100 };
  const mean = (of: (worker: KnownWorker) => number) => known.reduce((sum, worker) => sum + of(worker), 0) / known.length;
  return {
    avgCostMs: mean((worker) => worker.figures.avgCostMs),
    cpuIdlePercent: mean((worker) => worker.figures.cpuIdlePercent),
  };
}
