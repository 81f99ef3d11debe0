import { Injectable } from '@nestjs/common';
import { CallbackPolicy } from '../callbacks/callback-policy.js';
import { checkSubmission } from '../decisions/check-submission.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { NewTask } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
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
    if (this.groups.backlogFull(task.group.id) && !(await this.isKnown(task))) {
      throw new AppError('backlog_full', `the group ${task.group.key} holds as many unfinished tasks as it may`, {
        retryAfter: 5,
      });
    }
    return task;
  }

  /** Nobody learns whether a group exists that is not granted to the app. */
  private grantedGroup(stated: string | undefined, pointer: string, caller: PartnerCaller) {
    const key = stated ?? caller.defaultGroup;
    const group = caller.groups.includes(key) ? this.groups.byKey(key) : undefined;
    if (group) return group;
    throw AppError.fields([{ pointer: `${pointer}/group`, code: 'not_allowed', message: 'is not a group this app may use' }]);
  }

  /** A repeated request is answered from what it created, full backlog or not. */
  private async isKnown({ appId, clientRequestId }: NewTask): Promise<boolean> {
    if (appId === null || clientRequestId === null) return false;
    return (await this.tasks.list({ appId, clientRequestId, limit: 1 })).length > 0;
  }
}
