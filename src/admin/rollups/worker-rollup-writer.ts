import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { parseTimeline } from '../../decisions/timeline.js';
import { PartitionsService } from '../../dispatch/partitions.service.js';
import { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { Ticker } from '../../platform/ticker.js';
import { SqlDialect } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import { LifecycleService } from '../../tasks/lifecycle.service.js';
import type { TaskChange } from '../../tasks/task.store.js';
import { loadsOfAll } from '../workers/worker-loads.js';
import { type WorkerFigures, WorkerRollupStore } from './worker-rollup.store.js';

const SAMPLE_MS = 15_000;
export const WORKER_SPAN_MS = 300_000;
/** What waits to be written while the database is away; older ones are dropped. */
const MOST_WAITING = 5_000;

/**
 * Samples the load of every worker each fifteen seconds, on the node that holds partition 0, and writes five minutes of all of them as
 * one statement when they are over; and notes which attempts were recovered from which lost worker, on the node that recovered them. If
 * the process dies, up to five minutes of samples, or the notes since the last round, are missing from the pages of workers and from
 * nothing else. After a hand-over two nodes may have written the same span: each its own row, and readers add them up.
 */
@Injectable()
export class WorkerRollupWriter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('worker figures');
  private readonly writer = newId('node');
  private beginsAt = 0;
  private readonly figures = new Map<string, WorkerFigures>();
  private lost: { workerId: string; lostAt: number; taskId: string }[] = [];
  private readonly ticker = new Ticker(() => this.round(), {
    everyMs: SAMPLE_MS,
    onError: (err) => this.logger.warn({ msg: 'figures of workers not written, trying again', err }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: WorkerRollupStore,
    private readonly workers: WorkersService,
    private readonly partitions: PartitionsService,
    private readonly clock: Clock,
    lifecycle: LifecycleService,
  ) {
    lifecycle.onChanged((changes) => {
      const found = changes.flatMap((change) => lostAttemptOf(change) ?? []);
      if (found.length === 0) return;
      this.lost = [...this.lost, ...found].slice(-MOST_WAITING);
      this.ticker.wake();
    });
  }

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ticker.stop();
    await this.writeSpan().catch(() => {});
    await this.writeLost().catch(() => {});
  }

  /** One round; also for tests. */
  async round(): Promise<void> {
    await this.writeLost();
    const beginsAt = Math.floor(this.clock.now() / WORKER_SPAN_MS) * WORKER_SPAN_MS;
    if (beginsAt !== this.beginsAt) {
      await this.writeSpan();
      this.beginsAt = beginsAt;
    }
    if (this.partitions.held().includes(0)) this.sample();
  }

  /** Writes what has been sampled of the span so far; what is sampled of it after that is a row of the next life of this process. */
  async writeSpan(): Promise<void> {
    const rows = [...this.figures].map(([workerId, figures]) => ({ workerId, beginsAt: this.beginsAt, figures }));
    if (rows.length > 0) await this.dialect.transaction((tx) => this.store.insert(tx, rows, this.writer));
    this.figures.clear();
  }

  private async writeLost(): Promise<void> {
    const { lost } = this;
    if (lost.length === 0) return;
    await this.dialect.transaction((tx) => this.store.insertLost(tx, lost));
    this.lost = this.lost.filter((one) => !lost.includes(one));
  }

  private sample(): void {
    const loads = loadsOfAll(this.workers);
    for (const { workerId, state, figures, inFlight } of this.workers.all()) {
      if (state === 'offline') continue;
      const known = this.figures.get(workerId) ?? { samples: 0, loads: 0, loadSum: 0, loadMost: 0, activeMost: 0 };
      known.samples += 1;
      known.activeMost = Math.max(known.activeMost, figures.active + figures.queued + inFlight);
      const load = loads.get(workerId);
      if (load !== undefined) {
        known.loads += 1;
        known.loadSum += load;
        known.loadMost = Math.max(known.loadMost, load);
      }
      this.figures.set(workerId, known);
    }
  }
}

/** An attempt a node ended because its worker was lost. */
function lostAttemptOf({ before, after }: TaskChange): { workerId: string; lostAt: number; taskId: string } | null {
  if (before.workerId === null || (before.state !== 'DISPATCHED' && before.state !== 'RUNNING')) return null;
  if (after.crashes === before.crashes && after.reason !== 'crash_retries_exhausted' && after.reason !== 'not_repeatable')
    return null;
  const last = parseTimeline(after.timeline).at(-1);
  if (!last?.actor.startsWith('node:')) return null;
  return { workerId: before.workerId, lostAt: last.at, taskId: after.id };
}
