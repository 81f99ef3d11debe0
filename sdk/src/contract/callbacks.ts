import type { Json } from './json.js';
import type { ReasonCode, TerminalState } from './task-states.js';

/** What an endpoint can subscribe to. */
export const CALLBACK_EVENT_TYPES = [
  'task.succeeded',
  'task.failed',
  'task.cancelled',
  'task.timed_out',
  'task.skipped',
] as const;
export type CallbackEventType = (typeof CALLBACK_EVENT_TYPES)[number];
export const ENDPOINT_STATES = ['PENDING', 'ENABLED', 'DISABLED'] as const;
export const DELIVERY_STATES = ['PENDING', 'SUCCEEDED', 'EXHAUSTED'] as const;
export const DELIVERY_FAILURES = ['dns', 'connect', 'tls', 'timeout', 'http', 'too_large', 'blocked'] as const;

/** Body of `POST /openapi/v1/webhook-endpoints`. */
export interface CreateWebhookEndpoint {
  url: string;
  /** All of them if absent. */
  eventTypes?: CallbackEventType[];
}

export interface WebhookEndpointView {
  id: string;
  url: string;
  eventTypes: string[];
  /** PENDING until it answered the challenge of `endpoint.verification`. */
  state: (typeof ENDPOINT_STATES)[number];
  stateReason: string | null;
  /** Of its newest secret. */
  secretLast4: string;
  verifiedAt: string | null;
  createdAt: string;
  updatedAt: string;
}
export interface WebhookEndpointSecret extends WebhookEndpointView {
  /** Shown this once. Standard Webhooks libraries take it as it is. */
  secret: string;
}

export interface WebhookDeliveryView {
  id: string;
  /** The `webhook-id` of every attempt. */
  eventId: string;
  eventType: string;
  taskId: string | null;
  endpointId: string | null;
  url: string;
  state: (typeof DELIVERY_STATES)[number];
  attempts: number;
  lastStatus: number | null;
  lastFailure: (typeof DELIVERY_FAILURES)[number] | null;
  nextAttemptAt: string | null;
  createdAt: string;
  endedAt: string | null;
}
export interface WebhookAttemptView {
  attempt: number;
  trigger: 'auto' | 'manual';
  startedAt: string;
  durationMs: number;
  status: number | null;
  failure: (typeof DELIVERY_FAILURES)[number] | null;
  /** The first KiB of the answer's body. */
  response: string | null;
}
export interface WebhookDeliveryDetail extends WebhookDeliveryView {
  log: WebhookAttemptView[];
}
export interface WebhookDeliveryList {
  items: WebhookDeliveryView[];
  nextCursor: string | null;
}

/** What a receiver is sent about a task that has ended. */
export interface CallbackEvent {
  id: string;
  type: CallbackEventType;
  /** When it happened. */
  timestamp: string;
  apiVersion: string;
  data: {
    taskId: string;
    executionId: string | null;
    jobId: string | null;
    scheduledAt: string | null;
    clientRequestId: string | null;
    status: TerminalState;
    reason: ReasonCode | null;
    seq: number;
    createdAt: string;
    finishedAt: string;
    attempts: number;
    result: Json;
    /** The result was too large: get it from `resultUrl`. */
    resultTruncated?: true;
    /** The metadata were too large: get them from `resultUrl`. */
    metadataTruncated?: true;
    resultUrl: string;
    error: { name: string; message: string } | null;
    metadata: Record<string, string>;
  };
}
