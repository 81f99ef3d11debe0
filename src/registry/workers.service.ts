import type { HealthAnswer, HeartbeatRequest } from '@evenkeel/sdk/contract';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { Ticker } from '../platform/ticker.js';
import { Signals } from '../ports.js';
import { inUse } from './admission.js';
import { FiguresShare } from './figures-share.js';
import type { KnownWorker } from './known-worker.js';
import type { SharedBeat } from './shared-worker.js';
import type { Drain, WorkerView } from './worker.js';
import { WorkerStore } from './worker.store.js';
import { WorkersView } from './workers-view.js';

const READ_EVERY_MS = 1000;
const READ_ALL_EVERY_MS = 30_000;
/** Orders long in flight are told again, because others forget them after 10 s. */
const TELL_AGAIN_MS = 3000;

/**
 * Keeps this node's view of all workers true.
 *
 * The `workers` table is the authority on which incarnation is registered and whether it is lost; figures, beats and orders in
 * flight travel as signals. Each node reads the rows that changed every second and all of them every 30 s, so without any signal
 * it is a second behind. While the database is away the view stays as it was, except for what is heard directly.
 */
@Injectable()
export class WorkersService extends WorkersView implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Workers');
  private readonly share: FiguresShare;
  private readonly reader = new Ticker(() => this.refresh(), {
    everyMs: READ_EVERY_MS,
    onError: (error) => this.onReadError(error),
  });
  private unsubscribe: () => void = () => undefined;
  private changedSeen = 0;
  private allReadAt = Number.NEGATIVE_INFINITY;
  private toldAgainAt = Number.NEGATIVE_INFINITY;
  private allWanted = true;
  private failing = false;
  private readable: number | null = null;

  constructor(
    clock: Clock,
    private readonly store: WorkerStore,
    signals: Signals,
  ) {
    super(clock);
    this.share = new FiguresShare(signals, newId('node'));
  }

  /** Whoever starts later finds a view, unless the database is away. */
  async onApplicationBootstrap(): Promise<void> {
    await this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  async start(): Promise<void> {
    this.unsubscribe = this.share.subscribe(
      (origin, told) =>
        this.change(this.current(told.workerId, told.incarnation), (worker) => worker.noteShared(origin, told), false),
      (workerIds) => void this.reread(workerIds).catch((error) => this.onReadError(error)),
    );
    await this.refresh().catch((error) => this.onReadError(error));
    this.reader.start();
  }

  async stop(): Promise<void> {
    this.unsubscribe();
    this.share.stop();
    await this.reader.stop();
  }

  /** Monotonic: since then the table has been readable without a break. Null while it is not. */
  get readableSince(): number | null {
    return this.readable;
  }

  /** One round of reading. It writes nothing, so nothing is left half done if the process ends anywhere in it. */
  async refresh(): Promise<void> {
    const startedAt = this.clock.monotonic();
    // All rows at start, every 30 s, and when a standing has to be verified; else only what changed.
    const all = this.allWanted || startedAt - this.allReadAt >= READ_ALL_EVERY_MS;
    this.allWanted = false;
    try {
      const rows = all ? await this.store.all() : await this.store.changedSince(this.changedSeen);
      for (const row of rows) this.changedSeen = Math.max(this.changedSeen, row.changedAt);
      if (all) {
        this.allReadAt = startedAt;
        this.adoptAll(rows, startedAt);
      } else this.adopt(rows, startedAt);
      this.readable ??= this.clock.monotonic();
      this.failing = false;
    } catch (error) {
      this.allWanted ||= all;
      this.readable = null;
      throw error;
    }
    // Absolute numbers: a message that is lost, or sent twice by a node that restarts, misleads nobody for more than 10 s.
    if (startedAt - this.toldAgainAt < TELL_AGAIN_MS) return;
    this.toldAgainAt = startedAt;
    for (const worker of this.known()) if (worker.ordersOfThisNode > 0) this.share.touch(worker);
  }

  /** Reads these workers now; resolves when the view has them. */
  async reread(workerIds: readonly string[]): Promise<void> {
    const startedAt = this.clock.monotonic();
    this.adoptThese(workerIds, await this.store.byIds(workerIds), startedAt);
  }

  /** This node wrote the worker's row: here at once, elsewhere by signal. */
  async rowWritten(workerId: string): Promise<void> {
    this.share.rowsChanged([workerId]);
    await this.reread([workerId]);
  }

  /**
   * The worker if this incarnation is the registered one and the key its own. Throws `not_found` (it must register again) if no
   * such worker is on record or it is not this key's, `worker_id_in_use` if another incarnation is registered.
   */
  async owned(workerId: string, incarnation: string, accessKey: string): Promise<KnownWorker> {
    const isPresent = (worker: KnownWorker | undefined): worker is KnownWorker =>
      worker?.accessKey === accessKey && worker.storedState !== 'gone';
    const known = this.current(workerId, incarnation);
    if (isPresent(known)) return known;
    // It may have registered on another node a moment ago.
    await this.reread([workerId]);
    const worker = this.find(workerId);
    if (!isPresent(worker)) throw new AppError('not_found', 'no such worker is registered with this key: register again');
    if (worker.incarnation !== incarnation) throw inUse(workerId);
    return worker;
  }

  /** Whether the key may speak for the worker in whatever incarnation: results of an earlier life are results too. */
  async ownsWorker(workerId: string, accessKey: string): Promise<boolean> {
    if (this.find(workerId)?.accessKey === accessKey) return true;
    await this.reread([workerId]);
    return this.find(workerId)?.accessKey === accessKey;
  }

  /** False for a beat that is not newer than the last one. */
  noteBeat(worker: KnownWorker, beat: HeartbeatRequest, skewMs: number): boolean {
    let newer = false;
    this.change(worker, () => {
      newer = worker.noteBeat(beat, skewMs);
    });
    if (newer) this.share.touch(worker, sharedBeat(beat));
    return newer;
  }

  /** It lives, whatever it said. */
  noteHeard(worker: KnownWorker): void {
    this.change(worker, () => worker.heard());
  }

  /** A silent worker answered a probe that was sent when `seqBefore` was its highest report. It stays suspect; its attempts stay. */
  noteHealth(worker: WorkerView, health: HealthAnswer, seqBefore: number): void {
    const known = this.current(worker.workerId, worker.incarnation);
    if (!known) return;
    const seq = known.noteProbed(seqBefore, health.attempts);
    this.share.touch(known, sharedBeat({ ...known.figures, ...health, seq }));
  }

  /** Three beats are missing. */
  noteSuspect(worker: WorkerView): void {
    this.change(this.current(worker.workerId, worker.incarnation), (known) => {
      known.suspect = true;
    });
  }

  /** Lost, unless a beat won the race: then false. */
  async declareOffline(worker: WorkerView): Promise<boolean> {
    const lost = await this.store.markOffline(worker.workerId, worker.incarnation, worker.lastBeatAt);
    if (lost) this.logger.warn('worker offline', { worker: worker.workerId, incarnation: worker.incarnation });
    await this.rowWritten(worker.workerId);
    return lost;
  }

  /** No more orders until `undrain`, for later incarnations too, whatever the worker itself makes of it. False if there is no such worker. */
  drain(workerId: string, { reason = null, by = null, deadlineAt = null }: Partial<Omit<Drain, 'at'>> = {}): Promise<boolean> {
    return this.setDrain(workerId, { reason, by, deadlineAt, at: Math.round(this.clock.now()) });
  }

  undrain(workerId: string): Promise<boolean> {
    return this.setDrain(workerId, null);
  }

  /**
   * No more orders for this incarnation until it registers again: at once here, elsewhere when the row was written. Never rejects:
   * if the row cannot be written, the next order that fails alike tries again.
   */
  async suspend(workerId: string, incarnation: string, reason: string): Promise<void> {
    const worker = this.current(workerId, incarnation);
    if (!worker || worker.suspended) return;
    this.change(worker, () => worker.noteBusy());
    this.logger.error('worker suspended', { worker: workerId, incarnation, reason });
    const offer = { ...worker.offer, suspended: { reason, at: this.clock.now() } };
    try {
      if (await this.store.saveOffer(workerId, incarnation, worker.registeredAt, offer)) await this.rowWritten(workerId);
    } catch (error) {
      this.logger.error('suspension could not be written', { worker: workerId, error });
    }
  }

  private async setDrain(workerId: string, drain: Drain | null): Promise<boolean> {
    const found = await this.store.setDrain(workerId, drain);
    if (found) await this.rowWritten(workerId);
    return found;
  }

  protected override wantFullRead(): void {
    this.allWanted = true;
    this.reader.wake();
  }

  protected override touched(worker: KnownWorker): void {
    this.share.touch(worker);
  }

  protected override onListenerError(error: unknown): void {
    this.logger.error('a listener of worker changes failed', { error });
  }

  private onReadError(error: unknown): void {
    if (!this.failing) this.logger.warn('workers cannot be read', { error });
    this.failing = true;
  }
}

function sharedBeat(beat: SharedBeat): SharedBeat {
  const { seq, state, avgCostMs, cpuIdlePercent, attempts } = beat;
  return { seq, state, avgCostMs, cpuIdlePercent, attempts: attempts.map(({ taskId, lease }) => ({ taskId, lease })) };
}
