import type { TaskReceipt } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { mayLoseNumbers, paramsTextOf } from '../decisions/params-text.js';
import { GroupsService } from '../jobs/groups.service.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import type { NewTask, SubmitOutcome, TaskReceiptRecord } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { Admission } from './admission.js';
import { beingWritten } from './being-written.js';
import { requireBody } from './request-body.js';
import { Room } from './room.js';
import { receiptOf } from './task.view.js';
import { TaskQuota } from './task-quota.js';

/** Creation of one task: check, charge, store, and answer with the receipt once it is durable. */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly admission: Admission,
    private readonly quota: TaskQuota,
    private readonly tasks: TasksService,
    private readonly groups: GroupsService,
    private readonly room: Room,
  ) {}

  async submit(request: PartnerRequest, reply: FastifyReply): Promise<TaskReceipt> {
    return (await this.store(await this.admitted(request), request, reply)).receipt;
  }

  /** The task that the request describes, checked. Stores nothing. Throws AppError. */
  async admitted(request: PartnerRequest): Promise<NewTask> {
    const { body, text } = requireBody(request);
    const paramsText = mayLoseNumbers(text) ? paramsTextOf(text) : undefined;
    return this.admission.admit({ body, paramsText, pointer: '', clientRequestIdRequired: false }, request.caller);
  }

  /** Charges for the task and stores it; durable when this resolves. `keyPatienceMs` as for TasksService.submit. Throws AppError. */
  async store(
    task: NewTask,
    request: PartnerRequest,
    reply: FastifyReply,
    keyPatienceMs?: number,
  ): Promise<{ receipt: TaskReceipt; record: TaskReceiptRecord }> {
    const { caller } = request;
    const taken = await this.quota.take(caller, await this.room.tasksMadeBy(caller.appId, [task]), reply);
    const [outcome] = await this.tasks.submit([task], keyPatienceMs);
    if (outcome?.outcome !== 'accepted') await this.quota.giveBack(caller, taken, 1);
    const record = createdTask(outcome as SubmitOutcome);
    if ((outcome as SubmitOutcome).outcome === 'replayed') reply.header('idempotent-replayed', 'true');
    reply.header('location', `/openapi/v1/tasks/${record.id}`);
    return { receipt: receiptOf(record, this.groups.byId(record.groupId)?.key ?? ''), record };
  }
}

/** The task behind an outcome, or the refusal as an error. */
export function createdTask(outcome: SubmitOutcome, pointer = ''): TaskReceiptRecord {
  switch (outcome.outcome) {
    case 'accepted':
    case 'replayed':
      return outcome.task;
    case 'reused':
      throw new AppError('idempotency_key_reused', 'the clientRequestId belongs to a task with other parameters', {
        members: { existingTaskId: outcome.existingTaskId },
      });
    case 'in_progress':
      throw beingWritten();
    case 'unknown_upstreams':
      throw AppError.fields(
        outcome.places.map((place) => ({
          pointer: `${pointer}/dependsOn/${place}`,
          code: 'unknown_task',
          message: 'is no task of this app',
        })),
      );
  }
}
