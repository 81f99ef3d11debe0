import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { KeyNews } from '../../auth/key-news.js';
import { DeliveryNews } from '../../callbacks/delivery-news.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { Ticker } from '../../platform/ticker.js';
import { SqlDialect } from '../../ports.js';
import { LifecycleService } from '../../tasks/lifecycle.service.js';
import { TaskNews } from '../../tasks/task-news.js';
import { GroupFiguresStore } from '../groups/group-figures.store.js';
import { EndpointRollupStore } from './endpoint-rollup.store.js';
import { KeyRollupStore } from './key-rollup.store.js';
import { beginOf, OpenSpans } from './open-spans.js';
import {
  type AttemptFigures,
  addAttempt,
  addEnd,
  addSkipped,
  HOUR,
  noAttempts,
  noFigures,
  noRequests,
  type RequestFigures,
  type RollupFigures,
  SPANS,
} from './rollup.js';
import { TaskRollupStore } from './task-rollup.store.js';

const EVERY_MS = 5_000;
const SAMPLE_MS = 15_000;

/**
 * Keeps figures of what ends, by minute and by ten minutes, and of attempts at endpoints and requests of keys by the hour, so that
 * charts and lists never count them. They are added up in memory and this process's own rows written every five seconds. If it dies, what
 * ended since is missing from the charts and from nothing else; if a write fails, the next round writes the same rows as they are by
 * then.
 */
@Injectable()
export class RollupWriter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('rollups');
  private readonly writer = newId('node');
  private readonly ends = new OpenSpans<number, RollupFigures>(noFigures);
  private readonly attempts = new OpenSpans<string, AttemptFigures>(noAttempts);
  private readonly requests = new OpenSpans<string, RequestFigures>(noRequests);
  private sampledAt = Number.NEGATIVE_INFINITY;
  /** When the last sample was taken, by the clock that spans are of. */
  private sampleOf = Number.NEGATIVE_INFINITY;
  private readonly ticker = new Ticker(() => this.flush(), {
    everyMs: EVERY_MS,
    onError: (err) => this.logger.warn({ msg: 'figures not written, trying again', err }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskRollupStore,
    private readonly endpoints: EndpointRollupStore,
    private readonly keyRollups: KeyRollupStore,
    private readonly figures: GroupFiguresStore,
    private readonly groups: GroupsService,
    private readonly clock: Clock,
    lifecycle: LifecycleService,
    tasks: TaskNews,
    deliveries: DeliveryNews,
    keys: KeyNews,
  ) {
    lifecycle.onChanged((changes) => {
      for (const change of changes) for (const figures of this.of(change.after.groupId)) addEnd(figures, change);
    });
    tasks.onSkipped((skipped) => {
      for (const { groupId } of skipped) for (const figures of this.of(groupId)) addSkipped(figures);
    });
    deliveries.onAttempt(({ endpointId, ...attempt }) => {
      if (endpointId !== null) addAttempt(this.attempts.at(HOUR, this.clock.now(), endpointId), attempt);
    });
    keys.onUsed(({ accessKey, requests, failed }) => {
      const figures = this.requests.at(HOUR, this.clock.now(), accessKey);
      figures.requests += requests;
      figures.failed += failed;
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

  /** The largest sample of a span is what its chart shows. */
  private async sample(): Promise<void> {
    this.sampledAt = this.clock.monotonic();
    const ids = this.groups.all().map(({ id }) => id);
    if (ids.length === 0) return;
    const sampled = await this.figures.of(this.dialect.root, ids);
    const now = this.clock.now();
    this.sampleOf = now;
    for (const [groupId, { pending, running, oldestDueAt }] of sampled) {
      // An idle group has a row only of spans in which something ended.
      const idle = pending === 0 && running === 0;
      const age = Math.max(0, now - (oldestDueAt ?? now));
      for (const figures of idle ? this.known(groupId, now) : this.of(groupId, now)) {
        figures.running = Math.max(figures.running ?? 0, running);
        figures.backlog = Math.max(figures.backlog ?? 0, pending);
        if (pending > 0) figures.oldestAgeMs = Math.max(figures.oldestAgeMs ?? 0, age);
      }
    }
  }

  private async write(): Promise<void> {
    const { root } = this.dialect;
    const now = this.clock.now();
    await this.ends.write(now, ({ spanMs, beginsAt, of: groupId, figures }) =>
      this.store.put(root, spanMs, { beginsAt, groupId, figures }, this.writer),
    );
    await this.attempts.write(now, ({ beginsAt, of: endpointId, figures }) =>
      this.endpoints.put(root, endpointId, beginsAt, figures, this.writer),
    );
    await this.requests.write(now, ({ beginsAt, of: accessKey, figures }) =>
      this.keyRollups.put(root, accessKey, beginsAt, figures, this.writer),
    );
  }

  /** The figures of the group in every length of span that holds now. A span that was sampled before it had any was idle until then. */
  private of(groupId: number, now = this.clock.now()): RollupFigures[] {
    return SPANS.map((span) => {
      const figures = this.ends.at(span, now, groupId);
      if (this.sampleOf >= beginOf(span, now)) {
        figures.running ??= 0;
        figures.backlog ??= 0;
      }
      return figures;
    });
  }

  private known(groupId: number, now: number): RollupFigures[] {
    return SPANS.map((span) => this.ends.known(span, now, groupId)).filter((figures) => figures !== undefined);
  }
}
