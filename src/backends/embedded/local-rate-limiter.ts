import { type RateLimit, RateLimiter, type RateVerdict } from '../../ports.js';
import { gcra } from '../gcra.js';

const SWEEP_EVERY_MS = 10_000;

/** Buckets of this process, by its monotonic clock; with other nodes, its share of each. A full bucket is forgotten, so memory follows the callers of late. */
export class LocalRateLimiter extends RateLimiter {
  private readonly fullAt = new Map<string, number>();
  private sweptAt = performance.now();
  private nodes = 1;

  async take(bucket: string, limit: RateLimit, cost: number): Promise<RateVerdict> {
    const now = Math.round(performance.now() * 1000);
    this.sweep(now);
    const { verdict, tatMicros } = gcra(this.fullAt.get(bucket) ?? now, now, limit, cost, this.nodes);
    if (verdict.outcome === 'allowed') this.fullAt.set(bucket, tatMicros);
    return verdict;
  }

  async giveBack(bucket: string, { intervalMicros }: RateLimit, units: number): Promise<void> {
    const fullAt = this.fullAt.get(bucket);
    if (fullAt !== undefined) this.fullAt.set(bucket, fullAt - intervalMicros * this.nodes * units);
  }

  divideAmong(nodes: number): void {
    this.nodes = Math.max(1, nodes);
  }

  private sweep(nowMicros: number): void {
    if (nowMicros / 1000 - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = nowMicros / 1000;
    for (const [bucket, fullAt] of this.fullAt) if (fullAt <= nowMicros) this.fullAt.delete(bucket);
  }
}
