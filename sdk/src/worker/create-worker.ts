import { jsonSchemaOf } from '../task/json-schema.js';
import { checkHandlerName, type Task } from '../task/task.js';
import type { AttemptContext } from './attempt-context.js';
import type { HandleOptions, Handler } from './handler.js';
import { settingsFrom, type WorkerOptions } from './options.js';
import { WorkerLife } from './worker-life.js';

export type HandlerFunction<Params, Returned> = (input: Params, ctx: AttemptContext) => Returned | Promise<Returned>;

/** A worker: handlers are registered first, then it is started once and stopped once. */
export class EvenkeelWorker {
  private readonly handlers = new Map<string, Handler>();
  /** With the secret, both: no log that prints this object shows it. */
  readonly #options: WorkerOptions;
  #life: WorkerLife | undefined;
  private stopping: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    settingsFrom(options);
  }

  /** A task defined with schemas has its input checked before and its output checked after the handler. */
  handle<Input, Params, Returned, Result>(
    task: Task<Input, Params, Returned, Result>,
    handler: HandlerFunction<Params, Returned>,
  ): this;
  handle<Input, Params, Returned, Result>(
    task: Task<Input, Params, Returned, Result>,
    options: HandleOptions,
    handler: HandlerFunction<Params, Returned>,
  ): this;
  handle<Input, Params, Returned, Result>(
    task: Task<Input, Params, Returned, Result>,
    handler: HandlerFunction<Params, Returned>,
    options: HandleOptions,
  ): this;
  // biome-ignore lint/suspicious/noExplicitAny: a handler known only by its name receives whatever was submitted
  handle<Params = any>(name: string, handler: HandlerFunction<Params, unknown>): this;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handle<Params = any>(name: string, options: HandleOptions, handler: HandlerFunction<Params, unknown>): this;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handle<Params = any>(name: string, handler: HandlerFunction<Params, unknown>, options: HandleOptions): this;
  handle(task: Task | string, second: HandleOptions | Handler['run'], third?: HandleOptions | Handler['run']): this {
    const definition = typeof task === 'string' ? { name: task } : task;
    const [run, options = {}] = typeof second === 'function' ? [second, third as HandleOptions | undefined] : [third, second];
    checkHandlerName(definition.name);
    if (typeof run !== 'function') throw new TypeError(`handler "${definition.name}": a function is needed`);
    if (this.handlers.has(definition.name)) throw new TypeError(`handler "${definition.name}" is registered already`);
    if (options.concurrency !== undefined && !(Number.isSafeInteger(options.concurrency) && options.concurrency > 0)) {
      throw new RangeError(`handler "${definition.name}": concurrency must be an integer from 1`);
    }
    const { pool } = options;
    if (pool !== undefined && !settingsFrom(this.#options).pools.has(pool))
      throw new RangeError(`handler "${definition.name}": there is no pool "${pool}"; name it in the worker's options`);
    if (this.#life !== undefined) throw new Error('handlers are registered before the worker starts');
    const paramsSchema = options.paramsSchema ?? jsonSchemaOf(definition.input);
    this.handlers.set(definition.name, { ...definition, ...options, paramsSchema, run } as Handler);
    return this;
  }

  /** Listens, registers (asking until the centre is there) and works. Rejects with RegistrationRefused if that can never succeed. */
  async start(): Promise<this> {
    if (this.#life !== undefined) throw new Error('the worker has been started already');
    if (this.handlers.size === 0) throw new Error('a worker needs at least one handler');
    this.#life = new WorkerLife(settingsFrom(this.#options), this.handlers);
    try {
      await this.#life.start();
    } catch (error) {
      if (this.stopping === undefined) await this.#life.close();
      throw error;
    }
    return this;
  }

  /** Refuses new orders, finishes what it has (at most `drainMs`, then aborts it), delivers the results, deregisters. */
  stop(): Promise<void> {
    this.stopping ??= this.#life === undefined ? Promise.resolve() : this.#life.stop();
    return this.stopping;
  }

  /** Rejects if the centre gives this worker's name to another while it runs. */
  get displaced(): Promise<never> {
    return this.started.displaced;
  }
  get workerId(): string {
    return this.started.workerId;
  }
  get incarnation(): string {
    return this.started.incarnation;
  }

  private get started(): WorkerLife {
    if (this.#life === undefined) throw new Error('the worker has not been started');
    return this.#life;
  }
}

export function createWorker(options: WorkerOptions): EvenkeelWorker {
  return new EvenkeelWorker(options);
}
