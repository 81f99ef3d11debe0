import { type HeldLease, Lease } from '../../ports.js';

interface Holding {
  until: number;
}

/** Leases within this process, by its monotonic clock. */
export class LocalLease extends Lease {
  private readonly holdings = new Map<string, Holding>();

  async acquire(name: string, ttlMs: number): Promise<HeldLease | null> {
    const current = this.holdings.get(name);
    if (current && current.until > performance.now()) return null;
    const mine: Holding = { until: performance.now() + ttlMs };
    this.holdings.set(name, mine);
    const isHeld = () => this.holdings.get(name) === mine && mine.until > performance.now();
    return {
      isHeld,
      extend: async (extensionMs) => {
        if (!isHeld()) return false;
        mine.until = performance.now() + extensionMs;
        return true;
      },
      release: async () => {
        if (this.holdings.get(name) === mine) this.holdings.delete(name);
      },
    };
  }
}
