import { JOB_STATES, LIMITS } from '@evenkeel/sdk/contract';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { TaskViewDto } from '../answers.dto.js';
import {
  ChangeJobDto,
  CreateJobDto,
  JobListDto,
  JobReceiptDto,
  JobViewDto,
  NextFiresDto,
  PauseJobDto,
  TriggerJobDto,
} from '../job.dto.js';
import { MOST_FIRES } from '../task-query.js';
import { header } from './shared-components.js';

const ID = ApiParam({
  name: 'id',
  schema: { type: 'string', pattern: '^job_[0-9A-HJKMNP-TV-Z]{26}$' },
  example: 'job_01JGEXAMP1E000000000000000',
});
const filter = (name: string, description: string, schema: object) => ApiQuery({ name, required: false, description, schema });
const operation = (operationId: string, summary: string, description: string) =>
  ApiOperation({ operationId, summary, description });
const theJob = (description: string) => ApiResponse({ status: 200, description, type: JobViewDto });
const REPLAYABLE = { Location: header('Location'), 'Idempotent-Replayed': header('Idempotent-Replayed') };
const SCHEDULE = { kind: 'cron', expression: '0 8 * * 1-5', timeZone: 'Europe/Berlin' };

export const CreateJobOperation = () =>
  applyDecorators(
    operation(
      'createJob',
      'Create a job',
      'Answers the receipt after the job is durable; from then on it fires by its schedule. ' +
        'Repeated with its `clientRequestId` after the job was deleted, it creates none: `state_conflict` with `deletedJobId`.',
    ),
    ApiBody({
      type: CreateJobDto,
      examples: { daily: { value: { key: 'morning-report', handler: 'send-report', schedule: SCHEDULE } } },
    }),
    ApiResponse({
      status: 201,
      description: 'Created, or created before with the same clientRequestId.',
      type: JobReceiptDto,
      headers: { ...REPLAYABLE, 'Evenkeel-Warnings': header('Evenkeel-Warnings') },
    }),
  );

export const ListJobsOperation = () =>
  applyDecorators(
    operation('listJobs', "List the app's jobs", 'Newest first, without params.'),
    filter('group', 'Key of a group.', { type: 'string', maxLength: LIMITS.groupKeyLength }),
    filter('key', 'Exactly this key.', { type: 'string', maxLength: LIMITS.groupKeyLength }),
    filter('state', 'Only jobs that are so.', { type: 'string', enum: [...JOB_STATES] }),
    filter('limit', 'Jobs per page.', { type: 'integer', minimum: 1, maximum: LIMITS.listPage, default: 50 }),
    filter('cursor', 'nextCursor of the page before.', { type: 'string' }),
    ApiResponse({ status: 200, description: 'One page.', type: JobListDto }),
  );

export const GetJobOperation = () =>
  applyDecorators(operation('getJob', 'Look at a job', 'The job as it is now.'), ID, theJob('The job.'));

export const ChangeJobOperation = () =>
  applyDecorators(
    operation(
      'changeJob',
      'Change a job',
      'Replaces the whole definition. Made from another version than the current one, it is refused.',
    ),
    ID,
    ApiBody({
      type: ChangeJobDto,
      examples: { daily: { value: { version: 1, handler: 'send-report', schedule: SCHEDULE } } },
    }),
    theJob('The job, one version on.'),
  );

export const DeleteJobOperation = () =>
  applyDecorators(
    operation(
      'deleteJob',
      'Delete a job',
      'It fires no more. Its tasks stay, and keep its id. Its `clientRequestId` creates no other job for as long as tasks are kept.',
    ),
    ID,
    ApiResponse({ status: 204, description: 'Deleted.' }),
  );

export const PauseJobOperation = () =>
  applyDecorators(
    operation('pauseJob', 'Pause a job', 'It fires no more until it is resumed; what is going goes on.'),
    ID,
    ApiBody({ type: PauseJobDto, required: false, examples: { reason: { value: { reason: 'maintenance' } } } }),
    theJob('The job, paused.'),
  );

export const ResumeJobOperation = () =>
  applyDecorators(
    operation('resumeJob', 'Resume a job', 'By its misfire rule at most one fire is made up for, never a burst.'),
    ID,
    theJob('The job, active.'),
  );

export const TriggerJobOperation = () =>
  applyDecorators(
    operation(
      'triggerJob',
      'Run a job now',
      'One task outside the schedule, perhaps with other params. Its overlap rule decides what becomes of it, unless forced.',
    ),
    ID,
    ApiBody({ type: TriggerJobDto, required: false, examples: { other: { value: { params: { month: '2026-01' } } } } }),
    ApiResponse({ status: 202, description: 'The task.', type: TaskViewDto, headers: REPLAYABLE }),
  );

export const NextFiresOperation = () =>
  applyDecorators(
    operation('nextFires', 'When a job fires next', 'By the function that fires it.'),
    ID,
    filter('n', 'How many.', { type: 'integer', minimum: 1, maximum: MOST_FIRES, default: 5 }),
    ApiResponse({ status: 200, description: 'The next fires, earliest first.', type: NextFiresDto }),
  );
