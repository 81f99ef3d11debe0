import type { BalanceState, Candidate } from './candidate.js';

/** In turn by worker id, going on where the last batch ended; whoever has no room is passed over. */
export function roundRobin(count: number, candidates: readonly Candidate[], state: BalanceState): (Candidate | null)[] {
  const ring = candidates
    .map((candidate) => ({ candidate, left: candidate.available }))
    .sort((a, b) => (a.candidate.workerId < b.candidate.workerId ? -1 : 1));
  const last = state.lastWorkerId;
  let at = last === null ? 0 : ring.findIndex(({ candidate }) => candidate.workerId > last);
  if (at < 0) at = 0;
  const chosen: (Candidate | null)[] = [];
  while (chosen.length < count) {
    const turn = ring[at];
    if (!turn) {
      chosen.push(null);
      continue;
    }
    chosen.push(turn.candidate);
    state.lastWorkerId = turn.candidate.workerId;
    turn.left -= 1;
    if (turn.left <= 0) ring.splice(at, 1);
    else at += 1;
    if (at >= ring.length) at = 0;
  }
  return chosen;
}
