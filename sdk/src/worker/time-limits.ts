import type { Attempt } from './attempt.js';
import { monotonicMs } from './shared-clock.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Aborts running attempts at their time limit with one timer for all: it is armed for the earliest limit known and looks through
 * the running ones when it fires. An attempt that ends in time costs nothing here.
 */
export class TimeLimits {
  private timer: NodeJS.Timeout | undefined;
  private armedFor = Number.POSITIVE_INFINITY;

  constructor(
    private readonly running: () => Iterable<Attempt>,
    private readonly expire: (attempt: Attempt) => void,
  ) {}

  started(attempt: Attempt): void {
    const limit = limitOf(attempt);
    if (limit < this.armedFor) this.arm(limit);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  private arm(limit: number): void {
    clearTimeout(this.timer);
    this.armedFor = limit;
    if (limit === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(Math.ceil(limit - monotonicMs()), 1), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => this.look(), wait);
    this.timer.unref();
  }

  private look(): void {
    const now = monotonicMs();
    let next = Number.POSITIVE_INFINITY;
    for (const attempt of this.running()) {
      if (attempt.phase !== 'running' || attempt.aborted !== undefined) continue;
      const limit = limitOf(attempt);
      if (limit <= now) this.expire(attempt);
      else if (limit < next) next = limit;
    }
    this.arm(next);
  }
}

function limitOf(attempt: Attempt): number {
  return attempt.order.timeoutMs === 0 ? Number.POSITIVE_INFINITY : attempt.startedAt + attempt.order.timeoutMs;
}
