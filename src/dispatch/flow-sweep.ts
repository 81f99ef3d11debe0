import { Injectable, Logger } from '@nestjs/common';
import { groupedBy } from '../decisions/grouped.js';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { Consequences } from '../tasks/consequences.js';
import { FlowStore } from '../tasks/flow.store.js';
import { Flows } from '../tasks/flows.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';

const SWEEP_MS = 5_000;
const BATCH = 500;
/** Waiting tasks looked at in one sweep; with more, the next one goes on where this ended. */
const BATCHES = 4;

/**
 * Looks every five seconds again at tasks that wait for upstreams, in the partitions this node holds. What it finds is what nobody
 * told: an upstream that a node of an earlier version ended, an upstream job that was paused, changed or deleted and so fires no
 * more in the period, the wait of a task that was cancelled. Every look starts from the rows, so one that was interrupted is repeated.
 */
@Injectable()
export class FlowSweep {
  private readonly log = new Logger(FlowSweep.name);
  private after = '';
  private readonly loop = new Ticker(() => this.sweep(), {
    everyMs: SWEEP_MS,
    onError: (error) => this.log.warn('waiting tasks not swept, trying again', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly store: FlowStore,
    private readonly flows: Flows,
    private readonly consequences: Consequences,
    private readonly lifecycle: LifecycleService,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
  }

  async sweep(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    for (let batch = 0; batch < BATCHES; batch++) {
      const waiting = await this.store.waitingIn(this.dialect.root, held, this.after, BATCH);
      for (const [partition, tasks] of groupedBy(waiting, (task) => task.partition))
        await this.review(
          partition,
          tasks.map(({ id }) => id),
        );
      this.after = waiting.length === BATCH ? (waiting.at(-1)?.id ?? '') : '';
      if (this.after === '') return;
    }
  }

  private async review(partition: number, ids: string[]): Promise<void> {
    const actor = `node:${this.partitions.node}`;
    try {
      const changes = await this.partitions.within(partition, async (tx) => {
        const now = this.clock.now();
        const decided = await this.flows.decide(tx, ids, now, actor);
        return this.consequences.follow(tx, decided.changes, now, actor);
      });
      this.lifecycle.announce(changes);
    } catch (error) {
      if (!(error instanceof PartitionLostError)) throw error;
    }
  }
}
