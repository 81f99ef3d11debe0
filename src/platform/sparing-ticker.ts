import type { Clock } from './clock.js';
import { Ticker, type TickerOptions } from './ticker.js';

const SHARE = 50;

/** A loop for counts that may grow costly: its rounds take at most a fiftieth of the time, so what takes long comes the more rarely. */
export class SparingTicker {
  private againAt = 0;
  private readonly loop: Ticker;

  constructor(
    private readonly round: () => Promise<void>,
    private readonly clock: Clock,
    options: TickerOptions,
  ) {
    this.loop = new Ticker(() => this.roundIfDue(), options);
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async roundIfDue(): Promise<void> {
    const startedAt = this.clock.monotonic();
    if (startedAt < this.againAt) return;
    await this.round();
    const now = this.clock.monotonic();
    this.againAt = now + SHARE * (now - startedAt);
  }
}
