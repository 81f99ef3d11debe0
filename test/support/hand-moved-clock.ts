import { Clock } from '../../src/platform/clock.js';

/** Time that passes only when a test says so; the wall clock can be moved apart from the monotonic one. */
export class HandMovedClock extends Clock {
  private elapsed = 0;
  private startedAt = 1_800_000_000_000;

  now(): number {
    return this.startedAt + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  pass(ms: number): void {
    this.elapsed += ms;
  }

  /** The wall clock jumps; no time passes. */
  jump(ms: number): void {
    this.startedAt += ms;
  }
}
