import type { AttemptPhase } from '../contract/index.js';
import type { Attempt } from './attempt.js';

/** Every attempt this worker still has something to do about, and how many are in which phase. */
export class AttemptTable {
  private readonly attempts = new Map<string, Attempt>();
  private readonly counts: Record<AttemptPhase, number> = { queued: 0, running: 0, reporting: 0 };

  get(key: string): Attempt | undefined {
    return this.attempts.get(key);
  }
  all(): IterableIterator<Attempt> {
    return this.attempts.values();
  }
  count(phase: AttemptPhase): number {
    return this.counts[phase];
  }

  add(attempt: Attempt): void {
    this.attempts.set(attempt.key, attempt);
    this.counts[attempt.phase]++;
  }
  move(attempt: Attempt, phase: AttemptPhase): void {
    this.counts[attempt.phase]--;
    attempt.phase = phase;
    this.counts[phase]++;
  }
  remove(attempt: Attempt): void {
    if (this.attempts.delete(attempt.key)) this.counts[attempt.phase]--;
  }
}
