import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../platform/clock.js';
import { Ticker } from '../../platform/ticker.js';
import { type HeldLease, Lease, PortUnavailableError } from '../../ports.js';
import { type Kept, KeptKinds } from './kept.js';

/** Between two rounds, and from the start of the node to its first. */
const EVERY_MS = 600_000;
const LOOK_MS = 5_000;
const LEASE_MS = 60_000;
/** Transactions of one kind in one round; the next round comes at once if they did not suffice. */
const MOST_STEPS = 500;

/**
 * Removes what is older than it is kept: every ten minutes, on the node that has the lease, one small transaction after the other with a
 * pause as long as each took, so that it never takes more than half of the time and nobody waits for a lock of it for long. Charts
 * and counts do not change: they are made of figures of their own. If the process dies at any line, what is gone is gone with all that
 * belonged to it, and the next round of any node finds the rest; two nodes at once, after a lease that ran out, remove the same rows
 * once. Without Redis nothing is removed until it is back.
 */
@Injectable()
export class RetentionSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('retention');
  private readonly stopping = new AbortController();
  private dueAt = Number.POSITIVE_INFINITY;
  private readonly ticker = new Ticker(() => this.roundIfDue(), {
    everyMs: LOOK_MS,
    onError: (err) => this.logger.warn({ msg: 'old rows not removed, trying again', err }),
  });

  constructor(
    private readonly kinds: KeptKinds,
    private readonly lease: Lease,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.dueAt = this.clock.monotonic() + EVERY_MS;
    this.ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.ticker.stop();
  }

  /** One round, if nobody else is at it: how many of each kind were removed, and whether there may be more. Also for tests. */
  async round(): Promise<{ removed: Record<string, number>; more: boolean }> {
    const done = { removed: {} as Record<string, number>, more: false };
    try {
      const held = await this.lease.acquire('retention', LEASE_MS);
      if (held) await this.removeAll(held, done).finally(() => held.release());
    } catch (error) {
      if (!(error instanceof PortUnavailableError)) throw error;
    }
    if (Object.keys(done.removed).length > 0) this.logger.log({ msg: 'old rows removed', removed: done.removed });
    return done;
  }

  private async roundIfDue(): Promise<void> {
    if (this.clock.monotonic() < this.dueAt) return;
    this.dueAt = this.clock.monotonic() + EVERY_MS;
    if ((await this.round()).more) this.dueAt = this.clock.monotonic();
  }

  private async removeAll(held: HeldLease, done: { removed: Record<string, number>; more: boolean }): Promise<void> {
    for (const kept of this.kinds.all()) {
      if (kept.keptMs === 0) continue;
      const { count, finished } = await this.removeSome(kept, held);
      if (count > 0) done.removed[kept.kind] = count;
      done.more ||= !finished;
    }
  }

  private async removeSome({ remove }: Kept, held: HeldLease): Promise<{ count: number; finished: boolean }> {
    let count = 0;
    let steps = 0;
    let startedAt = this.clock.monotonic();
    for await (const removed of remove(Math.floor(this.clock.now()))) {
      count += removed;
      steps += 1;
      if (steps >= MOST_STEPS || this.stopping.signal.aborted || !(await held.extend(LEASE_MS)))
        return { count, finished: false };
      await pause(this.clock.monotonic() - startedAt);
      startedAt = this.clock.monotonic();
    }
    return { count, finished: true };
  }
}
