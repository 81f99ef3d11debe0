import type { SharedClock } from './shared-clock.js';

/** The main thread's eye on the fence, which the beat thread moves. */
export class FenceWatch {
  private up = false;
  private seen = 0;

  constructor(
    private readonly clock: SharedClock,
    private readonly passed: () => void,
  ) {}

  /** True while the fence is up. Calls `passed` once for each passage, even if it was lifted before anybody looked. */
  look(): boolean {
    const fenced = this.clock.isFenced();
    const { fences } = this.clock;
    const wentUp = fenced && !this.up;
    const liftedAsKnown = this.up && fences === this.seen + 1;
    const wentUpUnseen = fences !== this.seen && !liftedAsKnown;
    this.up = fenced;
    this.seen = fences;
    if (wentUp || wentUpUnseen) this.passed();
    return fenced;
  }
}
