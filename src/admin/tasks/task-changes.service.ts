import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { checkTrigger } from '../../decisions/check-job.js';
import { flag, rules } from '../../decisions/field-rules.js';
import type { Group } from '../../jobs/group.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { refusalOfArchived } from '../../jobs/open-groups.js';
import { AppError } from '../../platform/errors.js';
import { SqlDialect } from '../../ports.js';
import { RunsService } from '../../tasks/runs.service.js';
import { ShardStore } from '../../tasks/shard.store.js';
import { type AlsoWritten, type CancelOutcome, hasShards, type RetryOutcome, type TaskRecord } from '../../tasks/task.js';
import { TasksService } from '../../tasks/tasks.service.js';
import type { CancelTask, RunAgain, TaskAction, TaskDetail } from '../contract/tasks.js';
import { parsedParams, renamed } from '../jobs/job-body.js';
import { bodyOf, REASON_ONLY, reasonRule } from '../request-parts.js';
import { type Author, authorOf, Trail } from '../trail.js';
import { ConsoleTasksService, taskNotFound } from './console-tasks.service.js';

const CANCEL = rules({ reason: reasonRule, force: flag });
const RUN_AGAIN = rules({ reason: reasonRule, paramsText: () => {} });

/** What operators do to single tasks: cancel, give up, retry, run again. What a change is refused for stores nothing. */
@Injectable()
export class TaskChangesService {
  constructor(
    private readonly looks: ConsoleTasksService,
    private readonly tasks: TasksService,
    private readonly runs: RunsService,
    private readonly jobs: JobsService,
    private readonly groups: GroupsService,
    private readonly shards: ShardStore,
    private readonly dialect: SqlDialect,
    private readonly trail: Trail,
  ) {}

  async cancel(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<TaskDetail> {
    const { reason, force = false } = bodyOf<CancelTask>(request, CANCEL);
    const { caller } = request;
    await this.looks.found(caller, id, 'tasks.cancel');
    const author = authorOf(caller, reply, reason);
    if (force) await this.force(id, author);
    else {
      const outcome = await this.cancelAs(id, author);
      if (outcome.outcome === 'not_found') throw taskNotFound();
      if (outcome.outcome === 'already_terminal') throw alreadyTerminal(outcome.state);
      if (outcome.outcome === 'requested') reply.code(202);
    }
    return this.looks.get(request, id);
  }

  async retry(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<TaskDetail> {
    const { reason } = bodyOf<TaskAction>(request, REASON_ONLY);
    const { caller } = request;
    const task = await this.looks.found(caller, id, 'tasks.retry');
    const outcome = await this.retryAs(id, authorOf(caller, reply, reason));
    if (outcome.outcome === 'not_found') throw taskNotFound();
    if (outcome.outcome === 'not_retryable') throw notRetryable(task, outcome.state);
    return this.looks.get(request, id);
  }

  /** Of a job that is still there: one more run of it, by its overlap rule. Otherwise a task of its own. */
  async runAgain(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<{ taskId: string }> {
    const { reason, paramsText } = bodyOf<RunAgain>(request, RUN_AGAIN);
    if (paramsText !== undefined) {
      const errors = checkTrigger({ params: parsedParams(paramsText) }, paramsText);
      if (errors.length > 0) throw AppError.fields(renamed(errors));
    }
    const { caller } = request;
    const task = await this.looks.found(caller, id, 'tasks.retry');
    if (task.parentId !== null) throw AppError.because('state_conflict', 'shard_again');
    const author = authorOf(caller, reply, reason);
    const params = paramsText ?? task.params ?? 'null';
    return { taskId: (await this.runOfJob(task, params, author)) ?? (await this.submit(task, params, author)) };
  }

  /** The next two are for whoever has been let through: the routes above and bulk operations. */
  cancelAs(id: string, author: Author): Promise<CancelOutcome> {
    return this.tasks.cancelByOperator(id, author.actor, this.noted(author, 'task.cancelled'));
  }

  retryAs(id: string, author: Author): Promise<RetryOutcome> {
    return this.tasks.retry(null, id, author.actor, this.noted(author, 'task.retried'));
  }

  private async force(id: string, author: Author): Promise<void> {
    const outcome = await this.tasks.forceCancel(id, author.actor, this.noted(author, 'task.force_cancelled'));
    switch (outcome.outcome) {
      case 'forced':
        return;
      case 'not_found':
        throw taskNotFound();
      case 'already_terminal':
        throw alreadyTerminal(outcome.state);
      case 'not_asked':
        throw AppError.because('state_conflict', 'cancel_not_asked', {}, { members: { waitMs: null } });
      case 'too_early': {
        const waitMs = Math.ceil(outcome.waitMs);
        throw AppError.because('state_conflict', 'stop_not_due', { waitMs }, { members: { waitMs } });
      }
    }
  }

  /** Null if it is of no job, or of one that is gone. */
  private async runOfJob(task: TaskRecord, params: string, author: Author): Promise<string | null> {
    if (task.jobId === null || !(await this.jobs.find('anybody', task.jobId))) return null;
    const outcome = await this.runs.run('anybody', task.jobId, {
      params,
      force: false,
      clientRequestId: null,
      fingerprint: null,
      actor: author.actor,
      also: (tx, taskId) => this.trail.write(tx, author, this.again(task, taskId, params)),
    });
    return outcome.outcome === 'accepted' ? outcome.taskId : null;
  }

  /** Dying between the two leaves a task whose timeline names who asked, without an entry in the log. */
  private async submit(task: TaskRecord, params: string, author: Author): Promise<string> {
    const { share: _, ...options } = task.options;
    const group = this.groups.byId(task.groupId) as Group;
    const refusal = refusalOfArchived(group);
    if (refusal) throw refusal;
    const [outcome] = await this.tasks.submit([
      {
        appId: task.appId,
        clientRequestId: null,
        fingerprint: null,
        group,
        handler: task.handler,
        params,
        priority: task.priority,
        timeoutMs: task.timeoutMs,
        runAt: null,
        delayMs: 0,
        options,
        shards: await this.shardsOf(task),
        metadata: Object.keys(task.metadata).length > 0 ? task.metadata : null,
        callbackUrl: task.callbackUrl,
        actor: author.actor,
      },
    ]);
    if (outcome?.outcome !== 'accepted') throw new Error(`a task without a request id was ${outcome?.outcome}`);
    await this.trail.note(author, this.again(task, outcome.task.id, params));
    return outcome.task.id;
  }

  /** A broadcast is divided anew among those who are there then. */
  private async shardsOf(task: TaskRecord): Promise<number | 'broadcast' | undefined> {
    if (!hasShards(task)) return undefined;
    if (task.shardTotal === 0) return 'broadcast';
    const [first] = await this.shards.firstOf(this.dialect.root, task.id, 1, 0);
    const shard = first && (await this.tasks.look(first.id));
    return shard?.options.share ? 'broadcast' : (task.shardTotal as number);
  }

  private again(task: TaskRecord, taskId: string, params: string) {
    return {
      action: 'task.run_again',
      object: { type: 'task', id: task.id },
      group: this.groups.byId(task.groupId)?.key ?? null,
      after: { taskId, ownParams: params === (task.params ?? 'null') },
    };
  }

  private noted(author: Author, action: string): AlsoWritten {
    return (tx, before, after) =>
      this.trail.write(tx, author, {
        action,
        object: { type: 'task', id: before.id },
        group: this.groups.byId(before.groupId)?.key ?? null,
        before: { state: before.state, attempt: before.attempt, cancelRequested: before.cancelAskedAt !== null },
        after: { state: after.state, attempt: after.attempt, cancelRequested: after.cancelAskedAt !== null },
      });
  }
}

const alreadyTerminal = (state: TaskRecord['state']): AppError =>
  AppError.because('task_already_terminal', 'task_ended', { state }, { members: { currentStatus: state } });

function notRetryable({ parentId }: TaskRecord, state: TaskRecord['state']): AppError {
  const reason = parentId === null ? 'task_not_retried' : 'shard_not_retried';
  return AppError.because('task_not_retryable', reason, { state }, { members: { currentStatus: state, parentId } });
}
