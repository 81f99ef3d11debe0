import { type HeartbeatRequest, LIMITS } from '@evenkeel/sdk/contract';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { jsonTextOf } from '../decisions/json-text.js';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import { type AttemptProgress, ProgressStore } from '../tasks/progress.store.js';

const EVERY_MS = 1_000;
const BATCH = 500;
/** What was written of an attempt is remembered this long after it was last named, so that a repeat costs nothing. */
const REMEMBER_MS = 60_000;

/** A worker speaks for its own attempts only: what another says of the same task must not stand in the way of it. */
const keyOf = ({ taskId, workerId, incarnation }: Pick<AttemptProgress, 'taskId' | 'workerId' | 'incarnation'>): string =>
  `${taskId} ${workerId} ${incarnation}`;

interface Written {
  lease: number;
  progress?: number;
  checkpoint?: string;
  namedAt: number;
}

/**
 * Progress and checkpoints that ride on beats. Only what changed is written, the latest of each attempt, many in one statement and at
 * most once a second; a beat without either costs nothing here.
 *
 * A beat that brings a checkpoint is acknowledged after it is durable, for its worker will not send it again. Progress may be lost
 * with the process: the next change of it is written anyhow.
 */
@Injectable()
export class ProgressService implements OnApplicationShutdown {
  private readonly log = new Logger(ProgressService.name);
  /** Both by `keyOf`. */
  private readonly waiting = new Map<string, AttemptProgress>();
  private readonly written = new Map<string, Written>();
  private next: Promise<void> | undefined;
  private flushedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ProgressStore,
    private readonly clock: Clock,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.next?.catch(() => undefined);
  }

  /** Resolves at once, or when the checkpoints in it are durable. Rejects only if the database is away. */
  async note({
    workerId,
    incarnation,
    attempts,
  }: Pick<HeartbeatRequest, 'workerId' | 'incarnation' | 'attempts'>): Promise<void> {
    let mustBeDurable = false;
    for (const { taskId, lease, progress, checkpoint } of attempts) {
      if (progress === undefined && checkpoint === undefined) continue;
      const text = checkpoint === undefined ? undefined : this.checked(taskId, checkpoint);
      const report: AttemptProgress = { taskId, lease, workerId, incarnation };
      const key = keyOf(report);
      const known = this.written.get(key);
      const same = known?.lease === lease ? known : undefined;
      if (same) same.namedAt = this.clock.monotonic();
      if (progress !== undefined && progress !== same?.progress) report.progress = progress;
      if (text !== undefined && text !== same?.checkpoint) report.checkpoint = text;
      if (report.progress === undefined && report.checkpoint === undefined) continue;
      mustBeDurable ||= report.checkpoint !== undefined;
      const earlier = this.waiting.get(key);
      this.waiting.set(key, earlier?.lease === lease ? { ...earlier, ...report } : report);
    }
    if (this.waiting.size === 0) return;
    const flushed = this.soon();
    if (mustBeDurable) await flushed;
    else flushed.catch(() => undefined);
  }

  private checked(taskId: string, checkpoint: unknown): string | undefined {
    const text = jsonTextOf(checkpoint);
    if (Buffer.byteLength(text) <= LIMITS.checkpointBytes) return text;
    this.log.warn('checkpoint too large, the one before it stays', { taskId, bytes: Buffer.byteLength(text) });
    return undefined;
  }

  /** The next write, at most a second away. */
  private soon(): Promise<void> {
    this.next ??= new Promise((resolve, reject) => {
      setTimeout(
        () => {
          this.next = undefined;
          this.flushedAt = this.clock.monotonic();
          this.flush().then(resolve, reject);
        },
        Math.max(0, this.flushedAt + EVERY_MS - this.clock.monotonic()),
      );
    });
    return this.next;
  }

  private async flush(): Promise<void> {
    const reports = [...this.waiting.values()].sort((a, b) => (a.taskId < b.taskId ? -1 : 1));
    this.waiting.clear();
    try {
      for (let i = 0; i < reports.length; i += BATCH) await this.write(reports.slice(i, i + BATCH));
    } catch (error) {
      if (this.dialect.isUnavailable(error)) throw error;
      // Whatever is wrong with it, its worker must not be fenced for it.
      this.log.error('progress not written', { err: error });
    }
    this.forget();
  }

  private async write(reports: readonly AttemptProgress[]): Promise<void> {
    await this.store.saveProgress(
      this.dialect.root,
      reports.filter(({ progress }) => progress !== undefined),
    );
    const checkpoints = reports.filter(({ checkpoint }) => checkpoint !== undefined);
    if (checkpoints.length > 0)
      await this.dialect.transaction((tx) => this.store.saveCheckpoints(tx, checkpoints, Math.round(this.clock.now())));
    const namedAt = this.clock.monotonic();
    for (const report of reports) {
      const { lease, progress, checkpoint } = report;
      const key = keyOf(report);
      const known = this.written.get(key);
      const kept = known?.lease === lease ? known : { lease, namedAt };
      this.written.set(key, {
        lease,
        namedAt,
        progress: progress ?? kept.progress,
        checkpoint: checkpoint ?? kept.checkpoint,
      } as Written);
    }
  }

  private forget(): void {
    const oldest = this.clock.monotonic() - REMEMBER_MS;
    for (const [key, { namedAt }] of this.written) if (namedAt < oldest) this.written.delete(key);
  }
}
