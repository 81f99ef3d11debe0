import { Injectable, Logger } from '@nestjs/common';
import { JobNews } from '../jobs/job-news.js';
import { Clock } from '../platform/clock.js';
import { slices } from '../platform/slices.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { Consequences } from '../tasks/consequences.js';
import { FlowStore } from '../tasks/flow.store.js';
import { Flows } from '../tasks/flows.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { PartitionsService } from './partitions.service.js';
import { type Reviewed, reviewByPartition } from './reviews.js';

const SWEEP_MS = 5_000;
const BATCH = 500;
/** Waiting tasks looked at in one sweep; with more, the next one goes on where this ended. */
const BATCHES = 4;

/**
 * Looks every five seconds again at tasks that wait for upstreams, in the partitions this node holds. What it finds is what nobody
 * told: an upstream that a node of an earlier version ended, an upstream job that was paused, changed or deleted and so fires no
 * more in the period, the wait of a task that was cancelled. Every look starts from the rows, so one that was interrupted is repeated.
 *
 * What waits of or for a job that was just changed is looked at at once. If a process dies before that, or the news is lost, the
 * next sweep is the look.
 */
@Injectable()
export class FlowSweep {
  private readonly log = new Logger(FlowSweep.name);
  private after = '';
  private readonly loop = new Ticker(() => this.sweep(), {
    everyMs: SWEEP_MS,
    onError: (error) => this.log.warn('waiting tasks not swept, trying again', { err: error }),
  });

  private readonly told = new Set<string>();
  private readonly changes = new Ticker(() => this.lookAtChanged(), {
    everyMs: SWEEP_MS,
    onError: (error) => this.log.warn('waits about changed jobs not looked at, the sweep will', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly store: FlowStore,
    private readonly flows: Flows,
    private readonly consequences: Consequences,
    private readonly lifecycle: LifecycleService,
    private readonly clock: Clock,
    news: JobNews,
  ) {
    news.onChanged(({ id }) => {
      this.told.add(id);
      this.changes.wake();
    });
  }

  start(): void {
    this.loop.start();
    this.changes.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.loop.stop(), this.changes.stop()]);
  }

  async sweep(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    for (let batch = 0; batch < BATCHES; batch++) {
      const waiting = await this.store.waitingIn(this.dialect.root, held, this.after, BATCH);
      await this.reviewAll(waiting);
      this.after = waiting.length === BATCH ? (waiting.at(-1)?.id ?? '') : '';
      if (this.after === '') return;
    }
  }

  private async lookAtChanged(): Promise<void> {
    const held = new Set(this.partitions.held());
    const jobs = [...this.told];
    this.told.clear();
    for (const some of slices(jobs, BATCH)) {
      const about = await this.store.waitingAbout(this.dialect.root, some);
      await this.reviewAll(about.filter(({ partition }) => held.has(partition)));
    }
  }

  private reviewAll(waiting: readonly Reviewed[]): Promise<void> {
    const look = (partition: number, ids: string[]) => this.review(partition, ids);
    return reviewByPartition(this.dialect, waiting, BATCH, look, (taskId, err) =>
      this.log.warn('waiting task not looked at, the next sweep tries again', { taskId, err }),
    );
  }

  private async review(partition: number, ids: string[]): Promise<void> {
    const actor = `node:${this.partitions.node}`;
    const changes = await this.partitions.within(partition, async (tx) => {
      const now = this.clock.now();
      const decided = await this.flows.decide(tx, ids, now, actor);
      return this.consequences.follow(tx, decided.changes, now, actor);
    });
    this.lifecycle.announce(changes);
  }
}
