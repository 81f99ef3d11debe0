export type { CancelReason, Json } from '../contract/index.js';
export type { StandardSchemaV1 } from '../task/standard-schema.js';
export { defineTask, type Task } from '../task/task.js';
export type { AttemptContext, Shard } from './attempt-context.js';
export { createWorker, type EvenkeelWorker, type HandlerFunction } from './create-worker.js';
export { AttemptAborted, NonRetryableError, RegistrationRefused, RetryAfterError } from './errors.js';
export type { HandleOptions } from './handler.js';
export { jsonLogger, type LogFields, type Logger, type LogLevel } from './logger.js';
export type { WorkerOptions } from './options.js';
