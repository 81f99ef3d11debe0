import type {
  CallbackEventType,
  CreateWebhookEndpoint,
  DELIVERY_STATES,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookEndpointSecret,
  WebhookEndpointView,
} from '../contract/index.js';
import { pathPart, queryText } from './target.js';

export interface DeliveryQuery {
  status?: (typeof DELIVERY_STATES)[number];
  taskId?: string;
  endpointId?: string;
  /** Created from then on, RFC 3339. */
  since?: string;
  limit?: number;
  cursor?: string;
}

/** How these calls reach the centre. `repeatable`: may be sent again when no answer came. */
export type Requester = <T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: unknown,
  repeatable: boolean,
) => Promise<T>;

const ENDPOINTS = '/webhook-endpoints';
const DELIVERIES = '/webhook-deliveries';

/**
 * Where ends of tasks are told, and what became of each callback. What makes something new each time (an endpoint, a secret, an
 * attempt) is not repeated by itself: without an answer, look before asking again.
 */
export class Webhooks {
  constructor(private readonly request: Requester) {}

  /** The only answer with the secret. It is PENDING until it has answered its challenge. */
  createEndpoint(endpoint: CreateWebhookEndpoint): Promise<WebhookEndpointSecret> {
    return this.request('POST', ENDPOINTS, endpoint, false);
  }

  async listEndpoints(): Promise<WebhookEndpointView[]> {
    return (await this.request<{ items: WebhookEndpointView[] }>('GET', ENDPOINTS, undefined, true)).items;
  }

  getEndpoint(id: string): Promise<WebhookEndpointView> {
    return this.request('GET', endpoint(id), undefined, true);
  }

  /** What it hears of from now on. */
  subscribe(id: string, eventTypes: CallbackEventType[]): Promise<WebhookEndpointView> {
    return this.request('PUT', endpoint(id), { eventTypes }, true);
  }

  async deleteEndpoint(id: string): Promise<void> {
    await this.request('DELETE', endpoint(id), undefined, true);
  }

  enable(id: string): Promise<WebhookEndpointView> {
    return this.request('POST', `${endpoint(id)}/enable`, undefined, true);
  }

  disable(id: string): Promise<WebhookEndpointView> {
    return this.request('POST', `${endpoint(id)}/disable`, undefined, true);
  }

  /** The only answer with the new secret; the old one signs along for `graceSeconds` (a day; 0 after a leak). */
  rotateSecret(id: string, { graceSeconds }: { graceSeconds?: number } = {}): Promise<WebhookEndpointSecret> {
    return this.request('POST', `${endpoint(id)}/rotate-secret`, { graceSeconds }, false);
  }

  /** Sends `webhook.ping`; its delivery tells how it went. */
  test(id: string): Promise<{ deliveryId: string }> {
    return this.request('POST', `${endpoint(id)}/test`, undefined, false);
  }

  /** Tries once more what was given up since then (RFC 3339). How many. */
  async recover(id: string, since: string): Promise<number> {
    return (await this.request<{ recovered: number }>('POST', `${endpoint(id)}/recover`, { since }, true)).recovered;
  }

  deliveries(query: DeliveryQuery = {}): Promise<WebhookDeliveryList> {
    return this.request('GET', `${DELIVERIES}${queryText(query)}`, undefined, true);
  }

  /** With every attempt. */
  getDelivery(id: string): Promise<WebhookDeliveryDetail> {
    return this.request('GET', `${DELIVERIES}/${pathPart(id)}`, undefined, true);
  }

  /** One more attempt at once, under the same `webhook-id`. Ten a minute. */
  async redeliver(id: string): Promise<void> {
    await this.request('POST', `${DELIVERIES}/${pathPart(id)}/redeliver`, undefined, false);
  }
}

const endpoint = (id: string): string => `${ENDPOINTS}/${pathPart(id)}`;
