import type { BalanceState, Candidate } from './candidate.js';

/** Each choice is equally likely to be any worker that still has room. */
export function randomly(
  count: number,
  candidates: readonly Candidate[],
  _state: BalanceState,
  random: () => number,
): (Candidate | null)[] {
  const open = candidates.map((candidate) => ({ candidate, left: candidate.available }));
  const chosen: (Candidate | null)[] = [];
  while (chosen.length < count) {
    const at = Math.floor(random() * open.length);
    const pick = open[at];
    if (!pick) {
      chosen.push(null);
      continue;
    }
    chosen.push(pick.candidate);
    pick.left -= 1;
    const last = open.at(-1);
    if (pick.left <= 0 && last) {
      open[at] = last;
      open.pop();
    }
  }
  return chosen;
}
