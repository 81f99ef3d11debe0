import { Injectable } from '@nestjs/common';
import { CallbackPolicy } from '../callbacks/callback-policy.js';
import { checkSubmission } from '../decisions/check-submission.js';
import type { PartnerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { NewTask } from '../tasks/task.js';
import { callbackUrlRefusal } from './callback-url.js';
import { GrantedGroups } from './granted-groups.js';
import { HandlerDirectory } from './handler-directory.js';
import { newTask } from './new-task.js';
import { Room } from './room.js';

export interface Submission {
  body: unknown;
  /** As SubmissionContext. */
  paramsText: string | undefined;
  pointer: string;
  clientRequestIdRequired: boolean;
}

export interface Checked {
  task: NewTask;
  /** Why it may not be created now. Nothing to a repetition of what was created: ask `Room` before it is told. */
  refusal: AppError | null;
}

/** Decides whether one submission may become a task. Stores nothing: a refusal leaves its clientRequestId unused. */
@Injectable()
export class Admission {
  constructor(
    private readonly granted: GrantedGroups,
    private readonly room: Room,
    private readonly handlers: HandlerDirectory,
    private readonly clock: Clock,
    private readonly callbacks: CallbackPolicy,
  ) {}

  /** Throws AppError. */
  async admit(submission: Submission, caller: PartnerCaller): Promise<NewTask> {
    const { task, refusal } = this.check(submission, caller);
    if (refusal && !(await this.room.isKnown(task.appId, task.clientRequestId))) throw refusal;
    return task;
  }

  /** The same without asking what is a repetition, for whoever asks it of many. Throws AppError for what may never be created. */
  check(submission: Submission, caller: PartnerCaller): Checked {
    const verdict = checkSubmission(submission.body, { ...submission, nowMs: this.clock.now() });
    if (!verdict.ok) throw AppError.fields(verdict.errors);
    const group = this.granted.stated(verdict.task.group, caller, submission.pointer);
    const task = newTask(verdict.task, verdict.params, group, caller, this.granted.idsOf(undefined, caller));
    return { task, refusal: this.refusalNow(task, verdict.task.requireHandler === true, submission.pointer, caller) };
  }

  /** What depends on the moment: a host that may be called, a worker that lives, room. It must not keep a repetition from its receipt. */
  private refusalNow(task: NewTask, requireHandler: boolean, pointer: string, caller: PartnerCaller): AppError | null {
    const ofUrl = callbackUrlRefusal(this.callbacks, caller.appId, task.callbackUrl, pointer);
    if (ofUrl) return ofUrl;
    if (requireHandler && !this.handlers.hasLiveWorker(task.group.key, task.handler))
      return AppError.fields([
        { pointer: `${pointer}/handler`, code: 'no_worker', message: 'no live worker of the group has it' },
      ]);
    return this.room.refusalOf(task.group, task.callbackUrl, caller);
  }
}
