import type { WebhookDeliveryDetail, WebhookDeliveryList } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { DeliveriesService } from '../callbacks/deliveries.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import { rateLimited } from '../platform/http/rate-limit-headers.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { isId } from '../platform/ids.js';
import { RateLimiter, type Sql } from '../ports.js';
import { TasksService } from '../tasks/tasks.service.js';
import { cursorAfter } from './cursor.js';
import { GrantedGroups } from './granted-groups.js';
import { PartnerTrail } from './partner-trail.js';
import { refuseMembers } from './request-body.js';
import { deliveriesQuery } from './task-query.js';
import { attemptView, deliveryView } from './webhook.dto.js';

const PAGE = 50;
/** Ten a minute per app. */
const REDELIVERIES = { intervalMicros: 6_000_000, burst: 10 };

/** The delivery log of the calling app. Another app's delivery looks like none, and so does that of a task which the key is not shown. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly tasks: TasksService,
    private readonly granted: GrantedGroups,
    private readonly limiter: RateLimiter,
    private readonly trail: PartnerTrail,
  ) {}

  async list(request: PartnerRequest): Promise<WebhookDeliveryList> {
    const { limit = PAGE, cursor, status, ...filter } = deliveriesQuery(request.signedQuery);
    const { appId } = request.caller;
    const shown = { appId, groupIds: this.granted.idsOf(undefined, request.caller) };
    const page = await this.deliveries.list({ ...filter, ...shown, states: status, before: cursor, limit: limit + 1 });
    const items = page.slice(0, limit).map(deliveryView);
    return { items, nextCursor: page.length > limit ? cursorAfter(items.at(-1)?.id as string) : null };
  }

  async get({ caller }: PartnerRequest, id: string): Promise<WebhookDeliveryDetail> {
    const found = await this.own(caller, id);
    return { ...deliveryView(found.delivery), log: found.attempts.map(attemptView) };
  }

  async redeliver(request: PartnerRequest, id: string): Promise<{ deliveryId: string }> {
    refuseMembers(request);
    const { caller } = request;
    const { appId } = caller;
    const verdict = await this.limiter.take(`redeliver:${appId}`, REDELIVERIES, 1);
    if (verdict.outcome !== 'allowed') throw rateLimited('redeliveries', verdict, Math.random());
    await this.own(caller, id);
    const what = { action: 'delivery.redelivered', object: { type: 'delivery', id }, after: {} };
    const also = (tx: Sql) => this.trail.write(tx, request, what);
    if (!(await this.deliveries.redeliver(appId, id, also))) throw deliveryNotFound();
    return { deliveryId: id };
  }

  private async own(caller: PartnerCaller, id: string) {
    const found = isId('dlv', id) ? await this.deliveries.find(caller.appId, id) : null;
    if (!found || !(await this.shows(found.delivery.taskId, caller))) throw deliveryNotFound();
    return found;
  }

  private async shows(taskId: string | null, caller: PartnerCaller): Promise<boolean> {
    if (taskId === null || caller.narrowedTo === null) return true;
    const task = await this.tasks.find(caller.appId, taskId);
    return task !== null && this.granted.shows(task.groupId, caller);
  }
}

const deliveryNotFound = (): AppError => new AppError('not_found', 'this app has no delivery with that id');
