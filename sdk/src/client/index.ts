export type {
  BatchAnswer,
  BatchItemResult,
  ChangeJob,
  CreateJob,
  EventReceipt,
  JobList,
  JobReceipt,
  JobSchedule,
  JobView,
  Json,
  MeAnswer,
  NextFires,
  Problem,
  RetryPolicy,
  SubmitTask,
  TaskList,
  TaskReceipt,
  TaskState,
  TaskView,
  TriggerJob,
} from '../contract/index.js';
export type { StandardSchemaV1 } from '../task/standard-schema.js';
export { defineTask, type Task } from '../task/task.js';
export { EvenkeelProblem } from '../transport/problem.js';
export { TransportError } from '../transport/transport-error.js';
export {
  type BatchItem,
  type ClientOptions,
  createClient,
  type EndedTask,
  type EvenkeelClient,
  type JobQuery,
  type ListQuery,
  type RunOptions,
  type SubmitOptions,
  type SubmittedTask,
  TaskNotSucceededError,
  WaitTimeoutError,
} from './evenkeel-client.js';
