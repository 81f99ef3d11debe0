import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import type { KnownWorker } from './known-worker.js';
import { BEAT_MS, SUSPECT_AFTER_MS } from './worker.js';
import { WorkerStore } from './worker.store.js';
import { WorkerProbe } from './worker-probe.js';
import { WorkersService } from './workers.service.js';

/** Four beats missed: ask it. */
const PROBE_AFTER_MS = 4 * BEAT_MS;
const PROBE_EVERY_MS = 5000;
const PROBE_TIMEOUT_MS = 3000;
const PROBES_AT_ONCE = 32;
/** After the start, a return of the database, or a freeze of this process, the beats of this long may be missing for no fault of workers. */
const GRACE_MS = 20_000;
/** Rounds come every second; a longer gap means that this process stood still. */
const FREEZE_MS = 5000;
const FORGET_EVERY_MS = 3_600_000;
const FORGET_AFTER_MS = 7 * 24 * FORGET_EVERY_MS;

/**
 * Judges silent workers: suspect, asked, offline. Every node judges all of them; the conditional write decides who declares one
 * lost, and a beat written meanwhile wins. Ages are monotonic from when the centre heard, so no clock can make a worker look lost.
 */
@Injectable()
export class Liveness implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Liveness');
  private readonly ticker = new Ticker(() => this.round(), { everyMs: 1000, onError: (error) => this.failed(error) });
  private readonly probes = new Map<string, Promise<void>>();
  private readonly probedAt = new WeakMap<KnownWorker, number>();
  private roundAt: number;
  private trustedSince: number;
  private forgotAt: number;

  constructor(
    private readonly workers: WorkersService,
    private readonly probe: WorkerProbe,
    private readonly store: WorkerStore,
    private readonly clock: Clock,
  ) {
    this.roundAt = this.trustedSince = this.forgotAt = clock.monotonic();
  }

  onApplicationBootstrap(): void {
    this.roundAt = this.trustedSince = this.clock.monotonic();
    this.ticker.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.ticker.stop();
    await this.settled();
  }

  /** The probes under way have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.probes.values());
  }

  async round(): Promise<void> {
    const now = this.clock.monotonic();
    if (now - this.roundAt > FREEZE_MS) this.trustedSince = now;
    this.roundAt = now;
    // In memory only: a node that dies here leaves its suspicions to the others, who have the same.
    for (const worker of this.workers.known())
      if (worker.state === 'online' && now - worker.heardAt > SUSPECT_AFTER_MS) this.workers.noteSuspect(worker);
    // Asks and writes nothing by itself; a probe whose node dies is repeated by another node within 5 s.
    if (this.mayDeclare(now)) for (const worker of this.workers.known()) this.ask(worker, now);
    // Deletes rows whose attempts were recovered days ago; half done is done next hour.
    if (now - this.forgotAt > FORGET_EVERY_MS) await this.forgetLongAway(now);
  }

  private mayDeclare(now: number): boolean {
    const { readableSince } = this.workers;
    return readableSince !== null && now - Math.max(readableSince, this.trustedSince) >= GRACE_MS;
  }

  private ask(worker: KnownWorker, now: number): void {
    if (worker.state === 'offline' || now - worker.heardAt <= PROBE_AFTER_MS || this.probes.has(worker.workerId)) return;
    if (this.probes.size >= PROBES_AT_ONCE || now - (this.probedAt.get(worker) ?? Number.NEGATIVE_INFINITY) < PROBE_EVERY_MS)
      return;
    this.probedAt.set(worker, now);
    const probe = this.askAndJudge(worker)
      .catch((error) => this.failed(error))
      .finally(() => this.probes.delete(worker.workerId));
    this.probes.set(worker.workerId, probe);
  }

  private async askAndJudge(worker: KnownWorker): Promise<void> {
    const seqBefore = worker.figures.seq;
    const { heardAt } = worker;
    const reply = await this.probe.health(worker, PROBE_TIMEOUT_MS);
    if (reply.kind === 'not_asked') return;
    if (
      reply.kind === 'answered' &&
      reply.health.workerId === worker.workerId &&
      reply.health.incarnation === worker.incarnation
    ) {
      this.workers.noteHealth(worker, reply.health, seqBefore);
      return;
    }
    // Heard meanwhile, or this process stood still or lost the database while it asked: then its silence proves nothing.
    const stillTrusted = this.clock.monotonic() - this.roundAt <= FREEZE_MS && this.mayDeclare(this.clock.monotonic());
    if (worker.heardAt !== heardAt || !stillTrusted) return;
    await this.workers.declareOffline(worker);
  }

  private async forgetLongAway(now: number): Promise<void> {
    this.forgotAt = now;
    const count = await this.store.forgetAwaySince(this.clock.now() - FORGET_AFTER_MS);
    if (count > 0) this.logger.log('workers long away were forgotten', { count });
  }

  private failed(error: unknown): void {
    this.logger.warn('liveness could not finish its round', { error });
  }
}
