import {
  type BatchRequest,
  type Json,
  LIMITS,
  type RetryPolicy,
  ROUTINGS,
  type Routing,
  SHARD_FAILURE_RULES,
  type ShardFailureRule,
  type SubmitTask,
} from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { CLIENT_REQUEST_ID, GROUP_KEY } from '../decisions/check-submission.js';
import { SYSTEM_POLICIES } from '../decisions/policies.js';
import { KeepsRule } from './keeps-rule.js';
import { RETRY_POLICY_SCHEMAS } from './retry-policy.schema.js';

/** Present but null is another statement than absent, and is refused. */
const IfStated = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** Body of a submission as documented. The hot path checks it with `decisions/check-submission`, whose rules these point at. */
export class SubmitTaskDto implements SubmitTask {
  @KeepsRule('handler')
  @ApiProperty({
    minLength: 1,
    maxLength: LIMITS.handlerLength,
    description: 'Name of the function a worker runs. Printable characters, no blanks at the ends.',
    example: 'send-report',
  })
  handler: string;

  @IfStated()
  @KeepsRule('params')
  @ApiPropertyOptional({
    'x-any-json': true,
    description: `Any JSON up to ${LIMITS.paramsBytes} bytes, handed to the handler as it is. Numbers of any size keep their digits.`,
    example: { month: '2026-01' },
  } as object)
  params?: Json;

  @IfStated()
  @KeepsRule('group')
  @ApiPropertyOptional({
    pattern: GROUP_KEY.source,
    description: "A group granted to the app. Default: the app's own.",
    example: 'reports',
  })
  group?: string;

  @IfStated()
  @KeepsRule('runAt')
  @ApiPropertyOptional({
    format: 'date-time',
    description: 'RFC 3339 instant with a zone, at most one year ahead; a past one means now. Excludes delayMs.',
    example: '2026-01-31T08:00:00Z',
  })
  runAt?: string;

  @IfStated()
  @KeepsRule('delayMs')
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.maxDelayMs,
    description: 'Milliseconds from now. Excludes runAt.',
    example: 60000,
  })
  delayMs?: number;

  @IfStated()
  @KeepsRule('priority')
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 10,
    default: SYSTEM_POLICIES.priority,
    description: '10 goes first.',
    example: 5,
  })
  priority?: number;

  @IfStated()
  @KeepsRule('timeoutMs')
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.maxTimeoutMs,
    default: SYSTEM_POLICIES.timeoutMs,
    description: "Limit of one attempt from the handler's start, in milliseconds; 0 for none.",
    example: 60000,
  })
  timeoutMs?: number;

  @IfStated()
  @KeepsRule('retry')
  @ApiPropertyOptional({
    type: 'object',
    oneOf: RETRY_POLICY_SCHEMAS as object[],
    description: 'How failed attempts are repeated.',
    example: { kind: 'fixed', maxRetries: 3, delayMs: 10000 },
  } as object)
  retry?: RetryPolicy;

  @IfStated()
  @KeepsRule('repeatable')
  @ApiPropertyOptional({ default: true, description: 'false: an attempt that may have started is never repeated by itself.' })
  repeatable?: boolean;

  @IfStated()
  @KeepsRule('routing')
  @ApiPropertyOptional({ enum: ROUTINGS, default: 'equal_cost', description: 'How a worker is chosen.' })
  routing?: Routing;

  @IfStated()
  @KeepsRule('shards')
  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', minimum: LIMITS.shardsMin, maximum: LIMITS.shardsMax },
      { type: 'string', enum: ['broadcast'] },
    ],
    description:
      'Divides the work: that many shards, or (`broadcast`) one for each worker that can take it when it falls due. Each shard runs the handler with its index.',
    example: 4,
  })
  shards?: number | 'broadcast';

  @IfStated()
  @KeepsRule('onShardFailure')
  @ApiPropertyOptional({
    enum: SHARD_FAILURE_RULES,
    default: 'continue',
    description: 'With shards: whether the others go on when one did not succeed. Either way the task then ends FAILED.',
  })
  onShardFailure?: ShardFailureRule;

  @IfStated()
  @KeepsRule('routingKey')
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: LIMITS.routingKeyLength,
    description: "What `consistent_hash` goes by. Default: the job's id, else the task's own.",
    example: 'customer-4711',
  })
  routingKey?: string;

  @IfStated()
  @KeepsRule('preferZone')
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: LIMITS.nameLength,
    description: 'Workers of this zone are chosen while one of them has room, whatever the routing.',
    example: 'eu-1',
  })
  preferZone?: string;

  @IfStated()
  @KeepsRule('workerTags')
  @ApiPropertyOptional({
    type: [String],
    maxItems: LIMITS.workerTags,
    description: 'Only workers that have all of these tags; the task waits while there is none.',
    example: ['gpu'],
  })
  workerTags?: string[];

  @IfStated()
  @KeepsRule('workerZone')
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: LIMITS.nameLength,
    description: 'Only workers of this zone; the task waits while there is none.',
    example: 'eu-1',
  })
  workerZone?: string;

  @IfStated()
  @KeepsRule('metadata')
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: LIMITS.metadataValueLength },
    maxProperties: LIMITS.metadataPairs,
    description: `Up to ${LIMITS.metadataPairs} pairs of text of your own, shown with the task.`,
    example: { order: '4711' },
  })
  metadata?: Record<string, string>;

  @IfStated()
  @KeepsRule('dependsOn')
  @ApiPropertyOptional({
    type: [String],
    maxItems: LIMITS.dependsOn,
    description:
      "Ids of the app's tasks that must succeed first; it waits BLOCKED until then, and for its runAt or delayMs besides. " +
      'One that ends without success makes it SKIPPED `upstream_failed`, at once if it has ended so already; a retry of that one lets it wait again.',
    example: ['task_01JGEXAMP1E000000000000000'],
  })
  dependsOn?: string[];

  @IfStated()
  @KeepsRule('callbackUrl')
  @ApiPropertyOptional({
    format: 'uri',
    maxLength: 2048,
    description: 'Where the end of the task is told, besides the endpoints of the app: https, on a callback host of the app.',
    example: 'https://hooks.partner.example/evenkeel',
  })
  callbackUrl?: string;

  @IfStated()
  @KeepsRule('clientRequestId')
  @ApiPropertyOptional({
    pattern: CLIENT_REQUEST_ID.source,
    description: 'Makes the request safe to repeat: the same id with the same parameters never creates a second task.',
    example: 'order-2026-000001',
  })
  clientRequestId?: string;

  @IfStated()
  @KeepsRule('requireHandler')
  @ApiPropertyOptional({
    default: false,
    description: 'true: refuse the task unless a live worker of the group has the handler.',
  })
  requireHandler?: boolean;

  @IfStated()
  @KeepsRule('expectedDurationMs')
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.maxTimeoutMs,
    description:
      'How long the work is expected to take, in milliseconds. From 3000 on, `POST /tasks/run` refuses to wait for it.',
    example: 500,
  })
  expectedDurationMs?: number;
}

export class BatchItemDto extends OmitType(SubmitTaskDto, ['clientRequestId']) {
  @KeepsRule('clientRequestId')
  @ApiProperty({
    pattern: CLIENT_REQUEST_ID.source,
    description: 'Required in a batch: it tells the items apart.',
    example: 'order-2026-000001',
  })
  clientRequestId: string;
}

export class BatchRequestDto implements BatchRequest {
  @ApiProperty({ type: [BatchItemDto], minItems: 1, maxItems: LIMITS.batchItems })
  items: BatchItemDto[];
}
