import type { AttemptPhase, CancelReason, TaskOrder } from '../contract/index.js';
import { AttemptLog } from './attempt-log.js';
import type { Limit } from './capacity.js';
import { AttemptAborted } from './errors.js';
import type { Handler } from './handler.js';

export const attemptKey = (taskId: string, lease: number): string => `${taskId}:${lease}`;

/** One try of a task on this worker, from acceptance until its result is acknowledged. */
export class Attempt {
  readonly key: string;
  phase: AttemptPhase = 'queued';
  /** Counts the attempts as they were accepted. */
  arrival = 0;
  /** Monotonic milliseconds; 0 until the handler starts. */
  startedAt = 0;
  progress: number | undefined;
  /** JSON text. */
  checkpoint: string | undefined;
  /** The checkpoint the beat thread was told last. */
  checkpointTold: string | undefined;
  /** The centre no longer counts it: nothing is reported. */
  forgotten = false;
  /** What its handler logged, as far as it is shipped. */
  readonly log: AttemptLog;
  private reason: CancelReason | undefined;
  private controller: AbortController | undefined;

  constructor(
    readonly order: TaskOrder,
    readonly handler: Handler,
    /** What it is counted under, waiting or running, until it has ended. */
    readonly limits: readonly Limit[] = [],
  ) {
    this.key = attemptKey(order.taskId, order.lease);
    this.log = new AttemptLog(order);
  }

  get aborted(): CancelReason | undefined {
    return this.reason;
  }

  /** Created when first asked for: most handlers never look. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.reason !== undefined) this.controller.abort(new AttemptAborted(this.reason));
    }
    return this.controller.signal;
  }

  /** The first reason stands; false if there was one already. */
  abort(reason: CancelReason): boolean {
    if (this.reason !== undefined) return false;
    this.reason = reason;
    this.controller?.abort(new AttemptAborted(reason));
    return true;
  }
}
