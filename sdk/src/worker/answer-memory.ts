import type { OrderOutcome } from '../contract/index.js';
import { monotonicMs } from './shared-clock.js';

export type FinalAnswer = Exclude<OrderOutcome, 'duplicate' | 'stale_epoch' | 'stale_incarnation'>;

const GENERATIONS = 4;
const GENERATION_MS = 20 * 60_000;
const GENERATION_ENTRIES = 100_000;

/**
 * What this worker has answered to each (task, lease), for at least one hour or the last 300 000 answers, whichever is less.
 * Kept in generations that are dropped whole, so that remembering stays cheap at any rate.
 */
export class AnswerMemory {
  private readonly generations: Map<string, FinalAnswer>[] = [new Map()];
  private startedAt: number;

  constructor(private readonly now: () => number = monotonicMs) {
    this.startedAt = now();
  }

  get(key: string): FinalAnswer | undefined {
    for (const generation of this.generations) {
      const answer = generation.get(key);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  remember(key: string, answer: FinalAnswer): void {
    let current = this.generations[0] as Map<string, FinalAnswer>;
    if (current.size >= GENERATION_ENTRIES || this.now() - this.startedAt >= GENERATION_MS) {
      current = new Map();
      this.generations.unshift(current);
      this.generations.length = Math.min(this.generations.length, GENERATIONS);
      this.startedAt = this.now();
    }
    current.set(key, answer);
  }
}
