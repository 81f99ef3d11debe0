import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { JobViewDto } from '../job.dto.js';
import { BackfillAnswerDto, BackfillJobDto, BackfillListDto, JobVersionListDto, RestoreJobDto } from '../job-history.dto.js';
import { header } from './shared-components.js';

const ID = ApiParam({
  name: 'id',
  schema: { type: 'string', pattern: '^job_[0-9A-HJKMNP-TV-Z]{26}$' },
  example: 'job_01JGEXAMP1E000000000000000',
});
const SPAN = { from: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' };

export const ListJobVersionsOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listJobVersions',
      summary: 'What a job has been',
      description: 'Every definition, newest first.',
    }),
    ID,
    ApiResponse({ status: 200, description: 'The history.', type: JobVersionListDto }),
  );

export const RestoreJobOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'restoreJob',
      summary: 'Restore an earlier definition',
      description: 'It becomes the next version. Asked for from another version than the current one, it is refused.',
    }),
    ID,
    ApiBody({ type: RestoreJobDto, examples: { first: { value: { version: 3, restore: 1 } } } }),
    ApiResponse({ status: 200, description: 'The job, one version on.', type: JobViewDto }),
  );

export const BackfillJobOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'backfillJob',
      summary: 'Make up for the fires of a past span',
      description:
        'One task per fire of the span, beside the schedule and at the lowest priority unless stated. At most 10 000 fires. With `dryRun` it answers 200 with the fires and makes nothing.',
    }),
    ID,
    ApiBody({ type: BackfillJobDto, examples: { look: { value: { ...SPAN, dryRun: true } }, run: { value: SPAN } } }),
    ApiResponse({ status: 200, description: 'A dry run: the fires.', type: BackfillAnswerDto }),
    ApiResponse({
      status: 202,
      description: 'Its tasks are being made, also if a node dies.',
      type: BackfillAnswerDto,
      headers: { 'Idempotent-Replayed': header('Idempotent-Replayed') },
    }),
  );

export const ListBackfillsOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listBackfills',
      summary: 'How far backfills are',
      description: 'The latest hundred, newest first.',
    }),
    ID,
    ApiResponse({ status: 200, description: 'The backfills.', type: BackfillListDto }),
  );
