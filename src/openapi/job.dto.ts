import {
  type ChangeJob,
  type CreateJob,
  JOB_STATES,
  JOB_WARNINGS,
  type JobDefinitionInput,
  type JobList,
  type JobReceipt,
  type JobSchedule,
  type JobStateName,
  type JobView,
  type JobWarning,
  type Json,
  type NextFires,
  type RetryPolicy,
  ROUTINGS,
  type Routing,
  SHARD_FAILURE_RULES,
  type ShardFailureRule,
  type TriggerJob,
} from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { JOB_BOUNDS, JOB_DEFAULTS, MISFIRES } from '../decisions/check-job.js';
import { GROUP_KEY } from '../decisions/check-submission.js';
import { OVERLAPS } from '../decisions/overlap.js';
import { JOB_SCHEDULE_SCHEMAS } from './job-schedule.schema.js';
import { RETRY_POLICY_SCHEMAS } from './retry-policy.schema.js';
import { SubmitTaskDto } from './submit-task.dto.js';

const INSTANT = { format: 'date-time', example: '2026-01-01T00:00:00.000Z' };
const INSTANT_OR_NULL = { type: String, nullable: true, ...INSTANT };
const TEXT_OR_NULL = { type: String, nullable: true };
const EXAMPLE_SCHEDULE = { kind: 'cron', expression: '0 8 * * 1-5', timeZone: 'Europe/Berlin' };
const ROUTING = ['routing', 'routingKey', 'preferZone', 'workerTags', 'workerZone'] as const;
const SHARED = [
  'handler',
  'params',
  'priority',
  'timeoutMs',
  'retry',
  'repeatable',
  ...ROUTING,
  'shards',
  'onShardFailure',
  'metadata',
  'callbackUrl',
] as const;
const OVERLAP = 'What becomes of a fire while the task before it is still going.';
const MISFIRE = 'What becomes of fires nobody could fire in time.';

class JobDefinitionDto extends PickType(SubmitTaskDto, SHARED) implements JobDefinitionInput {
  @ApiProperty({ oneOf: JOB_SCHEDULE_SCHEMAS, description: 'When it fires.', example: EXAMPLE_SCHEDULE })
  schedule: JobSchedule;
  @ApiPropertyOptional({
    type: [String],
    maxItems: JOB_BOUNDS.upstreams,
    description:
      'Keys of jobs of its group, or ids of jobs of the app, which it waits for. A job of the kind `upstream` fires once in each flow, when all of ' +
      'them have succeeded in it; one of the kinds `cron` and `every` waits for what they fire in its period: later than its fire before, up to its own.',
    example: ['collect-figures'],
  })
  upstreams?: string[];
  @ApiPropertyOptional({ description: 'IANA name: of a cron schedule that names none.', example: 'Europe/Berlin' })
  timeZone?: string;
  @ApiPropertyOptional({ enum: OVERLAPS, default: JOB_DEFAULTS.overlap, description: OVERLAP })
  overlap?: JobView['overlap'];
  @ApiPropertyOptional({
    type: 'integer',
    minimum: JOB_BOUNDS.maxParallel.min,
    maximum: JOB_BOUNDS.maxParallel.max,
    default: JOB_DEFAULTS.maxParallel,
    description: 'With the overlap `allow`: how many at once.',
  })
  maxParallel?: number;
  @ApiPropertyOptional({ enum: MISFIRES, default: JOB_DEFAULTS.misfire, description: MISFIRE })
  misfire?: JobView['misfire'];
  @ApiPropertyOptional({
    type: 'integer',
    minimum: JOB_BOUNDS.misfireWindowMs.min,
    maximum: JOB_BOUNDS.misfireWindowMs.max,
    default: JOB_DEFAULTS.misfireWindowMs,
    description: 'Older fires are not made up for: one SKIPPED task tells of them.',
  })
  misfireWindowMs?: number;
  @ApiPropertyOptional({ maxLength: JOB_BOUNDS.ownerLength })
  owner?: string;
  @ApiPropertyOptional({ type: [String], maxItems: JOB_BOUNDS.tags })
  tags?: string[];
  @ApiPropertyOptional({ maxLength: JOB_BOUNDS.descriptionLength })
  description?: string;
}

export class CreateJobDto extends JobDefinitionDto implements CreateJob {
  @ApiProperty({ pattern: GROUP_KEY.source, description: 'Unique in its group.', example: 'morning-report' })
  key: string;
  @ApiPropertyOptional({ pattern: GROUP_KEY.source, description: "A group granted to the app. Default: the app's own." })
  group?: string;
  @ApiPropertyOptional({ description: 'Makes the request safe to repeat.', example: 'create-morning-report' })
  clientRequestId?: string;
}

export class ChangeJobDto extends JobDefinitionDto implements ChangeJob {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The version the edit was made from.', example: 1 })
  version: number;
}

export class TriggerJobDto extends PickType(SubmitTaskDto, ['params', 'clientRequestId'] as const) implements TriggerJob {
  @ApiPropertyOptional({ default: false, description: 'true: start whatever else of the job is going.' })
  force?: boolean;
}

export class PauseJobDto {
  @ApiPropertyOptional({ maxLength: JOB_BOUNDS.reasonLength, example: 'maintenance' })
  reason?: string;
}

export class JobReceiptDto implements JobReceipt {
  @ApiProperty({ pattern: '^job_[0-9A-HJKMNP-TV-Z]{26}$', example: 'job_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty(TEXT_OR_NULL)
  clientRequestId: string | null;
  @ApiProperty({ example: 'morning-report' })
  key: string;
  @ApiProperty({ example: 'reports' })
  group: string;
  @ApiProperty(INSTANT)
  createdAt: string;
}

class JobSummaryDto extends JobReceiptDto implements Omit<JobView, 'params' | 'warnings'> {
  @ApiProperty({ example: 'send-report' })
  handler: string;
  @ApiProperty({ oneOf: JOB_SCHEDULE_SCHEMAS, example: EXAMPLE_SCHEDULE })
  schedule: JobSchedule;
  @ApiProperty({ type: [String], description: 'Ids of the jobs it waits for.' })
  upstreams: string[];
  @ApiProperty({ example: 'Europe/Berlin' })
  timeZone: string;
  @ApiProperty({ enum: OVERLAPS, description: OVERLAP })
  overlap: JobView['overlap'];
  @ApiProperty({ type: 'integer' })
  maxParallel: number;
  @ApiProperty({ enum: MISFIRES, description: MISFIRE })
  misfire: JobView['misfire'];
  @ApiProperty({ type: 'integer' })
  misfireWindowMs: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 10 })
  priority: number;
  @ApiProperty({ type: 'integer' })
  timeoutMs: number;
  @ApiProperty({ oneOf: [...RETRY_POLICY_SCHEMAS, { type: 'null' }] })
  retry: RetryPolicy | null;
  @ApiProperty()
  repeatable: boolean;
  @ApiProperty({ enum: ROUTINGS, nullable: true })
  routing: Routing | null;
  @ApiProperty({ oneOf: [{ type: 'integer' }, { type: 'string', enum: ['broadcast'] }, { type: 'null' }] })
  shards: number | 'broadcast' | null;
  @ApiProperty({ enum: SHARD_FAILURE_RULES })
  onShardFailure: ShardFailureRule;
  @ApiProperty(TEXT_OR_NULL)
  routingKey: string | null;
  @ApiProperty(TEXT_OR_NULL)
  preferZone: string | null;
  @ApiProperty({ type: [String] })
  workerTags: string[];
  @ApiProperty(TEXT_OR_NULL)
  workerZone: string | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  metadata: Record<string, string>;
  @ApiProperty(TEXT_OR_NULL)
  callbackUrl: string | null;
  @ApiProperty(TEXT_OR_NULL)
  owner: string | null;
  @ApiProperty({ type: [String] })
  tags: string[];
  @ApiProperty(TEXT_OR_NULL)
  description: string | null;
  @ApiProperty({ enum: JOB_STATES, description: '`disabled`: it could not be fired ten times in a row.' })
  state: JobStateName;
  @ApiProperty(TEXT_OR_NULL)
  pauseReason: string | null;
  @ApiProperty(INSTANT_OR_NULL)
  nextFireAt: string | null;
  @ApiProperty(INSTANT_OR_NULL)
  lastFireAt: string | null;
  @ApiProperty({ type: 'integer', description: 'Counts edits.' })
  version: number;
  @ApiProperty(INSTANT)
  updatedAt: string;
}

class JobWarningDto implements JobWarning {
  @ApiProperty({ enum: JOB_WARNINGS })
  code: JobWarning['code'];
  @ApiProperty()
  message: string;
  @ApiProperty({ type: [String], description: 'Ids of the upstreams concerned.' })
  jobs: string[];
}

export class JobViewDto extends JobSummaryDto implements JobView {
  @ApiProperty({
    type: [JobWarningDto],
    description:
      'What its dependencies cannot bring about. `no_common_flow`: it never fires by itself, since its upstreams never all have a task in the ' +
      'same flow. `never_awaited`: its fires do not wait for these upstreams, whose tasks have no fire time.',
  })
  warnings: JobWarningDto[];
  @ApiProperty({ 'x-any-json': true, description: 'As stated, digit for digit.' } as object)
  params: Json;
}

export class JobListDto implements JobList {
  @ApiProperty({ type: [JobSummaryDto] })
  items: JobSummaryDto[];
  @ApiProperty({ type: String, nullable: true, description: 'Pass it as `cursor` for the next page; null on the last.' })
  nextCursor: string | null;
}

export class NextFiresDto implements NextFires {
  @ApiProperty({ example: 'Europe/Berlin' })
  timeZone: string;
  @ApiProperty({ type: [String], example: ['2026-01-01T07:00:00.000Z'], description: 'Of `after` at most one is known.' })
  fires: string[];
}
