import { Injectable } from '@nestjs/common';
import { CallbackPolicy } from '../callbacks/callback-policy.js';
import { PendingCallbacks } from '../callbacks/pending-callbacks.js';
import { checkSubmission } from '../decisions/check-submission.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { NewTask } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { UnfinishedTasks } from '../tasks/unfinished-tasks.js';
import { callbackUrlRefusal } from './callback-url.js';
import { GrantedGroups } from './granted-groups.js';
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
    private readonly granted: GrantedGroups,
    private readonly handlers: HandlerDirectory,
    private readonly tasks: TasksService,
    private readonly unfinished: UnfinishedTasks,
    private readonly clock: Clock,
    private readonly callbacks: CallbackPolicy,
    private readonly pendingCallbacks: PendingCallbacks,
  ) {}

  /** Throws AppError. */
  async admit(submission: Submission, caller: PartnerCaller): Promise<NewTask> {
    const verdict = checkSubmission(submission.body, { ...submission, nowMs: this.clock.now() });
    if (!verdict.ok) throw AppError.fields(verdict.errors);
    const group = this.granted.stated(verdict.task.group, caller, submission.pointer);
    const task = newTask(verdict.task, verdict.params, group, caller);
    const refusal = this.refusalNow(task, verdict.task.requireHandler === true, submission.pointer, caller);
    if (refusal && !(await this.isKnown(task))) throw refusal;
    return task;
  }

  /** What depends on the moment: a host that may be called, a worker that lives, room. It must not keep a repetition from its receipt. */
  private refusalNow(task: NewTask, requireHandler: boolean, pointer: string, caller: PartnerCaller): AppError | null {
    const ofUrl = callbackUrlRefusal(this.callbacks, caller.appId, task.callbackUrl, pointer);
    if (ofUrl) return ofUrl;
    if (requireHandler && !this.handlers.hasLiveWorker(task.group.key, task.handler))
      return AppError.fields([
        { pointer: `${pointer}/handler`, code: 'no_worker', message: 'no live worker of the group has it' },
      ]);
    return this.full(task, caller);
  }

  /**
   * The refusal of a group or app that has as many tasks, or callbacks that wait, as it may. All are counted every few seconds, so they
   * may overrun a little.
   */
  private full({ group, callbackUrl }: NewTask, { appId, limits }: PartnerCaller): AppError | null {
    if (this.groups.backlogFull(group.id))
      return new AppError('backlog_full', `the group ${group.key} holds as many pending tasks as it may`, { retryAfter: 5 });
    if (this.unfinished.reached(appId, limits.unfinishedTasks))
      return new AppError('concurrency_limited', `this app has ${limits.unfinishedTasks} or more tasks that have not ended`, {
        retryAfter: 5,
      });
    if (callbackUrl !== null && this.pendingCallbacks.of(appId) >= limits.pendingCallbacks)
      return new AppError('callbacks_full', `${limits.pendingCallbacks} or more callbacks of this app wait to be sent`, {
        retryAfter: 30,
      });
    return null;
  }

  /** A repeated request is answered from what it created, whatever would keep it from being created now. */
  async isKnown({ appId, clientRequestId }: NewTask): Promise<boolean> {
    if (appId === null || clientRequestId === null) return false;
    return (await this.tasks.list({ appId, clientRequestId, limit: 1 })).length > 0;
  }
}
