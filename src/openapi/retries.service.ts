import type { TaskState } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { GroupsService } from '../jobs/groups.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import type { TaskRecord } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { refuseMembers } from './request-body.js';
import { Room } from './room.js';
import { TaskQueriesService, taskNotFound } from './task-queries.service.js';
import { TaskQuota } from './task-quota.js';

/** Of these a retry makes an unfinished task again, which needs room like a new one. */
const RETRIED: readonly TaskState[] = ['FAILED', 'TIMED_OUT', 'CANCELLED'];

/** A partner retries a task that ended without success. */
@Injectable()
export class RetriesService {
  constructor(
    private readonly tasks: TasksService,
    private readonly queries: TaskQueriesService,
    private readonly room: Room,
    private readonly groups: GroupsService,
    private readonly quota: TaskQuota,
  ) {}

  /** JSON text of the task, which waits for its next attempt. Costs what a new one does. Throws AppError. */
  async retry(request: PartnerRequest, reply: FastifyReply, id: string): Promise<string> {
    refuseMembers(request);
    const { caller } = request;
    const task = await this.queries.use(caller, id);
    if (RETRIED.includes(task.state)) {
      this.mustHaveRoom(task, caller);
      await this.quota.take(caller, await this.tasksOf(task), reply);
    }
    const outcome = await this.tasks.retry(caller.appId, id, `app:${caller.appPublicId}`);
    switch (outcome.outcome) {
      case 'not_found':
        throw taskNotFound();
      case 'not_retryable':
        throw new AppError('task_not_retryable', `the task is ${outcome.state}; only ${RETRIED.join(', ')} are retried`, {
          members: { currentStatus: outcome.state },
        });
      case 'retried':
        return this.queries.view(outcome.task);
    }
  }

  /** Of a task with shards those that did not succeed. */
  private async tasksOf(task: TaskRecord): Promise<number> {
    const shards = (await this.tasks.shardProgressOf([task])).get(task.id);
    return shards ? Math.max(1, shards.total - (shards.done - shards.failed)) : 1;
  }

  private mustHaveRoom({ groupId, callbackUrl }: TaskRecord, caller: PartnerCaller): void {
    const full = this.room.refusalOf({ id: groupId, key: this.groups.byId(groupId)?.key ?? '' }, callbackUrl, caller);
    if (full) throw full;
  }
}
