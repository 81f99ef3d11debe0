const APART_MS = 10;
const WITHIN_MS = 30_000;

/**
 * Spreads what is made up for after an outage: each such task of this node is due ten milliseconds after the one before, so that
 * thousands of jobs that all missed a fire do not all start at once. A single one starts at once, and none is put off by more than
 * half a minute: once that is full, the next begin again with this moment, between the others. With a pace that never grew a node
 * that fires more than that, each a little late, would fall further behind with every fire and never be on time again.
 */
export class CatchUp {
  private nextAt = 0;

  turn(now: number): number {
    if (this.nextAt < now || this.nextAt > now + WITHIN_MS) this.nextAt = now;
    const at = this.nextAt;
    this.nextAt = at + APART_MS;
    return at;
  }
}
