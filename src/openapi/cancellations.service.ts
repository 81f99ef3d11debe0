import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { TasksService } from '../tasks/tasks.service.js';
import { refuseMembers } from './request-body.js';
import { TaskQueriesService, taskNotFound } from './task-queries.service.js';

/** A partner takes a task back. */
@Injectable()
export class CancellationsService {
  constructor(
    private readonly tasks: TasksService,
    private readonly queries: TaskQueriesService,
  ) {}

  /** JSON text of the task: 200 if it is cancelled, now or before; 202 if its worker was asked to stop. Throws AppError. */
  async cancel(request: PartnerRequest, reply: FastifyReply, id: string): Promise<string> {
    refuseMembers(request);
    const { caller } = request;
    await this.queries.own(caller, id);
    const outcome = await this.tasks.requestCancel(caller.appId, id, `app:${caller.appPublicId}`);
    switch (outcome.outcome) {
      case 'not_found':
        throw taskNotFound();
      case 'already_terminal':
        if (outcome.state === 'CANCELLED') return this.queries.view(await this.queries.own(caller, id));
        throw new AppError('task_already_terminal', `the task has ended ${outcome.state}`, {
          members: { currentStatus: outcome.state },
        });
      case 'requested':
        reply.code(202);
        return this.queries.view(outcome.task);
      case 'cancelled':
        return this.queries.view(outcome.task);
    }
  }
}
