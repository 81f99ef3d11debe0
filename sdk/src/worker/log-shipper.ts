import { LIMITS, LOG_LEVELS, type LogLevel, type LogsAnswer } from '../contract/index.js';
import { EvenkeelProblem } from '../transport/problem.js';
import type { AttemptLog } from './attempt-log.js';
import { backoffMs } from './backoff.js';
import type { CentreChannel } from './centre-channel.js';
import { LogBuffer } from './log-buffer.js';
import { lineText } from './log-text.js';
import type { LogFields, Logger } from './logger.js';
import { Waiters } from './waiters.js';

const COLLECT_MS = 250;
const COLLECT_BYTES = 64 * 1024;
const REQUEST_BYTES = LIMITS.channelRequestBytes - 1024;
/** While the centre is away. */
const BUFFER_BYTES = 8 * 1024 * 1024;
/** What a line has besides its message and fields, at most. */
const FRAME_BYTES = 200;
/** Left free below the limit of an attempt, for the line that says so. */
const NOTICE_BYTES = 512;
/** A result waits this long for the lines written before it. */
const RESULT_WAITS_MS = 500;

const LIMIT_NOTICE = lineText('log limit of 1 MiB reached: the further lines of this attempt are not kept', undefined);

export interface LogShipperPorts {
  workerId: string;
  incarnation: string;
  channel: Pick<CentreChannel, 'post'>;
  logger: Logger;
  /** Epoch milliseconds by the centre's clock. */
  now: () => number;
  /** Lines below it are not shipped; false: none is. */
  level: LogLevel | false;
}

/** One request, kept as it is until it is answered: a line has the same number however often it is sent. */
interface Batch {
  body: string;
  lines: Map<AttemptLog, number>;
}

/**
 * Sends what handlers log to the centre, in order, gathered for at most 250 ms or 64 KiB, one request at a time. Writing a line never
 * waits and never throws. Logs are worth less than work: what the centre cannot take is dropped, oldest first, with a notice where it
 * stood, and a process that dies loses what it had not sent. Lines are numbered when they are sent, so that there are no gaps.
 */
export class LogShipper {
  private readonly buffer: LogBuffer;
  private readonly lowest: number;
  private batch: Batch | undefined;
  private sending = false;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;
  private scheduled = false;
  private off: boolean;
  private stopped = false;
  private complained = false;
  private readonly waiters = new Waiters();

  constructor(
    private readonly ports: LogShipperPorts,
    bufferBytes: number = BUFFER_BYTES,
  ) {
    this.off = ports.level === false;
    this.lowest = ports.level === false ? LOG_LEVELS.length : LOG_LEVELS.indexOf(ports.level);
    this.buffer = new LogBuffer(bufferBytes);
  }

  write(log: AttemptLog, level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (this.off || this.stopped || log.closed || LOG_LEVELS.indexOf(level) < this.lowest) return;
    const text = lineText(message, fields);
    const bytes = Buffer.byteLength(text) + FRAME_BYTES;
    if (log.bytes + bytes > LIMITS.attemptLogBytes - NOTICE_BYTES) {
      log.closed = true;
      this.add(log, 'warn', LIMIT_NOTICE, LIMIT_NOTICE.length + FRAME_BYTES);
    } else {
      log.bytes += bytes;
      this.add(log, level, text, bytes);
    }
  }

  /** Resolves when the lines of an ended attempt have arrived, or soon in any case; undefined if there is nothing to wait for. */
  sent(log: AttemptLog): Promise<void> | undefined {
    if (log.unsent === 0 || this.failures > 0) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RESULT_WAITS_MS);
      log.whenSent = () => {
        clearTimeout(timer);
        resolve();
      };
      this.hurry();
    });
  }

  /** The worker is registered (again): a centre that had no place for logs may have one now. */
  registered(): void {
    this.off = this.ports.level === false;
  }

  /** Resolves once nothing is left or the time is over. */
  async flushed(withinMs: number): Promise<void> {
    if (this.idle) return;
    this.hurry();
    await this.waiters.within(withinMs);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.buffer.clear();
  }

  private get idle(): boolean {
    return this.batch === undefined && this.buffer.empty;
  }

  private add(log: AttemptLog, level: LogLevel, text: string, bytes: number): void {
    log.unsent++;
    this.buffer.push({ log, at: this.ports.now(), level, text, bytes });
    if (this.buffer.bytes >= COLLECT_BYTES) this.hurry();
    else this.sendIn(COLLECT_MS);
  }

  /** Not in the middle of a handler: when it next gives way. */
  private hurry(): void {
    if (this.scheduled || this.failures > 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      clearTimeout(this.timer);
      this.timer = undefined;
      this.send();
    });
  }

  private sendIn(ms: number): void {
    if (this.timer !== undefined || this.stopped) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.send();
    }, ms);
    this.timer.unref();
  }

  private send(): void {
    if (this.sending || this.stopped || this.off) return;
    this.batch ??= this.nextBatch();
    const { batch } = this;
    if (batch === undefined) return;
    this.sending = true;
    this.ports.channel.post<LogsAnswer>('/worker/v1/logs', batch.body, 2000, 10_000).then(
      ({ body }) => this.delivered(batch, body),
      (error) => this.failed(batch, error),
    );
  }

  private nextBatch(): Batch | undefined {
    const written: string[] = [];
    const lines = new Map<AttemptLog, number>();
    let bytes = 0;
    for (let owed = this.buffer.takeOwed(); owed !== undefined; owed = this.buffer.takeOwed()) {
      const notice = lineText(`${owed.dropped} lines were dropped because the centre did not take them`, undefined);
      written.push(owed.log.number(this.ports.now(), 'warn', notice));
      bytes += FRAME_BYTES + notice.length;
      if (bytes > REQUEST_BYTES / 2) break;
    }
    for (let line = this.buffer.peek(); line !== undefined; line = this.buffer.peek()) {
      if (written.length > 0 && bytes + line.bytes > REQUEST_BYTES) break;
      this.buffer.shift();
      bytes += line.bytes;
      written.push(line.log.number(line.at, line.level, line.text));
      lines.set(line.log, (lines.get(line.log) ?? 0) + 1);
    }
    if (written.length === 0) return undefined;
    const { workerId, incarnation } = this.ports;
    return { body: `{"workerId":"${workerId}","incarnation":"${incarnation}","lines":[${written.join(',')}]}`, lines };
  }

  private delivered(batch: Batch, answer: LogsAnswer | undefined): void {
    this.failures = 0;
    const refused = Array.isArray(answer?.refused) ? answer.refused : [];
    for (const { taskId, lease, reason } of refused) {
      for (const log of batch.lines.keys()) {
        if (log.taskId !== taskId || log.lease !== lease) continue;
        log.closed = true;
        this.buffer.discard(log);
        this.ports.logger.debug('log lines not kept by the centre', { taskId, lease, reason });
      }
    }
    this.over(batch);
    if (this.buffer.bytes >= COLLECT_BYTES || this.waiters.any || this.anyAwaited) this.hurry();
    else if (!this.buffer.empty) this.sendIn(COLLECT_MS);
  }

  private failed(batch: Batch, error: unknown): void {
    this.sending = false;
    const status = error instanceof EvenkeelProblem ? error.status : 0;
    if (status === 404) {
      this.off = true;
      this.complain('the centre takes no logs: they are written here only', error);
      this.over(batch);
      this.buffer.clear();
      if (this.waiters.any) this.waiters.wake();
    } else if (status === 400 || status === 413 || status === 422) {
      this.complain('the centre refuses log lines: they are written here only', error);
      this.over(batch);
      if (!this.buffer.empty) this.sendIn(COLLECT_MS);
    } else {
      this.failures++;
      clearTimeout(this.timer);
      this.timer = undefined;
      this.sendIn(backoffMs(this.failures, 500, 10_000));
    }
  }

  private over(batch: Batch): void {
    this.sending = false;
    this.batch = undefined;
    for (const [log, count] of batch.lines) log.settled(count);
    if (this.idle) this.waiters.wake();
  }

  /** Whether a result waits for the next line. */
  private get anyAwaited(): boolean {
    return this.buffer.peek()?.log.whenSent !== undefined;
  }

  private complain(message: string, error: unknown): void {
    if (!this.complained) this.ports.logger.warn(message, { error });
    this.complained = true;
  }
}
