import { monotonicMs } from './shared-clock.js';

const BUCKET_MS = 30_000;
const BUCKETS = 10;

/** Mean cost of the attempts that ended in the last five minutes, in steps of 30 s. */
export class MeanCost {
  private readonly sums = new Float64Array(BUCKETS);
  private readonly counts = new Float64Array(BUCKETS);
  private step: number;

  constructor(private readonly now: () => number = monotonicMs) {
    this.step = Math.floor(now() / BUCKET_MS);
  }

  add(costMs: number): void {
    const bucket = this.advance() % BUCKETS;
    this.sums[bucket] = (this.sums[bucket] ?? 0) + costMs;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }

  /** 0 while nothing ended. */
  get value(): number {
    this.advance();
    const count = this.counts.reduce((sum, each) => sum + each, 0);
    return count === 0 ? 0 : this.sums.reduce((sum, each) => sum + each, 0) / count;
  }

  private advance(): number {
    const step = Math.floor(this.now() / BUCKET_MS);
    for (let i = Math.max(this.step + 1, step - BUCKETS + 1); i <= step; i++) {
      this.sums[i % BUCKETS] = 0;
      this.counts[i % BUCKETS] = 0;
    }
    this.step = step;
    return step;
  }
}
