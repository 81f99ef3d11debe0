import type { LogLevel } from '../contract/index.js';
import type { AttemptLog } from './attempt-log.js';

export interface BufferedLine {
  log: AttemptLog;
  at: number;
  level: LogLevel;
  /** JSON of message and fields. */
  text: string;
  bytes: number;
}

/** Owed notices are remembered of this many attempts. */
const MOST_OWED = 1000;

/**
 * Lines that wait to be sent, in order of writing, never more than `limitBytes`: beyond it the oldest go, and their attempt is owed
 * a notice that stands where they stood.
 */
export class LogBuffer {
  private lines: BufferedLine[] = [];
  private head = 0;
  private readonly owed = new Set<AttemptLog>();
  bytes = 0;

  constructor(private readonly limitBytes: number) {}

  get empty(): boolean {
    return this.head === this.lines.length && this.owed.size === 0;
  }

  push(line: BufferedLine): void {
    this.lines.push(line);
    this.bytes += line.bytes;
    while (this.bytes > this.limitBytes) this.drop(this.shift() as BufferedLine);
  }

  peek(): BufferedLine | undefined {
    return this.lines[this.head];
  }

  shift(): BufferedLine | undefined {
    const line = this.lines[this.head];
    if (line === undefined) return undefined;
    this.lines[this.head++] = undefined as unknown as BufferedLine;
    this.bytes -= line.bytes;
    if (this.head === this.lines.length || this.head > 1024) {
      this.lines = this.lines.slice(this.head);
      this.head = 0;
    }
    return line;
  }

  /** An attempt that lost lines, and how many; each loss is told once. */
  takeOwed(): { log: AttemptLog; dropped: number } | undefined {
    const [log] = this.owed;
    if (log === undefined) return undefined;
    this.owed.delete(log);
    const { dropped } = log;
    log.dropped = 0;
    return { log, dropped };
  }

  /** Lines of an attempt the centre takes no more of. */
  discard(log: AttemptLog): void {
    this.owed.delete(log);
    const kept = this.lines.slice(this.head).filter((line) => line.log !== log);
    const dropped = this.lines.length - this.head - kept.length;
    this.lines = kept;
    this.head = 0;
    this.bytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    if (dropped > 0) log.settled(dropped);
  }

  clear(): void {
    for (const { log } of this.lines.slice(this.head)) log.settled(1);
    this.lines = [];
    this.head = 0;
    this.bytes = 0;
    this.owed.clear();
  }

  private drop({ log }: BufferedLine): void {
    log.dropped++;
    if (this.owed.size < MOST_OWED) this.owed.add(log);
    log.settled(1);
  }
}
