export type {
  BatchAnswer,
  BatchItemResult,
  Json,
  MeAnswer,
  Problem,
  RetryPolicy,
  SubmitTask,
  TaskList,
  TaskReceipt,
  TaskState,
  TaskView,
} from '../contract/index.js';
export type { StandardSchemaV1 } from '../task/standard-schema.js';
export { defineTask, type Task } from '../task/task.js';
export { EvenkeelProblem } from '../transport/problem.js';
export { TransportError } from '../transport/transport-error.js';
export {
  type BatchItem,
  type ClientOptions,
  createClient,
  type EvenkeelClient,
  type ListQuery,
  type SubmitOptions,
  WaitTimeoutError,
} from './evenkeel-client.js';
