import type { LogLine, TaskOrder } from '../contract/index.js';

/** How much of one attempt's log has gone where. Its lines themselves are the shipper's. */
export class AttemptLog {
  /** Number of the last line that was put into a request. */
  seq = 0;
  /** Text taken so far. */
  bytes = 0;
  /** Its limit is reached, or the centre wants no more of it. */
  closed = false;
  /** Lines dropped since the last notice of it. */
  dropped = 0;
  /** Lines that wait or are on their way. */
  unsent = 0;
  /** Called once when nothing is unsent any more. */
  whenSent: (() => void) | undefined;

  constructor(private readonly order: Pick<TaskOrder, 'taskId' | 'lease' | 'attempt'>) {}

  get taskId(): string {
    return this.order.taskId;
  }
  get lease(): number {
    return this.order.lease;
  }

  /** The next line as JSON; `text` is the JSON of its message and fields. The ids are such that they need no escaping. */
  number(at: number, level: LogLine['level'], text: string): string {
    const { taskId, lease, attempt } = this.order;
    return `{"taskId":"${taskId}","lease":${lease},"attempt":${attempt},"seq":${++this.seq},"at":${at},"level":"${level}",${text}}`;
  }

  settled(lines: number): void {
    this.unsent -= lines;
    if (this.unsent > 0) return;
    this.whenSent?.();
    this.whenSent = undefined;
  }
}
