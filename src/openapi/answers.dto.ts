import {
  type AttemptOutcome,
  type AttemptView,
  type BatchAnswer,
  type BatchItemResult,
  type FieldError,
  type Json,
  type MeAnswer,
  PROBLEM_CODES,
  type Problem,
  type ProblemCode,
  REASON_CODES,
  type ReasonCode,
  TASK_STATES,
  type TaskError,
  type TaskList,
  type TaskReceipt,
  type TaskState,
  type TaskView,
  type TimelineEntry,
} from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const TASK_ID = 'task_01JGEXAMPLE0000000000000000';
const INSTANT = { format: 'date-time', example: '2026-01-01T00:00:00.000Z' };
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

export class TaskSummaryDto extends TaskReceiptDto implements Omit<TaskView, 'timeline' | 'attempts' | 'params' | 'result'> {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 10, example: 5 })
  priority: number;
  @ApiProperty({ type: 'integer', example: 60000 })
  timeoutMs: number;
  @ApiProperty({ ...INSTANT, description: 'When it was first planned for; dueAt moves with retries.' })
  scheduledAt: string;
  @ApiProperty({ type: String, nullable: true, description: 'The job that made it; null for a submitted task.' })
  jobId: string | null;
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
  @ApiProperty({ example: 'app:app_01JGEXAMPLE0000000000000000' })
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
  @ApiProperty({ 'x-any-json': true, description: 'What the handler returned; null until it succeeded.' } as object)
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
  @ApiProperty({ example: 'wrong_type' })
  code: string;
  @ApiProperty({ example: 'must be a number, not a string' })
  message: string;
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
  @ApiProperty({ example: 'app_01JGEXAMPLE0000000000000000' })
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
  @ApiProperty(INSTANT)
  serverTime: string;
}

/** Further members depend on the code: existingTaskId, existingJobId, statedVersion, currentVersion, current, currentStatus, serverTime, maxBytes, maxItems, violated-policies. */
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
  @ApiProperty({ example: '/requests/req_01JGEXAMPLE0000000000000000' })
  instance: string;
  @ApiProperty({ enum: PROBLEM_CODES, enumName: 'ProblemCode' })
  code: ProblemCode;
  @ApiProperty({ example: 'req_01JGEXAMPLE0000000000000000' })
  requestId: string;
  @ApiProperty({ description: 'The same request may succeed later without a change.' })
  retryable: boolean;
  @ApiPropertyOptional({ type: [FieldErrorDto] })
  errors?: FieldErrorDto[];
}
