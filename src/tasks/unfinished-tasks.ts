import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { GroupsService } from '../jobs/groups.service.js';
import { Clock } from '../platform/clock.js';
import { SparingTicker } from '../platform/sparing-ticker.js';
import { SqlDialect } from '../ports.js';
import { UnfinishedTasksStore } from './unfinished-tasks.store.js';

const COUNT_MS = 2_000;
/** Groups counted by one statement. */
const TOGETHER = 50;

/**
 * How many tasks of each app have not ended, counted every two seconds by each node and never for a submit: so what arrives between
 * two counts may overrun a limit. As long as all groups together hold less than the smallest limit asked about, entries of an index are counted and nothing else.
 * What takes long is counted the more rarely, at most a fiftieth of the time. A count that fails leaves the last one standing.
 */
@Injectable()
export class UnfinishedTasks implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(UnfinishedTasks.name);
  /** Limits as they were asked about last, by app. */
  private readonly limits = new Map<number, number>();
  private counts: ReadonlyMap<number, number> = new Map();
  private readonly loop: SparingTicker;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: UnfinishedTasksStore,
    private readonly groups: GroupsService,
    clock: Clock,
  ) {
    this.loop = new SparingTicker(() => this.count(), clock, {
      everyMs: COUNT_MS,
      onError: (error) => this.log.warn('unfinished tasks not counted, keeping the last count', { err: error }),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Whether the app had so many at the last count. */
  reached(appId: number, limit: number): boolean {
    this.limits.set(appId, limit);
    return (this.counts.get(appId) ?? 0) >= limit;
  }

  /** Apps that have submitted since this node started, with what they have and may have: for whoever warns before a limit is reached. */
  shares(): { appId: number; unfinished: number; limit: number }[] {
    return [...this.limits].map(([appId, limit]) => ({ appId, limit, unfinished: this.counts.get(appId) ?? 0 }));
  }

  /** Counts now. */
  async count(): Promise<void> {
    if (this.limits.size === 0) return;
    const ids = this.groups.all().map(({ id }) => id);
    const smallest = Math.min(...this.limits.values());
    const largest = Math.max(...this.limits.values());
    let all = 0;
    for (let i = 0; i < ids.length && all < smallest; i += TOGETHER)
      all += await this.store.countOf(this.dialect.root, ids.slice(i, i + TOGETHER), smallest);
    const counts = new Map<number, number>();
    if (all >= smallest)
      for (const id of ids)
        for (const { appId, tasks } of await this.store.byApp(this.dialect.root, id, 2 * largest))
          counts.set(appId, (counts.get(appId) ?? 0) + tasks);
    this.counts = counts;
  }
}
