const APART_MS = 10;

/**
 * Spreads what is made up for after an outage: each such task of this node is due ten milliseconds after the one before, so that
 * thousands of jobs that all missed a fire do not all start at once. A single one starts at once.
 */
export class CatchUp {
  private nextAt = 0;

  turn(now: number): number {
    const at = Math.max(now, this.nextAt);
    this.nextAt = at + APART_MS;
    return at;
  }
}
