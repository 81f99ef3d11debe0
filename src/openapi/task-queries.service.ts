import { isTerminal, type TaskList } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Standing } from '../auth/standing.js';
import { ExplainService } from '../dispatch/explain.service.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { HeldRequests } from '../platform/http/held-requests.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { isId } from '../platform/ids.js';
import type { TaskRecord } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { cursorAfter } from './cursor.js';
import { GrantedGroups } from './granted-groups.js';
import { type Computed, summaryOf, taskViewText } from './task.view.js';
import { getQuery, listQuery } from './task-query.js';

const PAGE = 50;
/** Longest pause we advise between two looks at a task, in seconds. */
const LONGEST_HINT = 60;

/** What partners may see of their tasks. A task of another app does not exist. */
@Injectable()
export class TaskQueriesService {
  constructor(
    private readonly tasks: TasksService,
    private readonly explain: ExplainService,
    private readonly groups: GroupsService,
    private readonly granted: GrantedGroups,
    private readonly clock: Clock,
    private readonly held: HeldRequests,
    private readonly standing: Standing,
  ) {}

  /** JSON text of the task, once it has ended, the time asked for is over or this node leaves; to whom may still read it then. */
  async get(request: PartnerRequest, reply: FastifyReply, id: string): Promise<string> {
    const { wait } = getQuery(request.signedQuery);
    let task = await this.own(request.caller, id);
    if (wait && !isTerminal(task.state)) {
      await this.tasks.waitForEnd(id, wait * 1000, this.held.signalOf(reply));
      task = await this.own(await this.standing.again(request, reply, 'tasks:read'), id);
    }
    if (!isTerminal(task.state)) reply.header('retry-after', String(this.secondsToNextLook(task)));
    return this.view(task);
  }

  async list({ caller, signedQuery }: PartnerRequest): Promise<TaskList> {
    const { limit = PAGE, cursor, group, status, ...filter } = listQuery(signedQuery);
    const found = await this.tasks.list({
      ...filter,
      appId: caller.appId,
      groupIds: this.granted.idsOf(group, caller),
      states: status,
      before: cursor,
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const computed = await this.computed(page);
    return {
      items: page.map((task, i) => summaryOf(task, this.groupKey(task), computed[i] as Computed)),
      nextCursor: found.length > limit ? cursorAfter((page.at(-1) as TaskRecord).id) : null,
    };
  }

  async view(task: TaskRecord): Promise<string> {
    const ended = task.attempt > 1 ? await this.tasks.attemptsOf(task.id) : [];
    const [computed] = await this.computed([task]);
    return taskViewText(task, ended, this.groupKey(task), computed as Computed);
  }

  private async computed(tasks: readonly TaskRecord[]): Promise<Computed[]> {
    const reasons = await this.explain.waitingReasons(tasks);
    const shards = await this.tasks.shardProgressOf(tasks);
    return tasks.map(({ id }, i) => ({ waiting: reasons[i] ?? null, shards: shards.get(id) ?? null }));
  }

  /** Throws AppError `task_not_found`, the same for ids that are malformed, unknown, another app's or of a group the key was not granted. */
  async own(caller: PartnerCaller, id: string): Promise<TaskRecord> {
    const task = isId('task', id) ? await this.tasks.find(caller.appId, id) : null;
    if (!task || !this.granted.shows(task.groupId, caller)) throw taskNotFound();
    return task;
  }

  /** For whoever lets it run again. Throws AppError as `own`, and `insufficient_scope` where the app may use its group no more. */
  async use(caller: PartnerCaller, id: string): Promise<TaskRecord> {
    const task = await this.own(caller, id);
    this.granted.mustUse(task.groupId, caller);
    return task;
  }

  private groupKey(task: TaskRecord): string {
    return this.groups.byId(task.groupId)?.key ?? '';
  }

  private secondsToNextLook(task: TaskRecord): number {
    const waits = task.state === 'SCHEDULED' || task.state === 'RETRYING';
    const seconds = waits ? Math.ceil((task.dueAt - this.clock.now()) / 1000) : 1;
    return Math.min(Math.max(1, seconds), LONGEST_HINT);
  }
}

export const taskNotFound = (): AppError => new AppError('task_not_found', 'this app has no task with that id');
