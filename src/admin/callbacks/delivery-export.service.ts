import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import type { ConsoleDelivery } from '../contract/callbacks.js';
import { FILE_PARAMETERS, type ListFile, sendList } from '../export/list-file.js';
import { queryOf } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { ConsoleDeliveriesService, DELIVERY_FILTERS, DELIVERY_SORT } from './console-deliveries.service.js';

const QUERY = { ...DELIVERY_FILTERS, ...DELIVERY_SORT, ...FILE_PARAMETERS };
const COLUMNS: ListFile<ConsoleDelivery>['columns'] = [
  ['id', ({ id }) => id],
  ['state', ({ state }) => state],
  ['event', ({ eventType }) => eventType],
  ['eventId', ({ eventId }) => eventId],
  ['task', ({ taskId }) => taskId],
  ['app', ({ app }) => app?.name ?? null],
  ['endpoint', ({ endpointId }) => endpointId],
  ['url', ({ url }) => url],
  ['attempts', ({ attempts }) => attempts],
  ['lastStatus', ({ lastStatus }) => lastStatus],
  ['lastFailure', ({ lastFailure }) => lastFailure],
  ['zone', (_, { zone }) => zone],
  ['createdAt', ({ createdAt }, { at }) => at(createdAt)],
  ['nextAttemptAt', ({ nextAttemptAt }, { at }) => at(nextAttemptAt)],
  ['heldBy', ({ hold }) => hold?.reason ?? null],
  ['heldUntil', ({ hold }, { at }) => at(hold?.until ?? null)],
  ['endedAt', ({ endedAt }, { at }) => at(endedAt)],
];

/** The list of deliveries as a file, without what was sent; who took it is logged. */
@Injectable()
export class DeliveryExportService {
  constructor(
    private readonly deliveries: ConsoleDeliveriesService,
    private readonly trail: Trail,
  ) {}

  async export(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { format = 'csv', zone, sort, ...stated } = queryOf(request, QUERY);
    await this.trail.note(authorOf(request.caller, reply), {
      action: 'deliveries.exported',
      object: { type: 'delivery', id: null },
      after: { format, filter: stated },
    });
    const read: ListFile<ConsoleDelivery>['read'] = async (before, limit) => {
      const { items, nextCursor } = await this.deliveries.page(stated, { before, limit, oldestFirst: sort === 'created' });
      return { rows: items, next: nextCursor };
    };
    await sendList(reply, { name: 'deliveries', columns: COLUMNS, read }, { format, zone });
  }
}
