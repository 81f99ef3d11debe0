export interface TickerOptions {
  /** Longest pause between two rounds. */
  everyMs: number;
  /** Told of every round that threw; the loop goes on. */
  onError: (error: unknown) => void;
}

/**
 * A loop that never overlaps itself, runs at once when woken, and stops cleanly.
 *
 * `wake` during a round makes exactly one more round follow it, so nothing announced while working is missed. A round that
 * throws is reported and the next one comes after the usual pause: what a round does must therefore be safe to find half done.
 * `stop` resolves when the round under way has ended; none starts afterwards.
 */
export class Ticker {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** Monotonic instant by which a round was asked for while one is under way. */
  private wantedAt = Number.POSITIVE_INFINITY;
  private stopped = true;
  private nextAt = Number.POSITIVE_INFINITY;

  constructor(
    private readonly round: () => Promise<void>,
    private readonly options: TickerOptions,
  ) {}

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    this.wake();
  }

  /** A round as soon as the one under way, if any, has ended. */
  wake(): void {
    if (this.stopped) return;
    this.wakeIn(0);
  }

  /** A round in at most `delayMs`; an earlier one already planned stays. */
  wakeIn(delayMs: number): void {
    if (this.stopped) return;
    if (this.running) this.wantedAt = Math.min(this.wantedAt, performance.now() + delayMs);
    else this.schedule(delayMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(delayMs: number): void {
    const at = performance.now() + Math.max(0, delayMs);
    if (this.timer && this.nextAt <= at) return;
    clearTimeout(this.timer);
    this.nextAt = at;
    this.timer = setTimeout(() => this.run(), Math.min(Math.max(0, delayMs), this.options.everyMs));
  }

  private run(): void {
    this.timer = undefined;
    this.nextAt = Number.POSITIVE_INFINITY;
    this.wantedAt = Number.POSITIVE_INFINITY;
    this.running = this.round()
      .catch((error) => this.options.onError(error))
      .then(() => {
        this.running = undefined;
        if (!this.stopped) this.schedule(Math.min(this.options.everyMs, this.wantedAt - performance.now()));
      });
  }
}
