import { Logger as NestLogger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { createWorker, type EvenkeelWorker } from '../worker/create-worker.js';
import { type LogFields, type Logger, safeJson } from '../worker/logger.js';
import type { WorkerOptions } from '../worker/options.js';
import { taskMethods } from './task-methods.js';

export interface EvenkeelWorkerModuleOptions extends WorkerOptions {
  /**
   * true: the application is up only when the centre has taken the worker, and does not come up if it refuses. Default false: the
   * application starts at once and the worker asks until the centre is there.
   */
  waitForCentre?: boolean;
}

/**
 * The worker of a Nest application: starts when every module is ready, and drains before providers are destroyed, so that handlers
 * still have what they use. (`app.enableShutdownHooks()` makes SIGTERM do that; what handlers need should close in
 * `onApplicationShutdown`, not earlier.)
 */
export class EvenkeelWorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger: NestLogger = new NestLogger('EvenkeelWorker');
  private running: EvenkeelWorker | undefined;

  /** With the secret: no log that prints this object shows it. */
  readonly #options: EvenkeelWorkerModuleOptions;
  /** Knows every provider of the application, and so the options too. */
  readonly #discovery: DiscoveryService;

  constructor(
    options: EvenkeelWorkerModuleOptions,
    discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {
    this.#options = options;
    this.#discovery = discovery;
  }

  /** undefined if no method is marked with `@OnTask`. */
  get worker(): EvenkeelWorker | undefined {
    return this.running;
  }

  async onApplicationBootstrap(): Promise<void> {
    const methods = taskMethods(this.#discovery, this.scanner);
    if (methods.length === 0) {
      this.logger.warn('no method is marked with @OnTask: no worker is started');
      return;
    }
    const { waitForCentre = false, ...options } = this.#options;
    const worker = createWorker({ ...options, logger: options.logger ?? nestLogger(this.logger) });
    for (const { task, options: handleOptions, run } of methods) worker.handle(task as string, handleOptions, run);
    this.running = worker;
    const started = worker.start().then(() => {
      worker.displaced.catch((error) => this.logger.error(`the worker was displaced: ${error.message}`));
    });
    if (waitForCentre) await started;
    else started.catch((error) => this.logger.error(`the worker did not start: ${error.message}`));
  }

  async onModuleDestroy(): Promise<void> {
    await this.running?.stop();
  }
}

/** The worker's lines in the application's log. */
function nestLogger(nest: NestLogger): Logger {
  const line = (message: string, fields: LogFields = {}) =>
    Object.keys(fields).length === 0 ? message : `${message} ${safeJson(fields)}`;
  return {
    debug: (message, fields) => nest.debug(line(message, fields)),
    info: (message, fields) => nest.log(line(message, fields)),
    warn: (message, fields) => nest.warn(line(message, fields)),
    error: (message, fields) => nest.error(line(message, fields)),
  };
}
