const LONGEST_RUN_MS = 8;

/**
 * Lets one holder in at a time, in order of arrival. Holders whose work is synchronous would otherwise follow each other without
 * the event loop ever turning, so after some milliseconds the next one waits for a turn.
 */
export class SerialQueue {
  private held = false;
  private turnedAt = 0;
  private readonly waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn; the caller must call `leave` exactly once. */
  async enter(): Promise<void> {
    if (!this.held) {
      this.held = true;
      this.turnedAt = performance.now();
      return;
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  leave(): void {
    const next = this.waiting.shift();
    if (!next) this.held = false;
    else if (performance.now() - this.turnedAt < LONGEST_RUN_MS) next();
    else
      setImmediate(() => {
        this.turnedAt = performance.now();
        next();
      });
  }
}
