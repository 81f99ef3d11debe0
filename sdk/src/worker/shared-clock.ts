/** Milliseconds that never go back, the same in every thread of the process. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

const CELLS = { seq: 0, offset: 1, fenceAt: 2, lastHeardAt: 3, fences: 4, mainSeenAt: 5 } as const;
/** A refusing centre cannot be waited for for ever: this long after its last acknowledgement the worker fences itself all the same. */
export const REFUSAL_GRACE_MS = 10 * 60_000;

/**
 * What the main thread and the beat thread must agree on at every instant, in shared memory, so that neither waits for the other's
 * event loop: the report counter, the centre's clock, the fence, and when the main thread was last seen at work.
 *
 * The fence: this worker may trust its attempts only until `fenceAt`, `leaseMs` after the *send* time of its last acknowledged beat.
 * A process that was frozen finds `fenceAt` passed before it reads anything else. Only an acknowledgement moves a passed fence,
 * and each passage is counted, so that the main thread aborts what ran across it even if it looks only afterwards.
 */
export class SharedClock {
  private readonly cells: BigInt64Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(8 * 8)) {
    this.cells = new BigInt64Array(buffer);
  }

  static startingNow(): SharedClock {
    const clock = new SharedClock();
    clock.set(CELLS.offset, Date.now() - monotonicMs());
    return clock;
  }

  /** Strictly increasing over both threads. */
  nextSeq(): number {
    return Number(Atomics.add(this.cells, CELLS.seq, 1n)) + 1;
  }

  /** Epoch milliseconds by the centre's clock; a jump of this machine's clock changes nothing. */
  centreNow(): number {
    return Math.round(monotonicMs() + this.get(CELLS.offset));
  }

  /** The centre said `serverTime` between the two instants. A slow exchange says too little to be believed over an earlier one. */
  learn(serverTime: number, sentAt: number, receivedAt: number): void {
    const known = this.get(CELLS.lastHeardAt) !== 0;
    const next = serverTime - (sentAt + receivedAt) / 2;
    const spread = (receivedAt - sentAt) / 2;
    if (known && spread > 500 && Math.abs(next - this.get(CELLS.offset)) <= spread) return;
    this.set(CELLS.offset, next);
  }

  acknowledged(sentAt: number, leaseMs: number, now: number = monotonicMs()): void {
    if (this.isFenced(now) && this.get(CELLS.fenceAt) !== 0) Atomics.add(this.cells, CELLS.fences, 1n);
    this.set(CELLS.fenceAt, Math.max(this.get(CELLS.fenceAt), sentAt + leaseMs));
    this.set(CELLS.lastHeardAt, Math.max(this.get(CELLS.lastHeardAt), sentAt));
  }

  /** Every centre URL refused at once (or answered 5xx): nobody there is giving this worker's attempts away. */
  refused(sentAt: number, leaseMs: number, now: number = monotonicMs()): void {
    if (this.isFenced(now)) return;
    const until = Math.min(sentAt + leaseMs, this.get(CELLS.lastHeardAt) + REFUSAL_GRACE_MS);
    this.set(CELLS.fenceAt, Math.max(this.get(CELLS.fenceAt), until));
  }

  isFenced(now: number = monotonicMs()): boolean {
    return now >= this.get(CELLS.fenceAt);
  }

  /** How often the fence was passed and lifted again. */
  get fences(): number {
    return this.get(CELLS.fences);
  }

  /** Called by the main thread several times a second. */
  mainAtWork(now: number = monotonicMs()): void {
    this.set(CELLS.mainSeenAt, now);
  }
  /** How long a handler has kept the main thread from everything else. */
  mainSilentMs(now: number = monotonicMs()): number {
    return now - this.get(CELLS.mainSeenAt);
  }

  private get(cell: number): number {
    return Number(Atomics.load(this.cells, cell));
  }
  private set(cell: number, value: number): void {
    Atomics.store(this.cells, cell, BigInt(Math.round(value)));
  }
}
