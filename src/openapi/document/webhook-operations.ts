import { DELIVERY_STATES, LIMITS } from '@evenkeel/sdk/contract';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import {
  ChangeWebhookEndpointDto,
  CreateWebhookEndpointDto,
  QueuedDeliveryDto,
  RecoverDeliveriesDto,
  RecoveredDto,
  RotateWebhookSecretDto,
  WebhookDeliveryDetailDto,
  WebhookDeliveryListDto,
  WebhookEndpointDto,
  WebhookEndpointListDto,
  WebhookEndpointSecretDto,
} from '../webhook.dto.js';

const id = (prefix: string) =>
  ApiParam({
    name: 'id',
    schema: { type: 'string', pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$` },
    example: `${prefix}_01JGEXAMP1E000000000000000`,
  });
const filter = (name: string, description: string, schema: object) => ApiQuery({ name, required: false, description, schema });
const operation = (operationId: string, summary: string, description: string) =>
  ApiOperation({ operationId, summary, description });
const answer = (status: number, description: string, type?: Type) =>
  ApiResponse({ status, description, ...(type ? { type } : {}) });
const URL_EXAMPLE = 'https://hooks.partner.example/evenkeel';

export const CreateWebhookEndpointOperation = () =>
  applyDecorators(
    operation(
      'createWebhookEndpoint',
      'Register an endpoint',
      'It is PENDING until it answers the challenge we then send: 2xx and `{"challenge":"…"}` with `data.challenge` of the event `endpoint.verification`. First attempts at the challenges of one app are made a minute apart to the same host and path, and ten a minute to the same host and port, whichever endpoint they are for; when the next five minutes are taken, the answer is 429 `rate_limited` with `Retry-After`.',
    ),
    ApiBody({ type: CreateWebhookEndpointDto, examples: { all: { value: { url: URL_EXAMPLE } } } }),
    answer(201, 'The endpoint, with its secret this once.', WebhookEndpointSecretDto),
  );
export const ListWebhookEndpointsOperation = () =>
  applyDecorators(
    operation('listWebhookEndpoints', "List the app's endpoints", 'Oldest first.'),
    answer(200, 'All of them.', WebhookEndpointListDto),
  );
export const GetWebhookEndpointOperation = () =>
  applyDecorators(
    operation('getWebhookEndpoint', 'Look at an endpoint', 'Without its secret.'),
    id('wep'),
    answer(200, 'The endpoint.', WebhookEndpointDto),
  );
export const ChangeWebhookEndpointOperation = () =>
  applyDecorators(
    operation('changeWebhookEndpoint', 'Change what an endpoint hears of', 'Its URL does not change: register another one.'),
    id('wep'),
    ApiBody({
      type: ChangeWebhookEndpointDto,
      examples: { failures: { value: { eventTypes: ['task.failed', 'task.timed_out'] } } },
    }),
    answer(200, 'The endpoint.', WebhookEndpointDto),
  );
export const DeleteWebhookEndpointOperation = () =>
  applyDecorators(
    operation('deleteWebhookEndpoint', 'Delete an endpoint', 'What was not delivered to it is given up; the log stays.'),
    id('wep'),
    answer(204, 'Deleted.'),
  );
export const EnableWebhookEndpointOperation = () =>
  applyDecorators(
    operation(
      'enableWebhookEndpoint',
      'Enable an endpoint',
      'One that never answered its challenge is sent it again, a minute after the last attempt, or the first attempt at the latest challenge of the app to the same host and path, at the earliest; of first attempts to the same host and port ten are made a minute. When the next five minutes are taken, the answer is 429 `rate_limited` with `Retry-After`. One disabled for its failures can be enabled after five minutes.',
    ),
    id('wep'),
    answer(200, 'The endpoint.', WebhookEndpointDto),
  );
export const DisableWebhookEndpointOperation = () =>
  applyDecorators(
    operation('disableWebhookEndpoint', 'Disable an endpoint', 'It is told nothing more until it is enabled.'),
    id('wep'),
    answer(200, 'The endpoint.', WebhookEndpointDto),
  );
export const RotateWebhookSecretOperation = () =>
  applyDecorators(
    operation('rotateWebhookSecret', 'Give an endpoint another secret', 'Both sign until the grace is over.'),
    id('wep'),
    ApiBody({ type: RotateWebhookSecretDto, required: false, examples: { leaked: { value: { graceSeconds: 0 } } } }),
    answer(200, 'The endpoint, with its new secret this once.', WebhookEndpointSecretDto),
  );
export const TestWebhookEndpointOperation = () =>
  applyDecorators(
    operation(
      'testWebhookEndpoint',
      'Send a ping',
      'One attempt of `webhook.ping`, whatever the endpoint subscribed to; how it went, the delivery says. The endpoint must be enabled.',
    ),
    id('wep'),
    answer(202, 'Queued.', QueuedDeliveryDto),
  );
export const RecoverWebhookDeliveriesOperation = () =>
  applyDecorators(
    operation(
      'recoverWebhookDeliveries',
      'Send again what was given up',
      'Everything EXHAUSTED since then, each with a schedule of its own. The endpoint must be enabled.',
    ),
    id('wep'),
    ApiBody({ type: RecoverDeliveriesDto, examples: { since: { value: { since: '2026-01-01T00:00:00Z' } } } }),
    answer(202, 'How many.', RecoveredDto),
  );
export const ListWebhookDeliveriesOperation = () =>
  applyDecorators(
    operation('listWebhookDeliveries', 'List deliveries', 'Newest first.'),
    filter('status', 'Only deliveries that are so; may be repeated.', {
      type: 'array',
      items: { type: 'string', enum: [...DELIVERY_STATES] },
    }),
    filter('taskId', 'Of this task.', { type: 'string' }),
    filter('endpointId', 'To this endpoint.', { type: 'string' }),
    filter('since', 'Created from then on.', { type: 'string', format: 'date-time' }),
    filter('limit', 'Deliveries per page.', { type: 'integer', minimum: 1, maximum: LIMITS.listPage, default: 50 }),
    filter('cursor', 'nextCursor of the page before.', { type: 'string' }),
    answer(200, 'One page.', WebhookDeliveryListDto),
  );
export const GetWebhookDeliveryOperation = () =>
  applyDecorators(
    operation('getWebhookDelivery', 'Look at a delivery', 'With every attempt.'),
    id('dlv'),
    answer(200, 'The delivery.', WebhookDeliveryDetailDto),
  );
export const RedeliverWebhookOperation = () =>
  applyDecorators(
    operation(
      'redeliverWebhook',
      'Send once more',
      'One more attempt at once with the same webhook-id, also after a success; the schedule goes on beside it. Ten a minute. Not once its endpoint is deleted.',
    ),
    id('dlv'),
    answer(202, 'Queued.', QueuedDeliveryDto),
  );
