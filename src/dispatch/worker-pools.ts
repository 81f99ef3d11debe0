import { Pool } from 'undici';

const CONNECTIONS = 8;
const CONNECT_MS = 2000;
/** Below the 5 s after which Node's own server closes an idle connection: a request into a closing one is ambiguous. */
const KEEP_ALIVE_MS = 4000;
const IDLE_MS = 60_000;

/** One bounded pool of kept connections per worker address. Addresses not used for a minute are let go. */
export class WorkerPools {
  private readonly pools = new Map<string, { pool: Pool; usedAt: number }>();

  constructor(private readonly monotonic: () => number) {}

  of(origin: string): Pool {
    const now = this.monotonic();
    const known = this.pools.get(origin);
    if (known) {
      known.usedAt = now;
      return known.pool;
    }
    this.letIdleGo(now);
    const pool = new Pool(origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      connect: { timeout: CONNECT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The caller's own limit covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.pools.set(origin, { pool, usedAt: now });
    return pool;
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    const open = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(open.map(({ pool }) => pool.destroy()));
  }

  private letIdleGo(now: number): void {
    for (const [origin, { pool, usedAt }] of this.pools) {
      if (now - usedAt < IDLE_MS) continue;
      this.pools.delete(origin);
      // Graceful: requests under way end first. It cannot fail in a way that matters to anybody.
      void pool.close().catch(() => undefined);
    }
  }
}
