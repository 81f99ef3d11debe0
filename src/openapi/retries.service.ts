import { Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { TasksService } from '../tasks/tasks.service.js';
import { refuseMembers } from './request-body.js';
import { TaskQueriesService, taskNotFound } from './task-queries.service.js';

/** A partner retries a task that ended without success. */
@Injectable()
export class RetriesService {
  constructor(
    private readonly tasks: TasksService,
    private readonly queries: TaskQueriesService,
  ) {}

  /** JSON text of the task, which waits for its next attempt. Throws AppError. */
  async retry(request: PartnerRequest, id: string): Promise<string> {
    refuseMembers(request);
    const { caller } = request;
    await this.queries.use(caller, id);
    const outcome = await this.tasks.retry(caller.appId, id, `app:${caller.appPublicId}`);
    switch (outcome.outcome) {
      case 'not_found':
        throw taskNotFound();
      case 'not_retryable':
        throw new AppError(
          'task_not_retryable',
          `the task is ${outcome.state}; only FAILED, TIMED_OUT and CANCELLED are retried`,
          {
            members: { currentStatus: outcome.state },
          },
        );
      case 'retried':
        return this.queries.view(outcome.task);
    }
  }
}
