import { Injectable } from '@nestjs/common';
import { CallbackPolicy } from '../callbacks/callback-policy.js';
import { checkSubmission } from '../decisions/check-submission.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { NewTask } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { UnfinishedTasks } from '../tasks/unfinished-tasks.js';
import { refuseCallbackUrl } from './callback-url.js';
import { HandlerDirectory } from './handler-directory.js';
import { newTask } from './new-task.js';

export interface Submission {
  body: unknown;
  /** As SubmissionContext. */
  paramsText: string | undefined;
  pointer: string;
  clientRequestIdRequired: boolean;
}

/** Decides whether one submission may become a task. Stores nothing: a refusal leaves its clientRequestId unused. */
@Injectable()
export class Admission {
  constructor(
    private readonly groups: GroupsService,
    private readonly handlers: HandlerDirectory,
    private readonly tasks: TasksService,
    private readonly unfinished: UnfinishedTasks,
    private readonly clock: Clock,
    private readonly callbacks: CallbackPolicy,
  ) {}

  /** Throws AppError. */
  async admit(submission: Submission, caller: PartnerCaller): Promise<NewTask> {
    const verdict = checkSubmission(submission.body, { ...submission, nowMs: this.clock.now() });
    if (!verdict.ok) throw AppError.fields(verdict.errors);
    const task = newTask(verdict.task, verdict.params, this.grantedGroup(verdict.task.group, submission.pointer, caller), caller);
    refuseCallbackUrl(this.callbacks, caller.appId, verdict.task.callbackUrl, submission.pointer);
    if (verdict.task.requireHandler && !this.handlers.hasLiveWorker(task.group.key, task.handler)) {
      throw AppError.fields([
        { pointer: `${submission.pointer}/handler`, code: 'no_worker', message: 'no live worker of the group has it' },
      ]);
    }
    const full = this.full(task, caller);
    if (full && !(await this.isKnown(task))) throw full;
    return task;
  }

  /** The refusal of a group or app that has as many tasks as it may. Both are counted every few seconds, so they may overrun a little. */
  private full({ group }: NewTask, { appId, limits }: PartnerCaller): AppError | null {
    if (this.groups.backlogFull(group.id))
      return new AppError('backlog_full', `the group ${group.key} holds as many pending tasks as it may`, { retryAfter: 5 });
    if (this.unfinished.reached(appId, limits.unfinishedTasks))
      return new AppError('concurrency_limited', `this app has ${limits.unfinishedTasks} or more tasks that have not ended`, {
        retryAfter: 5,
      });
    return null;
  }

  /** Nobody learns whether a group exists that is not granted to the app. */
  private grantedGroup(stated: string | undefined, pointer: string, caller: PartnerCaller) {
    const key = stated ?? caller.defaultGroup;
    const group = caller.groups.includes(key) ? this.groups.byKey(key) : undefined;
    if (group) return group;
    throw AppError.fields([{ pointer: `${pointer}/group`, code: 'not_allowed', message: 'is not a group this app may use' }]);
  }

  /** A repeated request is answered from what it created, full backlog or not. */
  async isKnown({ appId, clientRequestId }: NewTask): Promise<boolean> {
    if (appId === null || clientRequestId === null) return false;
    return (await this.tasks.list({ appId, clientRequestId, limit: 1 })).length > 0;
  }
}
