import {
  type AttemptOutcome,
  type AttemptView,
  type BatchAnswer,
  type BatchItemResult,
  type FieldError,
  type FieldErrorCode,
  type Json,
  type MeAnswer,
  PROBLEM_CODES,
  type Problem,
  type ProblemCode,
  REASON_CODES,
  type ReasonCode,
  type ShardProgress,
  type ShardView,
  TASK_STATES,
  type TaskError,
  type TaskList,
  type TaskReceipt,
  type TaskState,
  type TaskView,
  type TimelineEntry,
} from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';

const TASK_ID = 'task_01JGEXAMP1E000000000000000';
const INSTANT = { format: 'date-time', example: '2026-01-01T00:00:00.000Z' };
const values = (description: string, example: Record<string, string>): ApiPropertyOptions => ({
  type: 'object',
  additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  description,
  example,
});
const INSTANT_OR_NULL = { type: String, nullable: true, ...INSTANT };
const OUTCOMES: AttemptOutcome[] = ['running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'drained', 'lost', 'late'];

export class TaskErrorDto implements TaskError {
  @ApiProperty({ example: 'Error' })
  name: string;
  @ApiProperty({ example: 'the printer is out of paper' })
  message: string;
  @ApiPropertyOptional()
  stack?: string;
}

export class TaskReceiptDto implements TaskReceipt {
  @ApiProperty({ pattern: '^task_[0-9A-HJKMNP-TV-Z]{26}$', example: TASK_ID })
  id: string;
  @ApiProperty({ type: String, nullable: true, example: 'order-2026-000001' })
  clientRequestId: string | null;
  @ApiProperty({ example: 'send-report' })
  handler: string;
  @ApiProperty({ example: 'reports' })
  group: string;
  @ApiProperty({ enum: TASK_STATES, example: 'PENDING' })
  status: TaskState;
  @ApiProperty({ ...INSTANT, description: 'When it is due.' })
  dueAt: string;
  @ApiProperty(INSTANT)
  createdAt: string;
}

class ShardShareDto {
  @ApiProperty({ type: Number, minimum: 0, maximum: 1, example: 0 })
  from: number;
  @ApiProperty({ type: Number, minimum: 0, maximum: 1, example: 0.5 })
  to: number;
}

export class ShardViewDto implements ShardView {
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  index: number;
  @ApiProperty({ type: 'integer', minimum: 1, example: 4 })
  total: number;
  @ApiPropertyOptional({ type: ShardShareDto, description: 'Of a broadcast: from is included, to is not.' })
  share?: ShardShareDto;
}

export class ShardProgressDto implements ShardProgress {
  @ApiProperty({ type: 'integer', description: '0 while a broadcast waits for a worker.', example: 4 })
  total: number;
  @ApiProperty({ type: 'integer', description: 'Ended, in whatever way.', example: 2 })
  done: number;
  @ApiProperty({ type: 'integer', description: 'Ended without success.', example: 0 })
  failed: number;
  @ApiProperty({ type: 'integer', example: 1 })
  running: number;
  @ApiProperty({ type: 'integer', example: 1 })
  pending: number;
}

export class TaskSummaryDto extends TaskReceiptDto implements Omit<TaskView, 'timeline' | 'attempts' | 'params' | 'result'> {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 10, example: 5 })
  priority: number;
  @ApiProperty({ type: 'integer', example: 60000 })
  timeoutMs: number;
  @ApiProperty({ ...INSTANT, description: 'When it was first planned for; dueAt moves with retries.' })
  scheduledAt: string;
  @ApiProperty({ type: String, nullable: true, description: 'The job that made it; null for a submitted task.' })
  jobId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The task its flow began with; null while nothing depends on it and it on nothing. A task of a job begins one when it ends.',
  })
  flowId: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The task this is a shard of; null for a task that is none.' })
  parentId: string | null;
  @ApiProperty({ type: ShardViewDto, nullable: true, description: 'Which shard it is.' })
  shard: ShardViewDto | null;
  @ApiProperty({ type: ShardProgressDto, nullable: true, description: 'How far its shards are; null for a task without.' })
  shards: ShardProgressDto | null;
  @ApiProperty(INSTANT_OR_NULL)
  startedAt: string | null;
  @ApiProperty(INSTANT_OR_NULL)
  finishedAt: string | null;
  @ApiProperty({ type: 'integer', description: 'Attempts begun so far.', example: 1 })
  attempt: number;
  @ApiProperty({ enum: REASON_CODES, nullable: true, description: 'Why it is not running, or why it ended as it did.' })
  reason: ReasonCode | null;
  @ApiProperty({ description: 'A cancel was asked for and its worker told.' })
  cancelRequested: boolean;
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  progress: number | null;
  @ApiProperty({ type: TaskErrorDto, nullable: true })
  error: TaskErrorDto | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { order: '4711' } })
  metadata: Record<string, string>;
  @ApiProperty({ type: String, nullable: true, example: 'https://hooks.partner.example/evenkeel' })
  callbackUrl: string | null;
}

export class TimelineEntryDto implements TimelineEntry {
  @ApiProperty({ type: 'integer', description: 'Version of the task after the write; strictly increasing.', example: 1 })
  seq: number;
  @ApiProperty({ enum: TASK_STATES, nullable: true })
  from: TaskState | null;
  @ApiProperty({ enum: TASK_STATES })
  to: TaskState;
  @ApiProperty(INSTANT)
  at: string;
  @ApiProperty({ example: 'app:app_01JGEXAMP1E000000000000000' })
  actor: string;
  @ApiPropertyOptional({ enum: REASON_CODES })
  reason?: ReasonCode;
  @ApiPropertyOptional({ type: 'integer' })
  attempt?: number;
  @ApiPropertyOptional()
  worker?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'How many like this one in a row; absent for one.' })
  count?: number;
  @ApiPropertyOptional({ ...INSTANT, description: 'When the last of them was.' })
  lastAt?: string;
}

export class AttemptViewDto implements AttemptView {
  @ApiProperty({ type: 'integer', example: 1 })
  attempt: number;
  @ApiProperty({ type: String, nullable: true })
  worker: string | null;
  @ApiProperty(INSTANT_OR_NULL)
  startedAt: string | null;
  @ApiProperty(INSTANT_OR_NULL)
  endedAt: string | null;
  @ApiProperty({ enum: OUTCOMES })
  outcome: AttemptOutcome;
  @ApiProperty({ type: TaskErrorDto, nullable: true })
  error: TaskErrorDto | null;
}

export class TaskViewDto extends TaskSummaryDto implements TaskView {
  @ApiProperty({ 'x-any-json': true, description: 'As submitted, digit for digit.' } as object)
  params: Json;
  @ApiProperty({
    'x-any-json': true,
    description:
      'What the handler returned; null until it succeeded. Of a task with shards, once it has ended: counts and its first shards.',
  } as object)
  result: Json;
  @ApiProperty({ type: [TimelineEntryDto] })
  timeline: TimelineEntryDto[];
  @ApiProperty({ type: [AttemptViewDto] })
  attempts: AttemptViewDto[];
}

export class TaskListDto implements TaskList {
  @ApiProperty({ type: [TaskSummaryDto] })
  items: TaskSummaryDto[];
  @ApiProperty({ type: String, nullable: true, description: 'Pass it as `cursor` for the next page; null on the last.' })
  nextCursor: string | null;
}

export class FieldErrorDto implements FieldError {
  @ApiProperty({ description: 'RFC 6901 pointer into the body, or /query/<name>.', example: '/delayMs' })
  pointer: string;
  @ApiProperty({ type: String, example: 'wrong_type' })
  code: FieldErrorCode;
  @ApiProperty({ example: 'must be a number, not a string' })
  message: string;
  @ApiPropertyOptional({ description: 'The rule by name, for a text of your own; more may be added.', example: 'number' })
  rule?: string;
  @ApiPropertyOptional(values('The values the message tells, by name.', { got: 'a string' }))
  params?: Record<string, string | number>;
}

class BatchItemErrorDto {
  @ApiProperty({ enum: PROBLEM_CODES, enumName: 'ProblemCode' })
  code: ProblemCode;
  @ApiProperty()
  detail: string;
  @ApiPropertyOptional({ type: [FieldErrorDto] })
  errors?: FieldErrorDto[];
  @ApiPropertyOptional({ example: TASK_ID })
  existingTaskId?: string;
}

export class BatchItemResultDto implements BatchItemResult {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Place of the item in the request.' })
  index: number;
  @ApiProperty({ type: String, nullable: true })
  clientRequestId: string | null;
  @ApiProperty({ enum: ['accepted', 'replayed', 'rejected'] })
  outcome: BatchItemResult['outcome'];
  @ApiPropertyOptional({ type: TaskReceiptDto })
  task?: TaskReceiptDto;
  @ApiPropertyOptional({ type: BatchItemErrorDto })
  error?: BatchItemErrorDto;
}

class BatchSummaryDto {
  @ApiProperty({ type: 'integer' })
  accepted: number;
  @ApiProperty({ type: 'integer' })
  replayed: number;
  @ApiProperty({ type: 'integer' })
  rejected: number;
}

export class BatchAnswerDto implements BatchAnswer {
  @ApiProperty({ type: BatchSummaryDto })
  summary: BatchSummaryDto;
  @ApiProperty({ type: [BatchItemResultDto], description: 'One per item, in the order of the request.' })
  results: BatchItemResultDto[];
}

class MeAppDto {
  @ApiProperty({ example: 'app_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty({ example: 'Example Ltd' })
  name: string;
}

class MeLimitsDto {
  @ApiProperty({ example: 20 })
  requestsPerSecond: number;
  @ApiProperty({ example: 40 })
  requestBurst: number;
  @ApiProperty({ example: 200 })
  tasksPerSecond: number;
  @ApiProperty({ example: 1000 })
  taskBurst: number;
  @ApiProperty({
    example: 100000,
    description: 'Tasks of the app that have not ended; about so many, counted every few seconds.',
  })
  unfinishedTasks: number;
  @ApiProperty({
    example: 100000,
    description: 'Callbacks of the app that wait to be sent; beyond them submits that state a callbackUrl are refused.',
  })
  pendingCallbacks: number;
}

class MeCallbacksDto {
  @ApiProperty({ example: 0, description: 'Callbacks that wait to be sent, counted every few seconds.' })
  pending: number;
}

export class MeAnswerDto implements MeAnswer {
  @ApiProperty({ type: MeAppDto })
  app: MeAppDto;
  @ApiProperty({ example: 'ak_test_EXAMPLEEXAMPLEEXAMPL' })
  accessKey: string;
  @ApiProperty({ type: [String], example: ['tasks:read', 'tasks:write'] })
  scopes: string[];
  @ApiProperty({ type: [String], example: ['default', 'reports'] })
  groups: string[];
  @ApiProperty({ example: 'default' })
  defaultGroup: string;
  @ApiProperty({ type: MeLimitsDto })
  limits: MeLimitsDto;
  @ApiProperty({ type: MeCallbacksDto })
  callbacks: MeCallbacksDto;
  @ApiProperty(INSTANT)
  serverTime: string;
}

/** Further members depend on the code: existingTaskId, existingJobId, existingBackfillId, deletedJobId, statedVersion, currentVersion, current, currentStatus, serverTime, maxBytes, maxItems, violated-policies. */
export class ProblemDto implements Problem {
  [extension: string]: unknown;
  @ApiProperty({ format: 'uri-reference', example: '/openapi/problems/validation_failed' })
  type: string;
  @ApiProperty({ example: 'A field breaks a rule' })
  title: string;
  @ApiProperty({ type: 'integer', example: 400 })
  status: number;
  @ApiProperty({ example: '/delayMs must be a number, not a string' })
  detail: string;
  @ApiProperty({ example: '/requests/req_01JGEXAMP1E000000000000000' })
  instance: string;
  @ApiProperty({ enum: PROBLEM_CODES, enumName: 'ProblemCode' })
  code: ProblemCode;
  @ApiProperty({ example: 'req_01JGEXAMP1E000000000000000' })
  requestId: string;
  @ApiProperty({ description: 'The same request may succeed later without a change.' })
  retryable: boolean;
  @ApiPropertyOptional({ type: [FieldErrorDto] })
  errors?: FieldErrorDto[];
  @ApiPropertyOptional({
    example: 'group_archived',
    description: 'Where the code has several reasons: which one, by name, for a text of your own; more may be added.',
  })
  reason?: string;
  @ApiPropertyOptional(values('The values the detail tells, by name.', { group: 'reports' }))
  params?: Record<string, string | number>;
}
