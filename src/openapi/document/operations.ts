import { LIMITS, TASK_STATES } from '@evenkeel/sdk/contract';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { BatchAnswerDto, MeAnswerDto, TaskListDto, TaskReceiptDto, TaskViewDto } from '../answers.dto.js';
import { BatchRequestDto, SubmitTaskDto } from '../submit-task.dto.js';
import { TaskLogPageDto } from '../task-logs.dto.js';
import { LOG_LINES } from '../task-query.js';
import { header } from './shared-components.js';

const ID = ApiParam({
  name: 'id',
  schema: { type: 'string', pattern: '^task_[0-9A-HJKMNP-TV-Z]{26}$' },
  example: 'task_01JGEXAMP1E000000000000000',
});
const filter = (name: string, description: string, schema: object) => ApiQuery({ name, required: false, description, schema });

export const SubmitTaskOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'submitTask',
      summary: 'Submit a task',
      description:
        'Answers the receipt after the task is durable. Send the same clientRequestId again after a timeout, a 5xx or nonce_reused, signed anew: ' +
        'the answer is the same bytes with `Idempotent-Replayed: true`, and no second task exists.',
    }),
    ApiBody({
      type: SubmitTaskDto,
      examples: {
        minimal: { value: { handler: 'send-report' } },
        full: {
          value: {
            handler: 'send-report',
            params: { month: '2026-01' },
            group: 'reports',
            delayMs: 60000,
            priority: 8,
            timeoutMs: 120000,
            retry: { kind: 'exponential', maxRetries: 5, delayMs: 1000, factor: 2 },
            metadata: { order: '4711' },
            clientRequestId: 'order-2026-000001',
          },
        },
        dependent: { value: { handler: 'send-report', dependsOn: ['task_01JGEXAMP1E000000000000000'] } },
      },
    }),
    ApiResponse({
      status: 202,
      description: 'Accepted, or accepted before with the same clientRequestId.',
      type: TaskReceiptDto,
      headers: { Location: header('Location'), 'Idempotent-Replayed': header('Idempotent-Replayed') },
    }),
  );

export const SubmitBatchOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'submitBatch',
      summary: `Submit up to ${LIMITS.batchItems} tasks`,
      description:
        'Items stand alone: each is accepted, replayed or rejected by itself, and the answer says so at its place. A malformed envelope creates nothing.',
    }),
    ApiBody({
      type: BatchRequestDto,
      examples: {
        two: { value: { items: [1, 2].map((n) => ({ handler: 'send-report', clientRequestId: `order-2026-00000${n}` })) } },
      },
    }),
    ApiResponse({ status: 202, description: 'What became of each item.', type: BatchAnswerDto }),
  );

export const RunTaskOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'runTask',
      summary: 'Submit a task and wait for its end',
      description:
        'For work of a moment: answers the finished task, or its receipt if it has not ended within 3 s; ask for it then as for any task. Work that is ' +
        'declared to take 3 s or more, or whose handler took so long of late, is refused: submit it with `POST /tasks`. Repeatable as that is, and with the same ids.',
    }),
    ApiBody({
      type: SubmitTaskDto,
      examples: {
        minimal: { value: { handler: 'check-address' } },
        full: {
          value: {
            handler: 'check-address',
            params: { zip: '10115' },
            expectedDurationMs: 200,
            clientRequestId: 'order-2026-000001',
          },
        },
      },
    }),
    ApiResponse({
      status: 200,
      description: 'The task, which has ended: succeeded or not.',
      type: TaskViewDto,
      headers: { Location: header('Location'), 'Idempotent-Replayed': header('Idempotent-Replayed') },
    }),
    ApiResponse({
      status: 202,
      description: 'The receipt: the task goes on.',
      type: TaskReceiptDto,
      headers: { Location: header('Location'), 'Idempotent-Replayed': header('Idempotent-Replayed') },
    }),
  );

export const ListTasksOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listTasks',
      summary: "List the app's tasks",
      description: 'Newest first, without params, results, timelines and attempts.',
    }),
    ApiQuery({
      name: 'status',
      required: false,
      isArray: true,
      enum: TASK_STATES,
      description: 'May be repeated; the order means nothing.',
    }),
    filter('clientRequestId', 'The one task with this id.', { type: 'string' }),
    filter('handler', 'Exactly this handler.', { type: 'string', maxLength: LIMITS.handlerLength }),
    filter('group', 'Key of a group.', { type: 'string', maxLength: LIMITS.groupKeyLength }),
    filter('jobId', 'Tasks of this job.', { type: 'string' }),
    filter('flowId', 'Tasks of this flow.', { type: 'string' }),
    filter('parentId', 'The shards of this task. Without it, no shards are listed.', { type: 'string' }),
    filter('createdAfter', 'Created at or after this instant.', { type: 'string', format: 'date-time' }),
    filter('createdBefore', 'Created before this instant.', { type: 'string', format: 'date-time' }),
    filter('limit', 'Tasks per page.', { type: 'integer', minimum: 1, maximum: LIMITS.listPage, default: 50 }),
    filter('cursor', 'nextCursor of the page before.', { type: 'string' }),
    ApiResponse({ status: 200, description: 'One page.', type: TaskListDto }),
  );

export const GetTaskOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getTask',
      summary: 'Look at a task',
      description: 'With `wait`, answers as soon as the task has ended, or after that many seconds.',
    }),
    ID,
    filter('wait', 'Seconds to wait for the end.', { type: 'integer', minimum: 0, maximum: LIMITS.waitSeconds, default: 0 }),
    ApiResponse({
      status: 200,
      description: 'The task as it is now. Retry-After says when to look again while it has not ended.',
      type: TaskViewDto,
      headers: { 'Retry-After': header('Retry-After') },
    }),
  );

export const GetTaskLogsOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getTaskLogs',
      summary: 'Read what a task logged',
      description:
        'Lines of all attempts in order, also while the task runs. At most ' +
        `${LIMITS.attemptLogBytes} bytes of an attempt are kept; its last line then says so. With \`wait\`, answers as soon as there is a line.`,
    }),
    ID,
    filter('cursor', 'nextCursor of the answer before.', { type: 'string' }),
    filter('limit', 'Lines per answer.', { type: 'integer', minimum: 1, maximum: LOG_LINES, default: LIMITS.listPage }),
    filter('wait', 'Seconds to wait for a line or the end.', {
      type: 'integer',
      minimum: 0,
      maximum: LIMITS.waitSeconds,
      default: 0,
    }),
    ApiResponse({ status: 200, description: 'The lines after the cursor.', type: TaskLogPageDto }),
  );

export const CancelTaskOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'cancelTask',
      summary: 'Cancel a task',
      description: 'A task that may be running is stopped by its worker: the end follows.',
    }),
    ID,
    ApiResponse({ status: 200, description: 'Cancelled, now or before.', type: TaskViewDto }),
    ApiResponse({ status: 202, description: 'Its worker was asked to stop.', type: TaskViewDto }),
  );

export const RetryTaskOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'retryTask',
      summary: 'Retry a task that ended without success',
      description:
        'Opens another attempt of a FAILED, TIMED_OUT or CANCELLED task, with all its retries again; it waits (BLOCKED) while another task of its job ' +
        'has its turn. Tasks that were skipped because of it wait for it again, so its flow goes on from there.',
    }),
    ID,
    ApiResponse({ status: 202, description: 'The task, waiting for its next attempt.', type: TaskViewDto }),
  );

export const WhoAmIOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'whoAmI',
      summary: 'Who am I, and what may I do',
      description: 'The first call to make: it proves the signature and tells the time.',
    }),
    ApiResponse({ status: 200, description: 'The app behind the access key.', type: MeAnswerDto }),
  );
