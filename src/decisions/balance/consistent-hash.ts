import type { BalanceState, Candidate } from './candidate.js';
import type { HashRing } from './hash-ring.js';

/** Above this use of its processor a worker keeps only a part of its weight. */
const BUSY_CPU_PERCENT = 80;
const BUSY_SHARE = 0.7;
/** Points on the ring: at least this many for the mean worker, or shares become uneven; at most this many for one. */
const MEAN_POINTS = 200;
const MOST_POINTS = 2_000;

/**
 * The same key goes to the same worker as long as that has room; else to the next one on the ring. Each worker stands on it with
 * points in proportion to its weight, so that a worker that leaves or joins moves little more than its own share of the keys, and one
 * that is busy (CPU above 80 %) gives up three tenths of its keys and no others move.
 */
export function consistentHash(
  count: number,
  candidates: readonly Candidate[],
  state: BalanceState,
  _random: () => number,
  keys: readonly string[],
): (Candidate | null)[] {
  const workers = [...candidates].sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
  const left = workers.map(({ available }) => available);
  let open = left.filter((room) => room > 0).length;
  const ring = ringOf(workers, state);
  const chosen: (Candidate | null)[] = [];
  for (let i = 0; i < count; i++) {
    let at = open === 0 ? -1 : firstAtOrAfter(ring.positions, hash(keys[i] ?? ''));
    while (at >= 0 && (left[ring.owners[at] as number] as number) <= 0) at = (at + 1) % ring.owners.length;
    const owner = at < 0 ? undefined : (ring.owners[at] as number);
    if (owner === undefined) {
      chosen.push(null);
      continue;
    }
    left[owner] = (left[owner] as number) - 1;
    if (left[owner] === 0) open -= 1;
    chosen.push(workers[owner] as Candidate);
  }
  return chosen;
}

/** Kept between batches: it changes when workers come, go, or become busy. */
function ringOf(workers: readonly Candidate[], state: BalanceState): HashRing {
  const points = pointsOf(workers);
  const made = workers.map(({ workerId }, i) => `${workerId} ${points[i]}`).join('\n');
  if (state.ring?.made === made) return state.ring;
  const all: { position: number; owner: number }[] = [];
  workers.forEach(({ workerId }, owner) => {
    for (let n = 0; n < (points[owner] as number); n++) all.push({ position: hash(`${workerId}#${n}`), owner });
  });
  all.sort((a, b) => a.position - b.position || a.owner - b.owner);
  const ring = { made, positions: Uint32Array.from(all, (p) => p.position), owners: Uint16Array.from(all, (p) => p.owner) };
  state.ring = ring;
  return ring;
}

/** By weight alone, not by who else is there: so nobody's points move when another worker comes or goes. */
function pointsOf(workers: readonly Candidate[]): number[] {
  return workers.map(({ weight, cpuIdlePercent }) => {
    const full = Math.min(MOST_POINTS, Math.max(1, Math.round((Math.max(0, weight) / MEAN_WEIGHT) * MEAN_POINTS)));
    return 100 - cpuIdlePercent > BUSY_CPU_PERCENT ? Math.max(1, Math.round(full * BUSY_SHARE)) : full;
  });
}
/** That of four cores, 25 each. */
export const MEAN_WEIGHT = 100;

/** The first position at or after that one, round the ring. */
function firstAtOrAfter(positions: Uint32Array, position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] as number) < position) low = middle + 1;
    else high = middle;
  }
  return low === positions.length ? 0 : low;
}

/** FNV-1a with the finish of MurmurHash3, without which texts that differ in their last character lie side by side. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
