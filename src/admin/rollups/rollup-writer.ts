import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { Ticker } from '../../platform/ticker.js';
import { SqlDialect } from '../../ports.js';
import { LifecycleService } from '../../tasks/lifecycle.service.js';
import { TaskNews } from '../../tasks/task-news.js';
import { GroupFiguresStore } from '../groups/group-figures.store.js';
import { addEnd, addSkipped, noFigures, type RollupFigures, SPANS } from './rollup.js';
import { TaskRollupStore } from './task-rollup.store.js';

const EVERY_MS = 5_000;
const SAMPLE_MS = 15_000;

interface Open {
  spanMs: number;
  beginsAt: number;
  groupId: number;
  figures: RollupFigures;
  dirty: boolean;
}

/**
 * Keeps figures of what ends, by minute and by ten minutes, so that charts never count tasks. Ends are added up in memory and this
 * process's own rows written every five seconds. If it dies, what ended since is missing from the charts and from nothing else; if a
 * write fails, the next round writes the same rows as they are by then.
 */
@Injectable()
export class RollupWriter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('rollups');
  private readonly writer = newId('node');
  private readonly open = new Map<string, Open>();
  private sampledAt = Number.NEGATIVE_INFINITY;
  private readonly ticker = new Ticker(() => this.flush(), {
    everyMs: EVERY_MS,
    onError: (err) => this.logger.warn({ msg: 'figures not written, trying again', err }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskRollupStore,
    private readonly figures: GroupFiguresStore,
    private readonly groups: GroupsService,
    private readonly clock: Clock,
    lifecycle: LifecycleService,
    tasks: TaskNews,
  ) {
    lifecycle.onChanged((changes) => {
      const now = this.clock.now();
      for (const change of changes) for (const span of SPANS) addEnd(this.at(span, now, change.after.groupId).figures, change);
    });
    tasks.onSkipped((skipped) => {
      const now = this.clock.now();
      for (const { groupId } of skipped) for (const span of SPANS) addSkipped(this.at(span, now, groupId).figures);
    });
  }

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ticker.stop();
    await this.write().catch(() => {});
  }

  /** One round; also for tests. */
  async flush(): Promise<void> {
    if (this.clock.monotonic() - this.sampledAt >= SAMPLE_MS) await this.sample();
    await this.write();
  }

  /** The largest backlog of a span is what its chart shows. */
  private async sample(): Promise<void> {
    this.sampledAt = this.clock.monotonic();
    const ids = this.groups.all().map(({ id }) => id);
    if (ids.length === 0) return;
    const now = this.clock.now();
    for (const [groupId, { pending, oldestDueAt }] of await this.figures.of(this.dialect.root, ids)) {
      if (pending === 0) continue;
      const age = Math.max(0, now - (oldestDueAt ?? now));
      for (const span of SPANS) {
        const { figures } = this.at(span, now, groupId);
        figures.backlog = Math.max(figures.backlog ?? 0, pending);
        figures.oldestAgeMs = Math.max(figures.oldestAgeMs ?? 0, age);
      }
    }
  }

  private async write(): Promise<void> {
    const now = this.clock.now();
    for (const [key, entry] of this.open) {
      if (entry.dirty) {
        entry.dirty = false;
        try {
          await this.store.put(this.dialect.root, entry.spanMs, entry, this.writer);
        } catch (error) {
          entry.dirty = true;
          throw error;
        }
      }
      if (entry.beginsAt + entry.spanMs < now && !entry.dirty) this.open.delete(key);
    }
  }

  private at(spanMs: number, now: number, groupId: number): Open {
    const beginsAt = Math.floor(now / spanMs) * spanMs;
    const key = `${spanMs} ${beginsAt} ${groupId}`;
    let entry = this.open.get(key);
    if (!entry) {
      entry = { spanMs, beginsAt, groupId, figures: noFigures(), dirty: true };
      this.open.set(key, entry);
    }
    entry.dirty = true;
    return entry;
  }
}
