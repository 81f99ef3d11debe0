import type { EventReceipt } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkEvent } from '../decisions/check-event.js';
import { requestFingerprint } from '../decisions/fingerprint.js';
import { mayLoseNumbers, payloadTextOf } from '../decisions/params-text.js';
import { GroupsService } from '../jobs/groups.service.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { EventsService } from '../tasks/events.service.js';
import { beingWritten } from './being-written.js';
import { requireBody } from './request-body.js';
import { Room } from './room.js';
import { TaskQuota } from './task-quota.js';

/** A partner sends an event. A refusal stores nothing and leaves its clientRequestId unused. */
@Injectable()
export class SentEventsService {
  constructor(
    private readonly events: EventsService,
    private readonly groups: GroupsService,
    private readonly quota: TaskQuota,
    private readonly room: Room,
  ) {}

  /** The receipt, once the event and its tasks are durable. Throws AppError. */
  async send(request: PartnerRequest, reply: FastifyReply): Promise<EventReceipt> {
    const { body, text } = requireBody(request);
    const payload = (mayLoseNumbers(text) ? payloadTextOf(text) : undefined) ?? JSON.stringify(body.payload ?? null);
    const errors = checkEvent(body, payload);
    if (errors.length > 0) throw AppError.fields(errors);
    const { caller } = request;
    const clientRequestId = body.clientRequestId as string;
    const name = body.name as string;
    const stated = {
      appId: caller.appId,
      groupIds: caller.groups.flatMap((key) => this.groups.byKey(key)?.id ?? []),
      clientRequestId,
      fingerprint: requestFingerprint('events.send', body, payload),
      name,
      payload,
    };
    const earlier = await this.events.sentBefore(stated);
    const full = earlier ? null : await this.room.refusalOfEvent(stated, caller);
    if (full) throw full;
    const tasks = earlier ? 1 : await this.events.countTasks(stated, Math.ceil(caller.limits.taskBurst));
    const taken = await this.quota.take(caller, tasks, reply);
    const outcome = earlier ?? (await this.events.send(stated));
    if (outcome.outcome !== 'accepted') await this.quota.giveBack(caller, taken, 1);
    if (outcome.outcome === 'reused')
      throw new AppError('idempotency_key_reused', 'the clientRequestId belongs to an event with other parameters', {
        members: { existingEventId: outcome.existingEventId },
      });
    if (outcome.outcome === 'in_progress') throw beingWritten();
    if (outcome.outcome === 'replayed') reply.header('idempotent-replayed', 'true');
    const { id, taskIds, createdAt } = outcome.event;
    return { id, clientRequestId, name, taskIds, createdAt: new Date(createdAt).toISOString() };
  }
}
