import type { HeartbeatRequest } from '@evenkeel/sdk/contract';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { inUse } from './admission.js';
import { BeatWriter } from './beat-writer.js';
import type { KnownWorker } from './known-worker.js';
import type { RefusedBeat } from './worker.js';
import { WorkerStore } from './worker.store.js';
import { WorkersService } from './workers.service.js';

const SKEW_WARNING_MS = 500;

/** Takes beats in. Whether a worker lives is judged by when the centre received them, never by what they say of the time. */
@Injectable()
export class BeatsService implements OnApplicationShutdown {
  private readonly logger = new Logger('Beats');
  private readonly writer: BeatWriter;

  constructor(
    private readonly workers: WorkersService,
    private readonly clock: Clock,
    store: WorkerStore,
  ) {
    this.writer = new BeatWriter(store);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writer.flush();
  }

  /**
   * Resolves once the beat is written; only then it may be acknowledged, for the worker counts on it. Throws as `owned` does. A beat
   * that is not newer than the last one is acknowledged and otherwise ignored.
   */
  async beat(request: HeartbeatRequest, accessKey: string): Promise<void> {
    const worker = await this.workers.owned(request.workerId, request.incarnation, accessKey);
    const receivedAt = this.clock.now();
    const skewMs = request.sentAt - receivedAt;
    const skewBefore = worker.figures.skewMs ?? 0;
    if (!this.workers.noteBeat(worker, request, skewMs)) return;
    if (Math.abs(skewMs) > SKEW_WARNING_MS && Math.abs(skewBefore) <= SKEW_WARNING_MS)
      this.logger.warn('the clock of a worker differs', { worker: worker.workerId, skewMs });
    await this.write(worker, receivedAt, null);
  }

  /** A beat that broke rules: kept for people to see. Its sender lives, whatever it wrote, so it stays online. */
  async beatRefused(body: unknown, errors: RefusedBeat['errors'], accessKey: string): Promise<void> {
    const { workerId, incarnation } = (body ?? {}) as { workerId?: unknown; incarnation?: unknown };
    this.logger.warn('beat refused', { worker: workerId, accessKey, errors });
    const known = typeof workerId === 'string' ? this.workers.find(workerId) : undefined;
    if (!known || (typeof incarnation === 'string' && incarnation.length === 26 && incarnation !== known.incarnation)) return;
    const worker = await this.workers.owned(known.workerId, known.incarnation, accessKey);
    const at = this.clock.now();
    this.workers.noteHeard(worker);
    await this.write(worker, at, { at, errors });
  }

  private async write(worker: KnownWorker, beatAt: number, refused: RefusedBeat | null): Promise<void> {
    const { workerId, incarnation, figures, reportedState: state } = worker;
    const verdict = await this.writer.write({ workerId, incarnation, state, figures: { ...figures }, beatAt, refused });
    if (verdict === 'displaced') {
      await this.workers.reread([workerId]);
      const now = this.workers.find(workerId);
      if (now && now.incarnation !== incarnation) throw inUse(workerId);
      throw new AppError('not_found', 'this worker is not registered any more: register again');
    }
    worker.noteStored(beatAt);
    // It was declared lost before this beat: the row says otherwise now, and everybody should know.
    if (worker.storedState === 'offline') await this.workers.rowWritten(workerId);
  }
}
