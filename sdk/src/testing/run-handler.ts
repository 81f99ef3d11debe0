import type { CancelReason, Json, LogLevel, ReportedError, ResultOutcome, TaskOrder } from '../contract/index.js';
import type { Task } from '../task/task.js';
import { Attempt } from '../worker/attempt.js';
import { AttemptContext } from '../worker/attempt-context.js';
import { runAttempt } from '../worker/attempt-run.js';
import type { HandlerFunction } from '../worker/create-worker.js';
import type { Handler } from '../worker/handler.js';
import type { LogFields } from '../worker/logger.js';
import { monotonicMs } from '../worker/shared-clock.js';
import { TimeLimits } from '../worker/time-limits.js';

/** What the centre would say of the attempt. Everything has a default: a first attempt without a time limit. */
export interface HandlerRunOptions {
  taskId?: string;
  lease?: number;
  attempt?: number;
  group?: string;
  priority?: number;
  /** 0 (the default): no limit. Fake timers may move to it. */
  timeoutMs?: number;
  scheduledAt?: Date;
  shard?: TaskOrder['shard'];
  /** What an earlier attempt left; the handler reads it with `ctx.restored()`. */
  checkpoint?: Json;
  traceparent?: string;
}

export interface LoggedLine {
  level: LogLevel;
  message: string;
  fields: LogFields;
}

/** How the attempt would be reported to the centre. */
export interface HandlerEnd<Result> {
  outcome: ResultOutcome;
  /** As it would be stored, after its way through JSON; undefined unless `succeeded`. */
  result: Result | undefined;
  error: ReportedError | undefined;
  /** Whether the centre may repeat the task by its retry policy. */
  retryable: boolean;
  logs: LoggedLine[];
  progress: number[];
  checkpoints: Json[];
}

/** A handler at work; `logs`, `progress` and `checkpoints` grow as it goes. */
export interface HandlerRun<Result> {
  readonly logs: readonly LoggedLine[];
  readonly progress: readonly number[];
  readonly checkpoints: readonly Json[];
  /** Asks it to stop, as the centre would; `ctx.signal` tells it. */
  abort(reason?: CancelReason): void;
  /** Never rejects; waits for ever for a handler that does not settle. */
  readonly ended: Promise<HandlerEnd<Result>>;
}

/**
 * Starts a handler with the rules of a real worker (schemas, limits, error classes, sizes, JSON) and no worker, centre or network.
 * The handler is entered at once unless its input is checked first.
 */
export function startHandler<Input, Params, Returned, Result>(
  task: Task<Input, Params, Returned, Result> | string,
  handler: HandlerFunction<Params, Returned>,
  input: Input,
  options: HandlerRunOptions = {},
): HandlerRun<Result> {
  const definition = typeof task === 'string' ? { name: task } : task;
  const attempt = new Attempt(orderFrom(definition.name, input, options), { ...definition, run: handler } as unknown as Handler);
  const [logs, progress, checkpoints]: [LoggedLine[], number[], Json[]] = [[], [], []];
  const silent = () => undefined;
  const context = new AttemptContext(attempt, {
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    logged: (_, level, message, fields = {}) => logs.push({ level, message, fields }),
    progressed: (each) => progress.push(each.progress as number),
    checkpointed: (each) => checkpoints.push(JSON.parse(each.checkpoint as string)),
  });
  attempt.phase = 'running';
  attempt.startedAt = monotonicMs();
  const limits = new TimeLimits(
    () => [attempt],
    () => attempt.abort('timed_out'),
  );
  limits.started(attempt);
  const ended = runAttempt(attempt, context).then(({ outcome, result, error }): HandlerEnd<Result> => {
    limits.stop();
    attempt.phase = 'reporting';
    const stored = result === undefined ? undefined : (JSON.parse(result) as Result);
    const retryable = outcome === 'timed_out' || (outcome === 'failed' && error?.retryable !== false);
    return { outcome, result: stored, error, retryable, logs, progress, checkpoints };
  });
  return { logs, progress, checkpoints, ended, abort: (reason = 'cancelled') => void attempt.abort(reason) };
}

/** Runs a handler to its end. See `startHandler`. */
export function runHandler<Input, Params, Returned, Result>(
  task: Task<Input, Params, Returned, Result> | string,
  handler: HandlerFunction<Params, Returned>,
  input: Input,
  options: HandlerRunOptions = {},
): Promise<HandlerEnd<Result>> {
  return startHandler(task, handler, input, options).ended;
}

function orderFrom(handler: string, input: unknown, options: HandlerRunOptions): TaskOrder {
  const { taskId = 'task_test', scheduledAt = new Date(), ...rest } = options;
  const common = { lease: 1, attempt: 1, priority: 5, timeoutMs: 0, traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` };
  const params = JSON.parse(JSON.stringify(input ?? null)) as Json;
  return { ...common, ...rest, taskId, handler, params, scheduledAt: scheduledAt.getTime(), idempotencyKey: taskId };
}
