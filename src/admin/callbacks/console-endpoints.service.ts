import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type App, AppsService } from '../../auth/apps.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { endpointFacts } from '../../callbacks/callback-trail.js';
import type { Endpoint } from '../../callbacks/callbacks.js';
import { DeliveriesService } from '../../callbacks/deliveries.service.js';
import { EndpointsService } from '../../callbacks/endpoints.service.js';
import { integer, rules } from '../../decisions/field-rules.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { isId } from '../../platform/ids.js';
import type { Deed } from '../../platform/witness.js';
import { MissedEnds } from '../../tasks/missed-ends.js';
import type {
  ConsoleEndpoint,
  ConsoleEndpoints,
  RecoverDeliveries,
  ReplayedMissing,
  ReplayMissing,
  RotatedEndpoint,
  RotateWebhookSecret,
} from '../contract/callbacks.js';
import { bodyOf, instantRule, notFound, queryOf, REASON_ONLY, reasonRule, shortText } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { endpointView } from './callback-views.js';
import { EndpointFiguresService } from './endpoint-figures.service.js';

export const GRACE = { seconds: 86_400, most: 604_800 };
const ROTATE = rules({ graceSeconds: integer(0, GRACE.most), reason: reasonRule });
const RECOVER = rules({ since: instantRule, reason: reasonRule });

/** The endpoints of all apps. Secrets are shown by the answer that makes them and by no other. */
@Injectable()
export class ConsoleEndpointsService {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly deliveries: DeliveriesService,
    private readonly apps: AppsService,
    private readonly figures: EndpointFiguresService,
    private readonly clock: Clock,
    private readonly trail: Trail,
    private readonly missed: MissedEnds,
  ) {}

  async list(request: ConsoleRequest): Promise<ConsoleEndpoints> {
    const { app } = queryOf(request, { app: shortText(31) });
    const apps = await this.apps.list();
    const wanted = app === undefined ? apps : apps.filter(({ publicId }) => publicId === app);
    const found = await this.endpoints.ofApps(wanted.map(({ id }) => id));
    const named = new Map(apps.map((each) => [each.id, each]));
    const figures = await this.figures.of(found.map(({ id }) => id));
    const health = await this.endpoints.healthOf(found);
    const now = this.clock.now();
    return {
      items: found.map((endpoint) => endpointView(endpoint, named, now, figures.get(endpoint.id), health.get(endpoint.id))),
    };
  }

  async get(id: string): Promise<ConsoleEndpoint> {
    return this.view(await this.found(id));
  }

  async disable(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<ConsoleEndpoint> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const { appId } = await this.found(id);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), deed('endpoint.disabled'));
    return this.view(known(await this.endpoints.disable(appId, id, witness)));
  }

  async enable(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<ConsoleEndpoint> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const { appId } = await this.found(id);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), deed('endpoint.enabled'));
    const outcome = await this.endpoints.enable(appId, id, witness);
    if (outcome.outcome === 'not_found') throw notFound('endpoint');
    if (outcome.outcome === 'enabled') return this.view(outcome.endpoint);
    throw AppError.because('state_conflict', 'endpoint_disabled_lately', {}, { members: { waitMs: outcome.waitMs } });
  }

  async test(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<{ deliveryId: string }> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const { appId } = await this.found(id);
    const author = authorOf(request.caller, reply, reason);
    const deliveryId = await this.endpoints.ping(appId, id, (tx) => this.trail.write(tx, author, about('endpoint.tested', id)));
    if (deliveryId === null) throw notFound('endpoint');
    return { deliveryId };
  }

  /** Logged with what is queued first: dying in it leaves some queued, and asking again takes the rest. */
  async recover(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<{ recovered: number }> {
    const { since, reason } = bodyOf<RecoverDeliveries>(request, RECOVER, ['since']);
    const { appId } = await this.found(id);
    const author = authorOf(request.caller, reply, reason);
    const entry = { ...about('endpoint.recovered', id), after: { since } };
    const recovered = await this.deliveries.recover(appId, id, Date.parse(since), (tx) => this.trail.write(tx, author, entry));
    if (recovered === null) throw notFound('endpoint');
    return { recovered };
  }

  /** Logged with the first that are queued: dying in it leaves some queued, and asking again takes the rest. */
  async replayMissing(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<ReplayedMissing> {
    const { since, reason } = bodyOf<ReplayMissing>(request, RECOVER, ['since']);
    const { appId } = await this.found(id);
    const author = authorOf(request.caller, reply, reason);
    const entry = { ...about('endpoint.missing_replayed', id), after: { since } };
    const replayed = await this.missed.replay(appId, id, Date.parse(since), (tx) => this.trail.write(tx, author, entry));
    if (replayed === null) throw notFound('endpoint');
    return replayed;
  }

  async rotate(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<RotatedEndpoint> {
    const { graceSeconds = GRACE.seconds, reason } = bodyOf<RotateWebhookSecret>(request, ROTATE);
    const { appId } = await this.found(id);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), deed('endpoint.secret_rotated'));
    const rotated = await this.endpoints.rotateSecret(appId, id, graceSeconds * 1_000, witness);
    if (!rotated) throw notFound('endpoint');
    return { ...(await this.view(rotated.endpoint)), secret: rotated.secret };
  }

  private async found(id: string): Promise<Endpoint> {
    return known(isId('wep', id) ? await this.endpoints.look(id) : null);
  }

  private async view(endpoint: Endpoint): Promise<ConsoleEndpoint> {
    const apps = new Map((await this.apps.list()).map((app): [number, App] => [app.id, app]));
    const figures = await this.figures.of([endpoint.id]);
    const health = await this.endpoints.healthOf([endpoint]);
    return endpointView(endpoint, apps, this.clock.now(), figures.get(endpoint.id), health.get(endpoint.id));
  }
}

function known(endpoint: Endpoint | null): Endpoint {
  if (!endpoint) throw notFound('endpoint');
  return endpoint;
}

const about = (action: string, id: string) => ({ action, object: { type: 'endpoint', id } });
const deed = (action: string): Deed<Endpoint> => ({ action, type: 'endpoint', id: ({ id }) => id, show: endpointFacts });
