import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppsService } from '../../auth/apps.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { kindOf } from '../../callbacks/attempt-delivery.js';
import { DeliveriesService } from '../../callbacks/deliveries.service.js';
import type { DeliveryFilter } from '../../callbacks/delivery.store.js';
import { delaysOf, RETRY_PLAN } from '../../decisions/callback-schedule.js';
import { said } from '../../decisions/field-sentences.js';
import { isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import type { ConsoleDeliveries, ConsoleDeliveryDetail } from '../contract/callbacks.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import {
  bodyOf,
  instantParameter,
  limitParameter,
  many,
  notFound,
  PAGE,
  pageOf,
  queryOf,
  REASON_ONLY,
  shortText,
  words,
} from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { attemptView, deliveryView } from './callback-views.js';

const cursor = { parse: (value: string) => (isId('dlv', value) ? value : undefined), rule: said('cursor') };
export const DELIVERY_FILTERS = {
  app: shortText(31),
  endpoint: shortText(31),
  state: many(words(['PENDING', 'SUCCEEDED', 'EXHAUSTED'] as const)),
  task: shortText(31),
  job: shortText(31),
  failing: words(['true']),
  since: instantParameter,
};
type DeliveryQuery = ReturnType<typeof queryOf<typeof DELIVERY_FILTERS>>;
/** By the time it was made; nothing else of the log has an index of its own. */
export const DELIVERY_SORT = { sort: words(['created', '-created'] as const) };
/** A job's deliveries are those of as many of its newest tasks. */
const TASKS_OF_JOB = 200;
const LIST = { ...DELIVERY_FILTERS, ...DELIVERY_SORT, cursor, limit: limitParameter };

/** What was sent to whom, over all apps, and sending it again. */
@Injectable()
export class ConsoleDeliveriesService {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly apps: AppsService,
    private readonly dialect: SqlDialect,
    private readonly jobs: ConsoleJobStore,
    private readonly trail: Trail,
  ) {}

  async list(request: ConsoleRequest): Promise<ConsoleDeliveries> {
    const { cursor: before, limit = PAGE, sort, ...stated } = queryOf(request, LIST);
    return this.page(stated, { before, limit, oldestFirst: sort === 'created' });
  }

  /** What the filters find after the cursor. */
  async page(
    stated: DeliveryQuery,
    { limit, ...place }: Pick<DeliveryFilter, 'before' | 'oldestFirst' | 'limit'>,
  ): Promise<ConsoleDeliveries> {
    const { app, endpoint: endpointId, state: states, task: taskId, job, failing, since } = stated;
    const appId = app === undefined ? null : ((await this.apps.findByPublicId(app))?.id ?? -1);
    const taskIds = job === undefined ? undefined : await this.tasksOf(job);
    const filter = {
      appId,
      endpointId,
      states,
      taskId,
      taskIds,
      failing: failing !== undefined,
      since,
      ...place,
      limit: limit + 1,
    };
    const { page, nextCursor } = pageOf(await this.deliveries.list(filter), limit, ({ id }) => id);
    const apps = await this.named();
    const holds = await this.deliveries.holdsOf(page);
    return { items: page.map((delivery) => deliveryView(delivery, apps, holds.get(delivery.id))), nextCursor };
  }

  async get(id: string): Promise<ConsoleDeliveryDetail> {
    const found = isId('dlv', id) ? await this.deliveries.find(null, id) : null;
    if (!found) throw notFound('delivery');
    const { eventId, eventType, lastFailure } = found.delivery;
    const bodyText = await this.deliveries.bodyOf(eventId);
    const progress = await this.deliveries.progressOf(id);
    const holds = await this.deliveries.holdsOf([found.delivery]);
    const delaysMs = progress && delaysOf(kindOf(eventType), progress, lastFailure === 'blocked');
    return {
      ...deliveryView(found.delivery, await this.named(), holds.get(id)),
      bodyText,
      failures: progress?.failures ?? null,
      retry: delaysMs ? { ...RETRY_PLAN, delaysMs } : RETRY_PLAN,
      log: found.attempts.map(attemptView),
    };
  }

  async redeliver(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<ConsoleDeliveryDetail> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const { app, state, attempts, url } = await this.get(id);
    const author = authorOf(request.caller, reply, reason);
    const again = await this.deliveries.redeliver(null, id, (tx) =>
      this.trail.write(tx, author, {
        action: 'delivery.redelivered',
        object: { type: 'delivery', id },
        before: { state, attempts },
        after: { app: app?.id ?? null, url },
      }),
    );
    if (!again) throw notFound('delivery');
    return this.get(id);
  }

  private async tasksOf(job: string): Promise<string[]> {
    if (!isId('job', job)) return [];
    return (await this.jobs.recent(this.dialect.root, [job], TASKS_OF_JOB)).map(({ id }) => id);
  }

  private async named() {
    return new Map((await this.apps.list()).map((app) => [app.id, app]));
  }
}
