import type { CancelReason } from '../contract/index.js';
import { describeIssues } from '../task/standard-schema.js';
import type { Attempt } from './attempt.js';
import { AttemptContext, type ContextPorts } from './attempt-context.js';
import type { AttemptTable } from './attempt-table.js';
import type { Handler } from './handler.js';
import { MeanCost } from './mean-cost.js';
import { type Ending, endingOf, refused, stopped } from './outcome.js';
import { PriorityQueue } from './priority-queue.js';
import { monotonicMs } from './shared-clock.js';
import { TimeLimits } from './time-limits.js';

export interface ExecutorPorts extends ContextPorts {
  /** The attempt changed its phase. */
  moved: (attempt: Attempt) => void;
  /** The attempt ended; its cost in milliseconds. */
  ended: (attempt: Attempt, ending: Ending, costMs: number) => void;
}

/** Handlers may follow one another without a turn of the event loop for this long; then sockets and timers have theirs. */
const TURN_MS = 5;

/**
 * Runs accepted attempts: highest priority first, at most `slots` at once and at most `concurrency` per handler. An attempt keeps
 * its slot until its handler settles, whatever was asked of it meanwhile; it ends exactly once, and only then is it reported.
 */
export class Executor {
  readonly cost = new MeanCost();
  private readonly lines = new Map<string, Line>();
  private readonly limits: TimeLimits;
  private readonly running = new Set<Attempt>();
  private pumping = false;
  private turnEndsAt = 0;

  constructor(
    readonly slots: number,
    private readonly table: AttemptTable,
    private readonly ports: ExecutorPorts,
    handlers: Iterable<Handler>,
  ) {
    for (const handler of handlers) {
      this.lines.set(handler.name, { queue: new PriorityQueue(), limit: handler.concurrency ?? slots, running: 0 });
    }
    this.limits = new TimeLimits(
      () => this.running,
      (attempt) => this.abort(attempt, 'timed_out'),
    );
  }

  /** Takes an attempt into the queue. Nothing runs before the current turn of the event loop is over. */
  enqueue(attempt: Attempt): void {
    this.line(attempt).queue.push(attempt.order.priority, attempt);
    this.pump();
  }

  /** A running handler is told by its signal; one that has not started never does. */
  abort(attempt: Attempt, reason: CancelReason): void {
    if (attempt.phase === 'reporting' || !attempt.abort(reason)) return;
    if (attempt.phase === 'queued') this.end(attempt, stopped(attempt, reason), 0);
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
      this.startWaiting();
    });
  }

  private startWaiting(): void {
    while (this.running.size < this.slots) {
      const attempt = this.next();
      if (attempt === undefined) return;
      this.start(attempt);
    }
  }

  /** The best waiting attempt among the handlers that are below their own limit. */
  private next(): Attempt | undefined {
    let best: Line | undefined;
    let priority = 0;
    for (const line of this.lines.values()) {
      if (line.running >= line.limit) continue;
      const head = headOf(line);
      if (head !== undefined && head.order.priority > priority) {
        best = line;
        priority = head.order.priority;
      }
    }
    return best?.queue.shift();
  }

  private start(attempt: Attempt): void {
    const line = this.line(attempt);
    line.running++;
    this.running.add(attempt);
    attempt.startedAt = monotonicMs();
    this.table.move(attempt, 'running');
    this.ports.moved(attempt);
    this.limits.started(attempt);
    const { handler } = attempt;
    if (handler.input !== undefined || handler.output !== undefined) {
      this.runChecked(attempt, handler).then((ending) => this.settle(attempt, ending));
      return;
    }
    let returned: unknown;
    try {
      returned = handler.run(attempt.order.params as never, new AttemptContext(attempt, this.ports) as never);
    } catch (error) {
      returned = Promise.reject(error);
    }
    Promise.resolve(returned).then(
      (value) => this.settle(attempt, this.judge(attempt, { value })),
      (error) => this.settle(attempt, this.judge(attempt, { error })),
    );
  }

  private async runChecked(attempt: Attempt, { input, output, run }: Handler): Promise<Ending> {
    try {
      let params: unknown = attempt.order.params;
      if (input !== undefined) {
        const checked = await input['~standard'].validate(params);
        if (checked.issues) return refused('InvalidParamsError', describeIssues(checked.issues));
        params = checked.value;
      }
      let value: unknown = await run(params as never, new AttemptContext(attempt, this.ports) as never);
      if (output !== undefined) {
        const checked = await output['~standard'].validate(value);
        if (checked.issues) throw new InvalidResultError(describeIssues(checked.issues));
        value = checked.value;
      }
      return this.judge(attempt, { value });
    } catch (error) {
      return this.judge(attempt, { error });
    }
  }

  private judge(attempt: Attempt, settled: { value: unknown } | { error: unknown }): Ending {
    return endingOf(attempt, monotonicMs() - attempt.startedAt, settled);
  }

  private settle(attempt: Attempt, ending: Ending): void {
    if (!this.running.delete(attempt)) return;
    this.line(attempt).running--;
    const now = monotonicMs();
    const costMs = now - attempt.startedAt;
    this.cost.add(costMs);
    this.end(attempt, ending, costMs);
    if (now < this.turnEndsAt) this.startWaiting();
    else this.pump();
  }

  private end(attempt: Attempt, ending: Ending, costMs: number): void {
    if (attempt.forgotten) this.table.remove(attempt);
    else this.table.move(attempt, 'reporting');
    this.ports.moved(attempt);
    if (!attempt.forgotten) this.ports.ended(attempt, ending, costMs);
  }

  private line(attempt: Attempt): Line {
    return this.lines.get(attempt.handler.name) as Line;
  }
}

interface Line {
  queue: PriorityQueue<Attempt>;
  limit: number;
  running: number;
}

/** Attempts stopped while they waited are passed over. */
function headOf(line: Line): Attempt | undefined {
  for (;;) {
    const head = line.queue.peek();
    if (head === undefined || head.phase === 'queued') return head;
    line.queue.shift();
  }
}

/** The handler returned something its own output schema refuses. */
class InvalidResultError extends Error {
  override readonly name = 'InvalidResultError';
}
