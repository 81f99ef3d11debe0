import type { WebhookEndpointSecret, WebhookEndpointView } from '@evenkeel/sdk/contract';
import { CALLBACK_EVENT_TYPES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { CallbackPolicy } from '../callbacks/callback-policy.js';
import type { Endpoint } from '../callbacks/callbacks.js';
import { DeliveriesService } from '../callbacks/deliveries.service.js';
import { EndpointsService, MOST_ENDPOINTS } from '../callbacks/endpoints.service.js';
import { instantMs } from '../decisions/rfc3339.js';
import { AppError } from '../platform/errors.js';
import { quotaExceeded } from '../platform/http/rate-limit-headers.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { isId } from '../platform/ids.js';
import { refuseCallbackUrl } from './callback-url.js';
import { PartnerTrail } from './partner-trail.js';
import { refuseMembers, requireBody } from './request-body.js';
import { checkWebhookBody, DEFAULT_GRACE_SECONDS, endpointView } from './webhook.dto.js';

/** The endpoints of the calling app. Another app's looks like none. */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly deliveries: DeliveriesService,
    private readonly policy: CallbackPolicy,
    private readonly trail: PartnerTrail,
  ) {}

  /** The only answer with the secret. Throws AppError. */
  async create(request: PartnerRequest): Promise<WebhookEndpointSecret> {
    const { body } = requireBody(request);
    refuse(checkWebhookBody('create', body));
    const { appId } = request.caller;
    refuseCallbackUrl(this.policy, appId, body.url as string, '', 'url');
    const eventTypes = (body.eventTypes as string[] | undefined) ?? [...CALLBACK_EVENT_TYPES];
    const witness = this.trail.endpoint(request, 'endpoint.created');
    const made = await this.endpoints.create(appId, body.url as string, eventTypes, witness);
    if (!made)
      throw AppError.fields([{ pointer: '', code: 'too_many', message: `an app has at most ${MOST_ENDPOINTS} endpoints` }]);
    return { ...endpointView(made.endpoint), secret: made.secret };
  }

  async list({ caller }: PartnerRequest): Promise<{ items: WebhookEndpointView[] }> {
    return { items: (await this.endpoints.list(caller.appId)).map(endpointView) };
  }

  async get({ caller }: PartnerRequest, id: string): Promise<WebhookEndpointView> {
    return endpointView(found(isId('wep', id) ? await this.endpoints.find(caller.appId, id) : null));
  }

  async change(request: PartnerRequest, id: string): Promise<WebhookEndpointView> {
    const { body } = requireBody(request);
    refuse(checkWebhookBody('change', body));
    const witness = this.trail.endpoint(request, 'endpoint.changed');
    return endpointView(found(await this.endpoints.subscribe(request.caller.appId, id, body.eventTypes as string[], witness)));
  }

  async remove(request: PartnerRequest, id: string): Promise<void> {
    const witness = this.trail.endpoint(request, 'endpoint.deleted');
    if (!(await this.endpoints.remove(request.caller.appId, id, witness))) throw endpointNotFound();
  }

  async enable(request: PartnerRequest, id: string): Promise<WebhookEndpointView> {
    refuseMembers(request);
    const outcome = await this.endpoints.enable(request.caller.appId, id, this.trail.endpoint(request, 'endpoint.enabled'));
    if (outcome.outcome === 'not_found') throw endpointNotFound();
    if (outcome.outcome === 'enabled') return endpointView(outcome.endpoint);
    const detail = 'an endpoint that was disabled for its failures can be enabled after five minutes';
    throw quotaExceeded('enabling', detail, Math.ceil(outcome.waitMs / 1000));
  }

  async disable(request: PartnerRequest, id: string): Promise<WebhookEndpointView> {
    refuseMembers(request);
    const witness = this.trail.endpoint(request, 'endpoint.disabled');
    return endpointView(found(await this.endpoints.disable(request.caller.appId, id, witness)));
  }

  /** The only answer with the new secret. */
  async rotate(request: PartnerRequest, id: string): Promise<WebhookEndpointSecret> {
    const body = (request.body as Record<string, unknown> | undefined) ?? {};
    refuse(checkWebhookBody('rotate', body));
    const graceMs = ((body.graceSeconds as number | undefined) ?? DEFAULT_GRACE_SECONDS) * 1000;
    const witness = this.trail.endpoint(request, 'endpoint.secret_rotated');
    const rotated = await this.endpoints.rotateSecret(request.caller.appId, id, graceMs, witness);
    if (!rotated) throw endpointNotFound();
    return { ...endpointView(rotated.endpoint), secret: rotated.secret };
  }

  async ping(request: PartnerRequest, id: string): Promise<{ deliveryId: string }> {
    refuseMembers(request);
    const deliveryId = await this.endpoints.ping(request.caller.appId, id, (tx) =>
      this.trail.write(tx, request, { action: 'endpoint.tested', object: { type: 'endpoint', id }, after: {} }),
    );
    if (deliveryId === null) throw endpointNotFound();
    return { deliveryId };
  }

  async recover(request: PartnerRequest, id: string): Promise<{ recovered: number }> {
    const { body } = requireBody(request);
    refuse(checkWebhookBody('recover', body));
    const since = body.since as string;
    // With what is queued first: dying in it leaves some queued, and asking again takes the rest.
    const recovered = await this.deliveries.recover(request.caller.appId, id, instantMs(since) ?? 0, (tx) =>
      this.trail.write(tx, request, { action: 'endpoint.recovered', object: { type: 'endpoint', id }, after: { since } }),
    );
    if (recovered === null) throw endpointNotFound();
    return { recovered };
  }
}

function refuse(errors: ReturnType<typeof checkWebhookBody>): void {
  if (errors.length > 0) throw AppError.fields(errors);
}

function found(endpoint: Endpoint | null): Endpoint {
  if (!endpoint) throw endpointNotFound();
  return endpoint;
}

const endpointNotFound = (): AppError => new AppError('not_found', 'this app has no endpoint with that id');
