import { hostname } from 'node:os';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { fairShare, PARTITION_COUNT } from '../decisions/partitioning.js';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';
import { Ticker } from '../platform/ticker.js';
import { type HeldLease, Lease, RateLimiter, Signals, type Sql, SqlDialect } from '../ports.js';
import { Epochs } from './epochs.js';
import { type PartitionRow, PartitionStore } from './partition.store.js';

const TTL_MS = 10_000;
const RENEW_MS = 3_000;
/** A holder stops this long before its row can have ended. */
const SAFETY_MS = 2_000;
const NODE_ALIVE_MS = 10_000;
/** One worker that answers every order with a later epoch than it was given must not keep a partition busy with itself. */
const RAISE_EVERY_MS = 1_000;
const FREED = 'partitions.freed';

interface Holding {
  partition: number;
  epoch: number;
  /** Monotonic instant after which this node must not act on it. */
  validUntil: number;
  courtesy: HeldLease | null;
  /** Monotonic instant of the last time a worker's word lifted the epoch. */
  raisedAt?: number;
}

/** The partition is no longer this node's: what was under way is rolled back and the new holder takes it up. */
export class PartitionLostError extends Error {
  constructor(readonly partition: number) {
    super(`partition ${partition} is no longer held by this node`);
    this.name = 'PartitionLostError';
  }
}

/**
 * Which partitions this node dispatches. The authority is the partition's row: holder, epoch, expiry by the database's clock. A
 * Redlock lease per partition decides who *tries* to take one, so that nodes do not contend; without Redis the row alone serves.
 *
 * Every write a holder makes runs in `within`, which locks the row and checks that holder and epoch are still its own. So a node
 * that was frozen past its lease, or whose clock is wrong, changes nothing: its transaction finds another epoch and rolls back.
 * If the process dies anywhere in here, its rows end by themselves after ten seconds and another node takes them, one epoch on.
 */
@Injectable()
export class PartitionsService extends Epochs implements OnApplicationBootstrap {
  private readonly log = new Logger(PartitionsService.name);
  private readonly holdings = new Map<number, Holding>();
  private readonly epochs: Record<string, number> = {};
  private readonly takenListeners: ((partition: number) => void)[] = [];
  private leaving = false;
  private roundEndedAt = Number.NEGATIVE_INFINITY;
  private readonly startedAt = Date.now();
  private readonly loop = new Ticker(() => this.round(), {
    everyMs: RENEW_MS,
    onError: (error) => this.log.warn('partitions not renewed, trying again', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: PartitionStore,
    private readonly lease: Lease,
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly rateLimiter: RateLimiter,
  ) {
    super();
    signals.subscribe(FREED, () => this.loop.wake());
  }

  async onApplicationBootstrap(): Promise<void> {
    // One process owns an embedded database (its lock file says so): whoever held a partition before is gone.
    if (this.config.mode === 'embedded') await this.store.freeAll(this.dialect.root);
    this.loop.start();
  }

  get node(): string {
    return this.config.nodeId;
  }

  /** Numbers of the partitions this node may act on right now. */
  held(): number[] {
    const now = this.clock.monotonic();
    return [...this.holdings.values()].filter((holding) => holding.validUntil > now).map((holding) => holding.partition);
  }

  /** A round has succeeded lately: what can be held is held, and the database answers. A node on its way out is not current. */
  isCurrent(): boolean {
    return !this.leaving && this.clock.monotonic() - this.roundEndedAt < TTL_MS;
  }

  epochOf(partition: number): number | undefined {
    const holding = this.holdings.get(partition);
    return holding && holding.validUntil > this.clock.monotonic() ? holding.epoch : undefined;
  }

  /** Highest epoch known of each partition, for workers to refuse older holders by. */
  override known(): Record<string, number> {
    return { ...this.epochs };
  }

  /** Called with each partition as soon as this node has taken it. */
  onTaken(listener: (partition: number) => void): void {
    this.takenListeners.push(listener);
  }

  /** Runs `work` in one transaction in which the partition provably is this node's; throws PartitionLostError otherwise. */
  async within<T>(partition: number, work: (tx: Sql, epoch: number) => Promise<T>): Promise<T> {
    const epoch = this.epochOf(partition);
    if (epoch === undefined) throw new PartitionLostError(partition);
    return this.dialect.transaction(async (tx) => {
      const row = await this.store.lock(tx, partition);
      if (!row || row.holder !== this.node || row.epoch !== epoch) {
        this.drop(partition);
        throw new PartitionLostError(partition);
      }
      return work(tx, epoch);
    });
  }

  /**
   * A worker refused an order because it has seen a later epoch. If the row is still this node's, the row is behind (a restored
   * dump) and is lifted above; if not, the partition is dropped. At most once a second: an order that is refused so meanwhile stays
   * DISPATCHED, and recovery sends it again.
   */
  async challenged(partition: number, epoch: number, seenEpoch: number): Promise<void> {
    const holding = this.holdings.get(partition);
    if (!holding || holding.epoch !== epoch || seenEpoch < epoch) return;
    const now = this.clock.monotonic();
    if (holding.raisedAt !== undefined && now - holding.raisedAt < RAISE_EVERY_MS) return;
    holding.raisedAt = now;
    if (await this.store.raiseEpoch(this.dialect.root, partition, this.node, epoch, seenEpoch)) {
      holding.epoch = seenEpoch + 1;
      this.epochs[partition] = holding.epoch;
      this.log.warn('partition epoch was behind a worker and was raised', { partition, epoch: holding.epoch });
      for (const listener of this.takenListeners) listener(partition);
    } else this.drop(partition);
  }

  /** Gives every partition up at once, so that another node has it within the second. Call after dispatching has stopped. */
  async handOver(): Promise<void> {
    this.leaving = true;
    await this.loop.stop();
    for (const holding of [...this.holdings.values()]) await this.giveUp(holding).catch(() => {});
    await this.store.leave(this.dialect.root, this.node).catch(() => {});
    this.signals.publish(FREED, { by: this.node });
  }

  private async round(): Promise<void> {
    const sql = this.dialect.root;
    const askedAt = this.clock.monotonic();
    await this.store.beat(sql, this.node, hostname(), this.startedAt);
    const mine = [...this.holdings.keys()];
    if (mine.length > 0) await this.store.renew(sql, this.node, mine, TTL_MS);
    let rows = await this.store.all(sql);
    if (rows.length < PARTITION_COUNT) {
      await this.store.seed(
        sql,
        rows.map((row) => row.partition_no),
      );
      rows = await this.store.all(sql);
    }
    this.refresh(rows, askedAt);
    if (this.leaving) return;
    const nodes = await this.store.liveNodes(sql, NODE_ALIVE_MS);
    this.rateLimiter.divideAmong(nodes.length);
    const share = fairShare(nodes, this.node);
    await this.shed(share, nodes);
    await this.acquire(rows, share);
    this.roundEndedAt = this.clock.monotonic();
  }

  /** Believes the rows: what they no longer give this node is dropped, what they give it anew (a restart under the same id) is not. */
  private refresh(rows: PartitionRow[], askedAt: number): void {
    for (const row of rows) {
      this.epochs[row.partition_no] = Math.max(this.epochs[row.partition_no] ?? 0, row.epoch);
      const holding = this.holdings.get(row.partition_no);
      if (!holding) continue;
      if (row.holder !== this.node || row.epoch !== holding.epoch) this.drop(row.partition_no);
      else {
        holding.validUntil = askedAt + Math.min(Number(row.left_ms), TTL_MS) - SAFETY_MS;
        void holding.courtesy?.extend(TTL_MS).catch(() => {});
      }
    }
  }

  private async shed(share: number, nodes: string[]): Promise<void> {
    const excess = this.holdings.size - share;
    if (excess <= 0 || nodes.length < 2) return;
    const surplus = [...this.holdings.values()].slice(-excess);
    for (const holding of surplus) await this.giveUp(holding);
    this.log.log('partitions given up for another node', {
      partitions: surplus.map(({ partition }) => partition),
      held: this.holdings.size,
    });
    this.signals.publish(FREED, { by: this.node });
  }

  private async acquire(rows: PartitionRow[], share: number): Promise<void> {
    const free = rows.filter((row) => !this.holdings.has(row.partition_no) && (row.holder === null || Number(row.left_ms) < 0));
    const taken: number[] = [];
    for (const row of free) {
      if (this.holdings.size >= share) break;
      if (await this.take(row.partition_no)) taken.push(row.partition_no);
    }
    if (taken.length > 0) this.log.log('partitions taken', { partitions: taken, held: this.holdings.size });
  }

  private async take(partition: number): Promise<boolean> {
    const courtesy = await this.lease.acquire(`partition:${partition}`, TTL_MS).catch(() => undefined);
    if (courtesy === null) return false;
    const askedAt = this.clock.monotonic();
    if (!(await this.store.take(this.dialect.root, partition, this.node, TTL_MS))) {
      await courtesy?.release().catch(() => {});
      return false;
    }
    const row = (await this.store.all(this.dialect.root)).find((candidate) => candidate.partition_no === partition);
    if (row?.holder !== this.node) return false;
    this.holdings.set(partition, {
      partition,
      epoch: row.epoch,
      validUntil: askedAt + TTL_MS - SAFETY_MS,
      courtesy: courtesy ?? null,
    });
    this.epochs[partition] = row.epoch;
    for (const listener of this.takenListeners) listener(partition);
    return true;
  }

  private async giveUp(holding: Holding): Promise<void> {
    this.holdings.delete(holding.partition);
    await this.store.release(this.dialect.root, holding.partition, this.node, holding.epoch);
    await holding.courtesy?.release().catch(() => {});
  }

  private drop(partition: number): void {
    const holding = this.holdings.get(partition);
    if (!holding) return;
    this.holdings.delete(partition);
    void holding.courtesy?.release().catch(() => {});
    this.log.warn('partition lost', { partition, epoch: holding.epoch });
  }
}
