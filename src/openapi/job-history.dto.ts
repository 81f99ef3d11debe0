import {
  BACKFILL_STATES,
  type BackfillAnswer,
  type BackfillJob,
  type BackfillList,
  type BackfillView,
  type JobSchedule,
  type JobVersionList,
  type JobVersionView,
  type JobView,
  type Json,
  type RestoreJob,
  type RetryPolicy,
  ROUTINGS,
  type Routing,
} from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { JOB_BOUNDS, MISFIRES } from '../decisions/check-job.js';
import { CLIENT_REQUEST_ID } from '../decisions/check-submission.js';
import { OVERLAPS } from '../decisions/overlap.js';
import { JOB_SCHEDULE_SCHEMAS } from './job-schedule.schema.js';
import { RETRY_POLICY_SCHEMAS } from './retry-policy.schema.js';

const INSTANT = { format: 'date-time', example: '2026-01-01T00:00:00.000Z' };
const TEXT_OR_NULL = { type: String, nullable: true };
const INTEGER_OR_NULL = { type: 'integer', nullable: true } as const;

class JobVersionDto implements JobVersionView {
  @ApiProperty({ type: 'integer', example: 1 })
  version: number;
  @ApiProperty({ description: '`app:<id>` or `operator`.', example: 'app:app_01JGEXAMP1E000000000000000' })
  changedBy: string;
  @ApiProperty(INSTANT)
  changedAt: string;
  @ApiProperty({ example: 'send-report' })
  handler: string;
  @ApiProperty({ oneOf: JOB_SCHEDULE_SCHEMAS, example: { kind: 'cron', expression: '0 8 * * 1-5', timeZone: 'Europe/Berlin' } })
  schedule: JobSchedule;
  @ApiProperty({ example: 'Europe/Berlin' })
  timeZone: string;
  @ApiProperty({ enum: OVERLAPS })
  overlap: JobView['overlap'];
  @ApiProperty({ type: 'integer' })
  maxParallel: number;
  @ApiProperty({ enum: MISFIRES })
  misfire: JobView['misfire'];
  @ApiProperty({ type: 'integer' })
  misfireWindowMs: number;
  @ApiProperty({ ...INTEGER_OR_NULL, description: 'null, here and below: its group or the system decides.' })
  priority: number | null;
  @ApiProperty(INTEGER_OR_NULL)
  timeoutMs: number | null;
  @ApiProperty({ oneOf: [...RETRY_POLICY_SCHEMAS, { type: 'null' }] })
  retry: RetryPolicy | null;
  @ApiProperty({ type: Boolean, nullable: true })
  repeatable: boolean | null;
  @ApiProperty({ enum: ROUTINGS, nullable: true })
  routing: Routing | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  metadata: Record<string, string>;
  @ApiProperty(TEXT_OR_NULL)
  owner: string | null;
  @ApiProperty({ type: [String] })
  tags: string[];
  @ApiProperty(TEXT_OR_NULL)
  description: string | null;
  @ApiProperty({ 'x-any-json': true, description: 'As stated, digit for digit.' } as object)
  params: Json;
}

export class JobVersionListDto implements JobVersionList {
  @ApiProperty({ type: [JobVersionDto] })
  items: JobVersionDto[];
}

export class RestoreJobDto implements RestoreJob {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The current version, as for any edit.', example: 3 })
  version: number;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The version whose definition is to be the next.', example: 1 })
  restore: number;
}

export class BackfillJobDto implements BackfillJob {
  @ApiProperty({ ...INSTANT, description: 'Fires from this instant on.' })
  from: string;
  @ApiProperty({ ...INSTANT, description: 'Fires before this instant; not later than now.' })
  until: string;
  @ApiPropertyOptional({ default: false, description: 'true: tells the fires and makes nothing.' })
  dryRun?: boolean;
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 10, default: 1, description: 'Of its tasks; 10 goes first.' })
  priority?: number;
  @ApiPropertyOptional({
    type: 'integer',
    minimum: JOB_BOUNDS.maxParallel.min,
    maximum: JOB_BOUNDS.maxParallel.max,
    description: 'Its tasks that are unfinished at once. Default: with the overlap `allow` as many as that, else one.',
  })
  maxParallel?: number;
  @ApiPropertyOptional({
    pattern: CLIENT_REQUEST_ID.source,
    description: 'Makes the request safe to repeat.',
    example: 'backfill-january',
  })
  clientRequestId?: string;
}

class BackfillViewDto implements BackfillView {
  @ApiProperty({ pattern: '^bkf_[0-9A-HJKMNP-TV-Z]{26}$', example: 'bkf_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty({ enum: BACKFILL_STATES })
  state: BackfillView['state'];
  @ApiProperty(INSTANT)
  from: string;
  @ApiProperty(INSTANT)
  until: string;
  @ApiProperty({ type: 'integer', description: 'Fires of the whole span.' })
  fires: number;
  @ApiProperty({ type: 'integer', description: 'Tasks made so far.' })
  made: number;
  @ApiProperty({ type: 'integer' })
  priority: number;
  @ApiProperty({ type: 'integer' })
  maxParallel: number;
  @ApiProperty(INSTANT)
  createdAt: string;
}

export class BackfillAnswerDto implements BackfillAnswer {
  @ApiProperty({ type: BackfillViewDto, nullable: true, description: 'null for a dry run.' })
  backfill: BackfillViewDto | null;
  @ApiProperty({ type: 'integer', description: 'How many fires the span has.' })
  count: number;
  @ApiProperty({ type: [String], description: 'All of them, earliest first, for a dry run.' })
  fires: string[];
}

export class BackfillListDto implements BackfillList {
  @ApiProperty({ type: [BackfillViewDto] })
  items: BackfillViewDto[];
}
