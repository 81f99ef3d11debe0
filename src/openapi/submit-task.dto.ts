import {
  type BatchRequest,
  type Json,
  LIMITS,
  type RetryPolicy,
  ROUTINGS,
  type Routing,
  type SubmitTask,
} from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { CLIENT_REQUEST_ID, GROUP_KEY } from '../decisions/check-submission.js';
import { KeepsRule } from './keeps-rule.js';
import { TASK_DEFAULTS } from './new-task.js';
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
    default: TASK_DEFAULTS.priority,
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
    default: TASK_DEFAULTS.timeoutMs,
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
