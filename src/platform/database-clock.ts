import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { Logger } from '@nestjs/common';
import type { SqlDialect } from '../ports.js';
import { Clock } from './clock.js';

const SAMPLE_EVERY_MS = 10_000;
const REPORTED_CORRECTION_MS = 500;
const ASKS_PER_SAMPLE = 3;
/** An answer that took longer corrects nothing but a clock that was never set. */
const VAGUE_MS = 1000;

/**
 * The database's clock, carried forward by the monotonic clock between samples. A sample counts as taken in the middle of its
 * round trip. While the database is away the last sample is carried on.
 */
export class DatabaseClock extends Clock {
  private readonly logger = new Logger(DatabaseClock.name);
  /** Epoch milliseconds at monotonic zero. */
  private zeroAt = Date.now() - performance.now();
  private sampled = false;
  private offsetMs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dialect: SqlDialect,
    /** A file that holds milliseconds to add; tests move time with it. */
    private readonly offsetFile?: string,
  ) {
    super();
  }

  now(): number {
    return Math.floor(this.zeroAt + performance.now() + this.offsetMs);
  }

  monotonic(): number {
    return performance.now();
  }

  /** Resolves after the first sample; rejects if the database cannot be asked. */
  async start(): Promise<void> {
    if (this.offsetFile) {
      this.readOffset(this.offsetFile);
      watchFile(this.offsetFile, { interval: 50, persistent: false }, () => this.readOffset(this.offsetFile as string));
    }
    await this.sample();
    this.timer = setInterval(() => {
      this.sample().catch((error) => this.logger.debug('clock sample failed', { err: error }));
    }, SAMPLE_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    if (this.offsetFile) unwatchFile(this.offsetFile);
  }

  /** Asks the database for the time a few times and believes the quickest answer. */
  async sample(): Promise<void> {
    if (this.offsetFile) this.readOffset(this.offsetFile);
    let best = await this.ask();
    for (let more = 1; more < ASKS_PER_SAMPLE; more++) {
      const next = await this.ask();
      if (next.tookMs < best.tookMs) best = next;
    }
    if (this.sampled && best.tookMs > VAGUE_MS) return;
    const correctionMs = Math.round(best.zeroAt - this.zeroAt);
    if (this.sampled && Math.abs(correctionMs) > REPORTED_CORRECTION_MS) this.logger.warn('clock corrected', { correctionMs });
    this.zeroAt = best.zeroAt;
    this.sampled = true;
  }

  private async ask(): Promise<{ zeroAt: number; tookMs: number }> {
    const sentAt = performance.now();
    const [row] = await this.dialect.root.rows<{ at_ms: number }>(`SELECT ${this.dialect.nowMs} AS at_ms`);
    const answeredAt = performance.now();
    if (!row) throw new Error('the database did not tell the time');
    return { zeroAt: row.at_ms - (sentAt + answeredAt) / 2, tookMs: answeredAt - sentAt };
  }

  private readOffset(path: string): void {
    try {
      const offset = Number(readFileSync(path, 'utf8').trim() || '0');
      if (Number.isFinite(offset)) this.offsetMs = offset;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.offsetMs = 0;
    }
  }
}
