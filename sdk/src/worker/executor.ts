import type { CancelReason } from '../contract/index.js';
import type { Attempt } from './attempt.js';
import { AttemptContext, type ContextPorts } from './attempt-context.js';
import { runAttempt } from './attempt-run.js';
import type { AttemptTable } from './attempt-table.js';
import type { Limit } from './capacity.js';
import { MeanCost } from './mean-cost.js';
import { type Ending, stopped } from './outcome.js';
import { PriorityQueue } from './priority-queue.js';
import { monotonicMs } from './shared-clock.js';
import { TimeLimits } from './time-limits.js';

export interface ExecutorPorts extends ContextPorts {
  /** The attempt changed its phase. */
  moved: (attempt: Attempt) => void;
  /** Attempts have become running, and their handlers are called next: the last moment before one can block the event loop. */
  starting: () => void;
  /** The attempt ended; its cost in milliseconds. */
  ended: (attempt: Attempt, ending: Ending, costMs: number) => void;
}

/** Handlers may follow one another without a turn of the event loop for this long; then sockets and timers have theirs. */
const TURN_MS = 5;

/** Attempts that wait and are under the same limits. */
interface Lane {
  readonly queue: PriorityQueue<Attempt>;
  readonly limits: readonly Limit[];
}

/**
 * Runs accepted attempts within their limits: highest priority first, equals in order of arrival, and one that its own limit holds
 * back holds back nobody else. An attempt keeps its slots until its handler settles, whatever was asked of it meanwhile; it ends
 * exactly once, and only then is it reported.
 */
export class Executor {
  readonly cost = new MeanCost();
  private readonly lanes = new Map<readonly Limit[], Lane>();
  private readonly limits: TimeLimits;
  private readonly running = new Set<Attempt>();
  private arrivals = 0;
  private pumping = false;
  private turnEndsAt = 0;

  constructor(
    private readonly table: AttemptTable,
    private readonly ports: ExecutorPorts,
  ) {
    this.limits = new TimeLimits(
      () => this.running,
      (attempt) => this.abort(attempt, 'timed_out'),
    );
  }

  /** Takes an attempt into the queue. Nothing runs before the current turn of the event loop is over. */
  enqueue(attempt: Attempt): void {
    attempt.arrival = ++this.arrivals;
    this.laneOf(attempt).queue.push(attempt.order.priority, attempt);
    this.pump();
  }

  /** A running handler is told by its signal; one that has not started never does. */
  abort(attempt: Attempt, reason: CancelReason): void {
    if (attempt.phase === 'reporting' || !attempt.abort(reason)) return;
    if (attempt.phase !== 'queued') return;
    for (const limit of attempt.limits) limit.waiting--;
    this.end(attempt, stopped(attempt, reason), 0);
  }

  /** Gives up on a handler that does not settle; whatever it returns later is dropped. */
  giveUp(attempt: Attempt, reason: CancelReason): void {
    if (attempt.phase !== 'running') return;
    attempt.abort(reason);
    this.settle(attempt, stopped(attempt, attempt.aborted ?? reason));
  }

  stop(): void {
    this.limits.stop();
  }

  private pump(): void {
    if (this.pumping) return;
    this.pumping = true;
    setImmediate(() => {
      this.pumping = false;
      this.turnEndsAt = monotonicMs() + TURN_MS;
      const taken = this.takeWaiting();
      if (taken.length > 0) this.ports.starting();
      for (const attempt of taken) this.run(attempt);
    });
  }

  private takeWaiting(): Attempt[] {
    const taken: Attempt[] = [];
    for (let attempt = this.next(); attempt !== undefined; attempt = this.next()) {
      this.begin(attempt);
      taken.push(attempt);
    }
    return taken;
  }

  /** The best waiting attempt among the lanes that are below all their limits; it is taken out of its lane. */
  private next(): Attempt | undefined {
    let best: Attempt | undefined;
    for (const lane of this.lanes.values()) {
      if (!lane.limits.every(hasFree)) continue;
      const head = headOf(lane);
      if (head !== undefined && (best === undefined || isBefore(head, best))) best = head;
    }
    return best === undefined ? undefined : this.laneOf(best).queue.shift();
  }

  private begin(attempt: Attempt): void {
    for (const limit of attempt.limits) {
      limit.waiting--;
      limit.running++;
    }
    this.running.add(attempt);
    this.table.move(attempt, 'running');
    this.ports.moved(attempt);
  }

  /** Its time counts from here: a handler that was called before it may have blocked the event loop. */
  private run(attempt: Attempt): void {
    attempt.startedAt = monotonicMs();
    this.limits.started(attempt);
    runAttempt(attempt, new AttemptContext(attempt, this.ports)).then((ending) => this.settle(attempt, ending));
  }

  private settle(attempt: Attempt, ending: Ending): void {
    if (!this.running.delete(attempt)) return;
    for (const limit of attempt.limits) limit.running--;
    const now = monotonicMs();
    const costMs = now - attempt.startedAt;
    this.cost.add(costMs);
    this.end(attempt, ending, costMs);
    if (now < this.turnEndsAt) for (const each of this.takeWaiting()) this.run(each);
    else this.pump();
  }

  private end(attempt: Attempt, ending: Ending, costMs: number): void {
    if (attempt.forgotten) this.table.remove(attempt);
    else this.table.move(attempt, 'reporting');
    this.ports.moved(attempt);
    if (!attempt.forgotten) this.ports.ended(attempt, ending, costMs);
  }

  private laneOf({ limits }: Attempt): Lane {
    let lane = this.lanes.get(limits);
    if (lane === undefined) {
      lane = { queue: new PriorityQueue(), limits };
      this.lanes.set(limits, lane);
    }
    return lane;
  }
}

const hasFree = (limit: Limit): boolean => limit.free;

function isBefore(a: Attempt, b: Attempt): boolean {
  return a.order.priority > b.order.priority || (a.order.priority === b.order.priority && a.arrival < b.arrival);
}

/** Attempts stopped while they waited are passed over. */
function headOf(lane: Lane): Attempt | undefined {
  for (;;) {
    const head = lane.queue.peek();
    if (head === undefined || head.phase === 'queued') return head;
    lane.queue.shift();
  }
}
