import { Injectable, Logger } from '@nestjs/common';
import { stopReason } from '../decisions/shards.js';
import type { Group } from '../jobs/group.js';
import { GroupsService } from '../jobs/groups.service.js';
import { SystemSettingsService } from '../jobs/system-settings.service.js';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { WorkersService } from '../registry/workers.service.js';
import { Consequences } from '../tasks/consequences.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { ShardStore } from '../tasks/shard.store.js';
import { ShardRollup } from '../tasks/shard-rollup.js';
import { ShardSplits } from '../tasks/shard-splits.js';
import { hasShards, type TaskRecord } from '../tasks/task.js';
import { TaskStore } from '../tasks/task.store.js';
import { TaskNews } from '../tasks/task-news.js';
import { TasksService } from '../tasks/tasks.service.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';

const LOOK_MS = 1_000;
const SWEEP_MS = 5_000;
/** Tasks of one group divided before the next group has its turn. */
const BATCH = 100;

/**
 * Divides tasks into their shards when they are due, and stops the shards of those that were cancelled or must not go on, in the
 * partitions this node holds. At once on news, and every second it also looks for what nobody told of.
 *
 * If the process dies before the transaction of a split commits, the task is PENDING and the next holder divides it; after it, all
 * shards are there and are picked like any tasks. If it dies while shards are being stopped, or before a task's end was written
 * (only a node that knew of no shards can leave that), the sweep of the next holder goes on from the rows. A task that cannot be
 * divided harms no other: it is logged and tried again at the next look.
 */
@Injectable()
export class Splitter {
  private readonly log = new Logger(Splitter.name);
  private readonly told = new Set<string>();
  /** By group: how many at its head could not be divided, so that broadcasts nobody may take hold up none behind them. */
  private readonly passed = new Map<number, number>();
  private lookAt = 0;
  private sweepAt = 0;
  private readonly loop = new Ticker(() => this.round(), {
    everyMs: LOOK_MS,
    onError: (error) => this.log.warn('tasks not divided, trying again', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly store: TaskStore,
    private readonly shards: ShardStore,
    private readonly splits: ShardSplits,
    private readonly rollup: ShardRollup,
    private readonly consequences: Consequences,
    private readonly lifecycle: LifecycleService,
    private readonly tasks: TasksService,
    private readonly clock: Clock,
    private readonly settings: SystemSettingsService,
    news: TaskNews,
  ) {
    news.onNews(({ parents = [] }) => {
      for (const { id, partition } of parents) if (this.partitions.epochOf(partition) !== undefined) this.told.add(id);
      if (this.told.size > 0) this.loop.wake();
    });
    partitions.onTaken(() => this.lookNow());
  }

  start(): void {
    this.workers.onChange(({ kind }) => {
      if (kind === 'registered' || kind === 'online') this.lookNow();
    });
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
  }

  private lookNow(): void {
    this.lookAt = 0;
    this.loop.wake();
  }

  private async round(): Promise<void> {
    const told = [...this.told];
    this.told.clear();
    for (const id of told) await this.attend(id);
    const held = this.partitions.held();
    if (held.length === 0) return;
    const now = this.clock.monotonic();
    if (now >= this.lookAt) {
      this.lookAt = now + LOOK_MS;
      for (const id of await this.shards.groupsToSplit(this.dialect.root, held)) await this.splitGroup(this.groups.byId(id));
    }
    if (now >= this.sweepAt) {
      this.sweepAt = now + SWEEP_MS;
      await this.sweep(new Set(held));
    }
  }

  private async splitGroup(group: Group | undefined): Promise<void> {
    if (!group || this.isHeld(group)) return;
    const served = this.workers.handlersOf(group.key);
    const passed = this.passed.get(group.id) ?? 0;
    const ids = await this.shards.toSplit(this.dialect.root, group.id, served, BATCH, passed);
    let split = 0;
    for (const id of ids) if (await this.attend(id)) split += 1;
    const more = ids.length === BATCH;
    this.passed.set(group.id, more ? passed + ids.length - split : 0);
    // More of them wait; but if none could be divided, there is time until the next look.
    if (more && split > 0) this.lookNow();
  }

  private async sweep(held: ReadonlySet<number>): Promise<void> {
    const groupIds = this.groups
      .all()
      .filter(({ partition }) => held.has(partition))
      .map(({ id }) => id);
    for (const { id } of await this.shards.toReview(this.dialect.root, groupIds)) await this.attend(id);
  }

  /** True if it was divided. */
  private async attend(id: string): Promise<boolean> {
    try {
      const parent = await this.store.find(this.dialect.root, id);
      if (!parent || !hasShards(parent)) return false;
      if (parent.state === 'PENDING') return await this.split(parent);
      if (parent.state === 'RUNNING') await this.review(parent);
    } catch (error) {
      if (error instanceof PartitionLostError) return false;
      if (this.dialect.isUnavailable(error)) throw error;
      this.log.error('task not divided, trying again', { taskId: id, err: error });
    }
    return false;
  }

  private async split({ id, groupId, partition, handler, options }: TaskRecord): Promise<boolean> {
    const group = this.groups.byId(groupId);
    if (!group || this.isHeld(group)) return false;
    const eligible = this.workers.eligible(group.key, handler, options);
    const workers = eligible.map(({ workerId, offer }) => ({ workerId, weight: offer.weight }));
    const changes = await this.partitions.within(partition, (tx) =>
      this.splits.split(tx, id, workers, this.clock.now(), this.actor),
    );
    this.lifecycle.announce(changes);
    return changes.length > 0;
  }

  /** Stops shards that must not go on, and writes an end that nobody wrote. */
  private async review({ id, partition, cancelAskedAt, options }: TaskRecord): Promise<void> {
    const counts = (await this.shards.countsOf(this.dialect.root, [id])).get(id) ?? {};
    const facts = { cancelAsked: cancelAskedAt !== null, stopOnFailure: options.onShardFailure === 'stop', counts };
    const reason = stopReason(facts);
    if (reason) await this.tasks.stopShards(id, reason, this.actor);
    if (!(await this.shards.allEnded(this.dialect.root, [id])).has(id)) return;
    const changes = await this.partitions.within(partition, async (tx) => {
      const now = this.clock.now();
      return this.consequences.follow(tx, await this.rollup.review(tx, [id], now, this.actor), now, this.actor);
    });
    this.lifecycle.announce(changes);
  }

  private isHeld(group: Group): boolean {
    return this.settings.maintenance !== null || this.groups.isHeld(group);
  }

  private get actor(): string {
    return `node:${this.partitions.node}`;
  }
}
