import {
  CALLBACK_EVENT_TYPES,
  type CallbackEvent,
  type CallbackEventType,
  type CreateWebhookEndpoint,
  DELIVERY_FAILURES,
  DELIVERY_STATES,
  ENDPOINT_STATES,
  type FieldError,
  type WebhookAttemptView,
  type WebhookDeliveryDetail,
  type WebhookDeliveryList,
  type WebhookDeliveryView,
  type WebhookEndpointSecret,
  type WebhookEndpointView,
} from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PING, VERIFICATION } from '../callbacks/attempt-delivery.js';
import type { Delivery, DeliveryAttempt, Endpoint } from '../callbacks/callbacks.js';
import { anyText, checkMembers, Findings, instant, integer, oneOf, type Rules, rules, typeOf } from '../decisions/field-rules.js';

const INSTANT = { format: 'date-time', example: '2026-01-01T00:00:00.000Z' };
const INSTANT_OR_NULL = { type: String, nullable: true, ...INSTANT };
const TEXT_OR_NULL = { type: String, nullable: true };
const FAILURE =
  'Why there was no answer to go by; null where there was one, whatever its status. ' +
  '`http`: what came was not HTTP, or broke off. `blocked`: the address is not one callbacks may go to.';
export const MOST_GRACE_SECONDS = 604_800;
export const DEFAULT_GRACE_SECONDS = 86_400;

export class CreateWebhookEndpointDto implements CreateWebhookEndpoint {
  @ApiProperty({
    format: 'uri',
    maxLength: 2048,
    description: 'https, on a callback host of the app.',
    example: 'https://hooks.partner.example/evenkeel',
  })
  url: string;
  @ApiPropertyOptional({ enum: CALLBACK_EVENT_TYPES, isArray: true, minItems: 1, description: 'All of them if absent.' })
  eventTypes?: CallbackEventType[];
}
export class ChangeWebhookEndpointDto {
  @ApiProperty({ enum: CALLBACK_EVENT_TYPES, isArray: true, minItems: 1 })
  eventTypes: CallbackEventType[];
}
export class RotateWebhookSecretDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MOST_GRACE_SECONDS,
    default: DEFAULT_GRACE_SECONDS,
    description: 'How long the old secret signs along; 0 after a leak.',
  })
  graceSeconds?: number;
}
export class RecoverDeliveriesDto {
  @ApiProperty({ ...INSTANT, description: 'Deliveries created from then on that were given up are queued once more.' })
  since: string;
}
class EndpointEventDataDto {
  @ApiProperty({ example: 'wep_01JGEXAMP1E000000000000000' })
  endpointId: string;
  @ApiPropertyOptional({
    description: 'Of `endpoint.verification`: what to answer.',
    example: 'k7Qf2mJx0wEXAMPLEEXAMPLEEXAMPLE0',
  })
  challenge?: string;
}
/** The body of an event about the endpoint itself, as documented. */
export class EndpointEventDto {
  @ApiProperty({ description: 'Also the webhook-id header.', example: 'evt_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty({ enum: [VERIFICATION, PING] })
  type: string;
  @ApiProperty({ ...INSTANT, description: 'When it happened.' })
  timestamp: string;
  @ApiProperty({ example: '2026-01-01' })
  apiVersion: string;
  @ApiProperty({ type: EndpointEventDataDto })
  data: EndpointEventDataDto;
}
export class ChallengeAnswerDto {
  @ApiProperty({ description: '`data.challenge` of the event.', example: 'k7Qf2mJx0wEXAMPLEEXAMPLEEXAMPLE0' })
  challenge: string;
}
export class RecoveredDto {
  @ApiProperty({ type: 'integer', example: 12 })
  recovered: number;
}
export class QueuedDeliveryDto {
  @ApiProperty({ example: 'dlv_01JGEXAMP1E000000000000000' })
  deliveryId: string;
}

export class WebhookEndpointDto implements WebhookEndpointView {
  @ApiProperty({ pattern: '^wep_[0-9A-HJKMNP-TV-Z]{26}$', example: 'wep_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty({ example: 'https://hooks.partner.example/evenkeel' })
  url: string;
  @ApiProperty({ type: [String], example: ['task.succeeded', 'task.failed'] })
  eventTypes: string[];
  @ApiProperty({ enum: ENDPOINT_STATES, description: 'PENDING until it answered its challenge.' })
  state: WebhookEndpointView['state'];
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why it is DISABLED: gone, failing, asked.' })
  stateReason: string | null;
  @ApiProperty({ example: 'x9A=' })
  secretLast4: string;
  @ApiProperty(INSTANT_OR_NULL)
  verifiedAt: string | null;
  @ApiProperty(INSTANT)
  createdAt: string;
  @ApiProperty(INSTANT)
  updatedAt: string;
}
export class WebhookEndpointSecretDto extends WebhookEndpointDto implements WebhookEndpointSecret {
  @ApiProperty({ description: 'Shown this once.', example: 'whsec_EXAMPLE' })
  secret: string;
}
export class WebhookEndpointListDto {
  @ApiProperty({ type: [WebhookEndpointDto] })
  items: WebhookEndpointDto[];
}

export class WebhookDeliveryDto implements WebhookDeliveryView {
  @ApiProperty({ pattern: '^dlv_[0-9A-HJKMNP-TV-Z]{26}$', example: 'dlv_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty({ description: 'The webhook-id of every attempt.', example: 'evt_01JGEXAMP1E000000000000000' })
  eventId: string;
  @ApiProperty({ example: 'task.succeeded' })
  eventType: string;
  @ApiProperty(TEXT_OR_NULL)
  taskId: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: "Null for a task's own callbackUrl." })
  endpointId: string | null;
  @ApiProperty({ example: 'https://hooks.partner.example/evenkeel' })
  url: string;
  @ApiProperty({ enum: DELIVERY_STATES })
  state: WebhookDeliveryView['state'];
  @ApiProperty({ type: 'integer' })
  attempts: number;
  @ApiProperty({ type: 'integer', nullable: true })
  lastStatus: number | null;
  @ApiProperty({ enum: DELIVERY_FAILURES, nullable: true, description: FAILURE })
  lastFailure: WebhookDeliveryView['lastFailure'];
  @ApiProperty(INSTANT_OR_NULL)
  nextAttemptAt: string | null;
  @ApiProperty(INSTANT)
  createdAt: string;
  @ApiProperty(INSTANT_OR_NULL)
  endedAt: string | null;
}
class WebhookAttemptDto implements WebhookAttemptView {
  @ApiProperty({ type: 'integer', minimum: 1 })
  attempt: number;
  @ApiProperty({ enum: ['auto', 'manual'] })
  trigger: WebhookAttemptView['trigger'];
  @ApiProperty(INSTANT)
  startedAt: string;
  @ApiProperty({ type: 'integer' })
  durationMs: number;
  @ApiProperty({ type: 'integer', nullable: true })
  status: number | null;
  @ApiProperty({ enum: DELIVERY_FAILURES, nullable: true, description: FAILURE })
  failure: WebhookAttemptView['failure'];
  @ApiProperty({ ...TEXT_OR_NULL, description: "The first KiB of the answer's body." })
  response: string | null;
}
export class WebhookDeliveryDetailDto extends WebhookDeliveryDto implements WebhookDeliveryDetail {
  @ApiProperty({ type: [WebhookAttemptDto] })
  log: WebhookAttemptDto[];
}
export class WebhookDeliveryListDto implements WebhookDeliveryList {
  @ApiProperty({ type: [WebhookDeliveryDto] })
  items: WebhookDeliveryDto[];
  @ApiProperty({ type: String, nullable: true, description: 'Pass it as `cursor` for the next page; null on the last.' })
  nextCursor: string | null;
}

/** The body of a callback, as documented. */
export class CallbackEventDto implements CallbackEvent {
  @ApiProperty({ description: 'Also the webhook-id header. Deduplicate on it.', example: 'evt_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty({ enum: CALLBACK_EVENT_TYPES })
  type: CallbackEventType;
  @ApiProperty({ ...INSTANT, description: 'When it happened.' })
  timestamp: string;
  @ApiProperty({ example: '2026-01-01' })
  apiVersion: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The task at its end. A result that would make the body larger than 20 KB is left out (`resultTruncated`), and so are metadata ' +
      'that would by themselves (`metadataTruncated`): get them from resultUrl.',
    example: {
      taskId: 'task_01JGEXAMP1E000000000000000',
      executionId: 'att_01JGEXAMP1E000000000000000_1',
      jobId: null,
      scheduledAt: null,
      clientRequestId: 'order-1',
      status: 'SUCCEEDED',
      reason: null,
      seq: 4,
      createdAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:00:01.000Z',
      attempts: 1,
      result: { pages: 3 },
      resultUrl: '/openapi/v1/tasks/task_01JGEXAMP1E000000000000000',
      error: null,
      metadata: {},
    },
  })
  data: CallbackEvent['data'];
}

const EVENT_TYPE = oneOf(CALLBACK_EVENT_TYPES);
function eventTypes(value: unknown, pointer: string, findings: Findings): void {
  if (!Array.isArray(value)) findings.add(pointer, 'wrong_type', `must be an array, not ${typeOf(value)}`);
  else if (value.length === 0 || value.length > CALLBACK_EVENT_TYPES.length || new Set(value).size < value.length)
    findings.add(pointer, 'too_many', `must hold 1 to ${CALLBACK_EVENT_TYPES.length} different types`);
  else for (const [i, item] of value.entries()) EVENT_TYPE(item, `${pointer}/${i}`, findings);
}
const TABLES = {
  create: { table: rules({ url: anyText(2048), eventTypes }), required: ['url'] },
  change: { table: rules({ eventTypes }), required: ['eventTypes'] },
  rotate: { table: rules({ graceSeconds: integer(0, MOST_GRACE_SECONDS) }), required: [] },
  recover: { table: rules({ since: instant }), required: ['since'] },
} satisfies Record<string, { table: Rules; required: string[] }>;

/** Every rule the body breaks. */
export function checkWebhookBody(kind: keyof typeof TABLES, body: Record<string, unknown>): FieldError[] {
  const findings = new Findings();
  const { table, required } = TABLES[kind];
  checkMembers(body, table, '', findings);
  for (const name of required) if (!Object.hasOwn(body, name)) findings.add(`/${name}`, 'required', 'is required');
  return findings.errors;
}

const iso = (atMs: number): string => new Date(atMs).toISOString();
const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : iso(atMs));

export const endpointView = (endpoint: Endpoint): WebhookEndpointView => ({
  id: endpoint.id,
  url: endpoint.url,
  eventTypes: endpoint.eventTypes,
  state: endpoint.state,
  stateReason: endpoint.stateReason,
  secretLast4: endpoint.last4,
  verifiedAt: isoOrNull(endpoint.verifiedAt),
  createdAt: iso(endpoint.createdAt),
  updatedAt: iso(endpoint.updatedAt),
});

export const deliveryView = (delivery: Delivery): WebhookDeliveryView => ({
  id: delivery.id,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  taskId: delivery.taskId,
  endpointId: delivery.endpointId,
  url: delivery.url,
  state: delivery.state,
  attempts: delivery.attempts,
  lastStatus: delivery.lastStatus,
  lastFailure: delivery.lastFailure,
  nextAttemptAt: isoOrNull(delivery.nextAttemptAt),
  createdAt: iso(delivery.createdAt),
  endedAt: isoOrNull(delivery.endedAt),
});

/** How it went on the wire is for the installation's people: it names guards and headers. */
export const attemptView = ({ wire: _, ...attempt }: DeliveryAttempt): WebhookAttemptView => ({
  ...attempt,
  startedAt: iso(attempt.startedAt),
});
