import { Keyring } from '../../../../src/auth/secret-box.js';
import { Clock } from '../../../../src/platform/clock.js';
import {
  NonceStore,
  PortUnavailableError,
  type RateLimit,
  RateLimiter,
  type RateVerdict,
  Signals,
} from '../../../../src/ports.js';

/** Time that moves only when told to. */
export class MovedClock extends Clock {
  at = Date.parse('2026-03-01T12:00:00.000Z');
  now(): number {
    return this.at;
  }
  monotonic(): number {
    return this.at;
  }
}

export class LocalSignals extends Signals {
  private readonly listeners = new Map<string, Set<(message: unknown) => void>>();
  publish(topic: string, message: unknown): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(message);
  }
  subscribe(topic: string, listener: (message: unknown) => void): () => void {
    const set = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, set.add(listener));
    return () => set.delete(listener);
  }
  async flush(): Promise<boolean> {
    return true;
  }
}

export class MemoryNonces extends NonceStore {
  outlivesProcess = true;
  away = false;
  readonly claimed = new Set<string>();
  async claim(accessKey: string, nonce: string): Promise<boolean> {
    if (this.away) throw new PortUnavailableError('nonces');
    const name = `${accessKey}:${nonce}`;
    if (this.claimed.has(name)) return false;
    this.claimed.add(name);
    return true;
  }
}

/** GCRA on the moved clock. */
export class MemoryRates extends RateLimiter {
  readonly takes: [string, number][] = [];
  private readonly arrivals = new Map<string, number>();
  constructor(private readonly clock: Clock) {
    super();
  }
  divideAmong(): void {}
  async giveBack(bucket: string, { intervalMicros }: RateLimit, units: number): Promise<void> {
    this.takes.push([bucket, -units]);
    const arrival = this.arrivals.get(bucket);
    if (arrival !== undefined) this.arrivals.set(bucket, arrival - intervalMicros * units);
  }
  async take(bucket: string, { intervalMicros, burst }: RateLimit, cost: number): Promise<RateVerdict> {
    this.takes.push([bucket, cost]);
    if (cost > burst) return { outcome: 'never', remaining: 0, retryAfterMicros: 0, fullInMicros: 0 };
    const now = this.clock.now() * 1000;
    const tat = Math.max(this.arrivals.get(bucket) ?? now, now);
    const next = tat + intervalMicros * cost;
    const tolerance = intervalMicros * burst;
    if (next - tolerance > now) {
      return {
        outcome: 'limited',
        remaining: Math.floor((tolerance - (tat - now)) / intervalMicros),
        retryAfterMicros: next - tolerance - now,
        fullInMicros: tat - now,
      };
    }
    this.arrivals.set(bucket, next);
    return {
      outcome: 'allowed',
      remaining: Math.floor((tolerance - (next - now)) / intervalMicros),
      retryAfterMicros: 0,
      fullInMicros: next - now,
    };
  }
}

export class TestKeyring extends Keyring {
  readonly current = { id: 'k1', key: Buffer.alloc(32, 7) };
  get(id: string): Buffer | undefined {
    return id === 'k1' ? this.current.key : undefined;
  }
}
