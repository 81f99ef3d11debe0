import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Group } from '../jobs/group.js';
import { GroupsService } from '../jobs/groups.service.js';
import { SystemSettingsService } from '../jobs/system-settings.service.js';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { WorkersService } from '../registry/workers.service.js';
import { ClaimStore } from '../tasks/claim.store.js';
import { TaskNews } from '../tasks/task-news.js';
import { ClaimRaceError, ClaimsService } from './claims.service.js';
import { DueService } from './due.service.js';
import { OrdersService } from './orders.service.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';
import { Planner } from './planner.js';

const TICK_MS = 1_000;
const PARALLEL_PARTITIONS = 3;
const TICK_BUDGET_MS = 100;

/**
 * The tick: fires jobs, promotes what is due, then lets the groups of the partitions this node holds take turns claiming until nothing more
 * can start. It runs at once on news (a submit, a result, a worker with room) and at least every second, when it also looks for
 * work nobody told of.
 *
 * If the process dies anywhere here nothing is lost: what was not claimed is PENDING in the database, what was claimed is
 * DISPATCHED there, and the partition's next holder goes on with both.
 */
@Injectable()
export class Dispatcher {
  private readonly log = new Logger(Dispatcher.name);
  /** Groups that may have something to start. */
  private readonly ready = new Set<number>();
  /** Groups whose rate lets them go on at a monotonic instant. */
  private readonly later = new Map<number, number>();
  private lookAt = 0;
  private readonly loop = new Ticker(() => this.tick(), {
    everyMs: TICK_MS,
    onError: (error) => this.log.warn('tick not finished, trying again', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly store: ClaimStore,
    private readonly planner: Planner,
    private readonly due: DueService,
    private readonly claims: ClaimsService,
    private readonly orders: OrdersService,
    private readonly clock: Clock,
    private readonly scheduler: SchedulerRegistry,
    private readonly settings: SystemSettingsService,
    news: TaskNews,
  ) {
    news.onNews(({ groups }) => this.makeReady(groups));
    planner.onSooner(() => this.loop.wakeIn(planner.nextInMs()));
    partitions.onTaken(() => this.look());
    settings.onMaintenance(() => this.look());
    groups.onChange((changed) => this.makeReady(changed.map(({ id }) => id)));
  }

  start(): void {
    this.workers.onChange(({ kind, worker }) => {
      if (kind === 'free' || kind === 'registered' || kind === 'online') this.makeReady(this.groupsOf(worker.offer.groups));
    });
    this.loop.start();
    this.scheduler.addInterval(
      'dispatch-tick',
      setInterval(() => this.loop.wake(), TICK_MS),
    );
  }

  async stop(): Promise<void> {
    if (this.scheduler.doesExist('interval', 'dispatch-tick')) this.scheduler.deleteInterval('dispatch-tick');
    await this.loop.stop();
  }

  private groupsOf(keys: readonly string[]): number[] {
    return keys.flatMap((key) => this.groups.byKey(key)?.id ?? []);
  }

  private makeReady(groupIds: Iterable<number>): void {
    for (const id of groupIds) this.ready.add(id);
    this.loop.wake();
  }

  private look(): void {
    this.lookAt = 0;
    this.loop.wake();
  }

  private async tick(): Promise<void> {
    const held = this.partitions.held();
    if (held.length === 0) return;
    await this.planner.fireDue();
    await this.due.promoteDue();
    if (this.clock.monotonic() >= this.lookAt) {
      for (const id of await this.store.groupsWithWork(this.dialect.root, held)) this.ready.add(id);
      this.lookAt = this.clock.monotonic() + TICK_MS;
    }
    this.readyAgain();
    // What is ready then is found again by the look that follows the hold's end.
    if (this.settings.maintenance === null) await this.claimAll(new Set(held));
    this.loop.wakeIn(Math.min(this.planner.nextInMs(), this.due.nextInMs(), this.laterInMs()));
  }

  private readyAgain(): void {
    const now = this.clock.monotonic();
    for (const [id, at] of this.later) {
      if (at > now) continue;
      this.later.delete(id);
      this.ready.add(id);
    }
  }

  private laterInMs(): number {
    return Math.max(0, Math.min(...this.later.values()) - this.clock.monotonic());
  }

  /**
   * Partitions side by side, the groups of one partition in turn, one batch each, until none has more or the tick has taken long
   * enough: what is left goes on in the next one, after what fell due or became ready meanwhile.
   */
  private async claimAll(held: ReadonlySet<number>): Promise<void> {
    const byPartition = new Map<number, Group[]>();
    for (const id of this.ready) {
      const group = this.groups.byId(id);
      this.ready.delete(id);
      if (!group || !held.has(group.partition) || this.groups.isHeld(group)) continue;
      byPartition.set(group.partition, [...(byPartition.get(group.partition) ?? []), group]);
    }
    const queues = [...byPartition.values()];
    const until = this.clock.monotonic() + TICK_BUDGET_MS;
    // All of them end before the tick does, also when one fails: rounds must not overlap.
    const ended = await Promise.allSettled(
      Array.from({ length: Math.min(PARALLEL_PARTITIONS, queues.length) }, async () => {
        for (let queue = queues.shift(); queue; queue = queues.shift()) await this.takeTurns(queue, until);
      }),
    );
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  }

  private async takeTurns(queue: Group[], until: number): Promise<void> {
    for (let group = queue.shift(); group; group = queue.shift()) {
      if (this.clock.monotonic() > until) {
        this.makeReady([group.id]);
        continue;
      }
      try {
        const { orders, more, nextInMs } = await this.claims.claim(group);
        for (const { worker, tasks } of orders) this.orders.send(group.partition, worker, tasks);
        if (more) queue.push(group);
        if (nextInMs !== undefined) this.later.set(group.id, this.clock.monotonic() + nextInMs);
      } catch (error) {
        if (error instanceof PartitionLostError) return;
        if (error instanceof ClaimRaceError) queue.push(group);
        else throw error;
      }
    }
  }
}
