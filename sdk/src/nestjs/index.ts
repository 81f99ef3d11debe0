export { defineTask, type Task } from '../task/task.js';
export type { AttemptContext, Shard } from '../worker/attempt-context.js';
export { AttemptAborted, NonRetryableError, RegistrationRefused, RetryAfterError } from '../worker/errors.js';
export type { HandleOptions } from '../worker/handler.js';
export { EvenkeelWorkerModule, type EvenkeelWorkerModuleAsyncOptions } from './evenkeel-worker.module.js';
export { OnTask } from './on-task.js';
export { EvenkeelWorkerHost, type EvenkeelWorkerModuleOptions } from './worker-host.js';
