import { crc32 } from 'node:zlib';
import { deeperThan, type Json, LIMITS } from '../contract/index.js';
import type { Attempt } from './attempt.js';
import type { LogFields, Logger, LogLevel } from './logger.js';
import { textOf } from './plain-text.js';
import { monotonicMs } from './shared-clock.js';

/** The attempt's lines to the outside; the context itself decides nothing. */
export interface ContextPorts {
  logger: Logger;
  /** The handler wrote a line. Must neither throw nor wait. */
  logged: (attempt: Attempt, level: LogLevel, message: string, fields: LogFields | undefined) => void;
  progressed: (attempt: Attempt) => void;
  checkpointed: (attempt: Attempt) => void;
}

/** What a handler knows about its attempt. */
export class AttemptContext {
  private shardView: Shard | undefined;
  private logView: Logger | undefined;

  constructor(
    private readonly current: Attempt,
    private readonly ports: ContextPorts,
  ) {}

  get taskId(): string {
    return this.current.order.taskId;
  }
  /** Fencing token: larger for each later claim of the task. Pass it to storage that can refuse an older one. */
  get lease(): number {
    return this.current.order.lease;
  }
  /** 1 for the first try. */
  get attempt(): number {
    return this.current.order.attempt;
  }
  get scheduledAt(): Date {
    return new Date(this.current.order.scheduledAt);
  }
  /** The task id: the same for every attempt. A frozen process cannot be stopped by anyone, so pass it to what you call. */
  get idempotencyKey(): string {
    return this.current.order.idempotencyKey;
  }
  get traceparent(): string {
    return this.current.order.traceparent;
  }
  get shard(): Shard | undefined {
    const shard = this.current.order.shard;
    if (shard !== undefined) this.shardView ??= new Shard(shard.index, shard.total, shard.share);
    return this.shardView;
  }
  /** Aborted with an `AttemptAborted` whose `reason` says why. The slot stays taken until the handler settles. */
  get signal(): AbortSignal {
    return this.current.signal;
  }
  /** When the time limit ends, by this machine's clock; null without a limit. */
  get deadline(): Date | null {
    const { timeoutMs } = this.current.order;
    return timeoutMs === 0 ? null : new Date(Date.now() + this.current.startedAt + timeoutMs - monotonicMs());
  }
  /** The worker's own logger with the task's fields; its lines are sent to the centre as well and can be read there while it runs. */
  get log(): Logger {
    this.logView ??= this.bindLogger();
    return this.logView;
  }

  /** 0 to 1; travels with the next heartbeat. */
  progress(done: number): void {
    if (typeof done !== 'number' || !(done >= 0 && done <= 1)) throw new RangeError('progress: a number from 0 to 1');
    this.current.progress = done;
    this.ports.progressed(this.current);
  }

  /**
   * Kept for the next attempt of this task, which reads it with `restored()`. Sent with a heartbeat within about a second; a
   * process that dies before that loses it. At most 64 KiB of JSON, 29 levels deep.
   */
  checkpoint(state: Json): void {
    const text = JSON.stringify(state);
    if (text === undefined) throw new TypeError('checkpoint: not a JSON value');
    if (Buffer.byteLength(text) > LIMITS.checkpointBytes)
      throw new RangeError(`checkpoint: larger than ${LIMITS.checkpointBytes} bytes`);
    if (deeperThan(text, LIMITS.carriedJsonDepth))
      throw new RangeError(`checkpoint: nested deeper than ${LIMITS.carriedJsonDepth} levels`);
    this.current.checkpoint = text;
    this.ports.checkpointed(this.current);
  }

  /** The last checkpoint of an earlier attempt (or of this one); undefined if there is none. */
  restored<T = Json>(): T | undefined {
    if (this.current.checkpoint !== undefined) return JSON.parse(this.current.checkpoint) as T;
    return this.current.order.checkpoint as T | undefined;
  }

  private bindLogger(): Logger {
    const { taskId, lease, attempt, handler, traceparent } = this.current.order;
    const about = { taskId, lease, attempt, handler, traceparent };
    const { logger, logged } = this.ports;
    const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
      try {
        logger[level](message, { ...readable(fields), ...about });
      } catch {
        // A logger of the worker's own that fails is no failure of the attempt; the centre gets the line all the same.
      }
      logged(this.current, level, message, fields);
    };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

/** A copy without getters; of fields that throw while they are read, why they do. */
function readable(fields: LogFields | undefined): LogFields | undefined {
  try {
    return fields && { ...fields };
  } catch (error) {
    return { unwritable: textOf(() => (error instanceof Error ? error.message : error)) };
  }
}

/** Part `index` of `total`; fixed when the parent fired. */
export class Shard {
  constructor(
    readonly index: number,
    readonly total: number,
    /** This shard's part of 0..1 if the parts are not equal; those of all shards together are the whole. */
    readonly share?: { readonly from: number; readonly to: number },
  ) {}

  /**
   * Whether this shard does the work of `key`; exactly one shard of a split owns each key. By CRC-32 of the key's UTF-8 bytes: modulo
   * `total`, or, with a share, divided by 2^32 and at least `from` and below `to`.
   */
  owns(key: string | number): boolean {
    const hash = crc32(String(key));
    if (this.share === undefined) return hash % this.total === this.index;
    const at = hash / 2 ** 32;
    return at >= this.share.from && at < this.share.to;
  }
}
