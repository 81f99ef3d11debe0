import { TASK_STATES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppsService } from '../../auth/apps.service.js';
import { type ConsoleCaller, type ConsoleRequest, demand } from '../../auth/console-caller.js';
import { may, PERMISSIONS, type Permission } from '../../decisions/permissions.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { ExplainService } from '../../dispatch/explain.service.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { instantOfId, isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import type { CancelOutcome, TaskRecord } from '../../tasks/task.js';
import { TasksService } from '../../tasks/tasks.service.js';
import type { ConsoleTaskList, TaskAction, TaskCounts, TaskDetail, TaskExplanation } from '../contract/tasks.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { appOf } from '../jobs/console-jobs.service.js';
import { bodyOf, iso, limitParameter, PAGE, queryOf, REASON_ONLY } from '../request-parts.js';
import { type Author, authorOf, Trail } from '../trail.js';
import { TaskExplainService } from './task-explain.service.js';
import { type StatedFilters, searchOf, TASK_FILTERS } from './task-filters.js';
import type { TaskSearch } from './task-search.js';
import { COUNTED, type ListedTaskRow, TaskSearchStore } from './task-search.store.js';
import { detailOf, summaryOfRow, type TaskNames } from './task-views.js';

const cursor = { parse: (value: string) => (isId('task', value) ? value : undefined), rule: 'must be a nextCursor' };
const LIST = { ...TASK_FILTERS, cursor, limit: limitParameter };

/** Tasks of every app, as people look at them and cancel them. */
@Injectable()
export class ConsoleTasksService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskSearchStore,
    private readonly tasks: TasksService,
    private readonly groups: GroupsService,
    private readonly apps: AppsService,
    private readonly jobs: ConsoleJobStore,
    private readonly reasons: ExplainService,
    private readonly explanations: TaskExplainService,
    private readonly clock: Clock,
    private readonly trail: Trail,
  ) {}

  async list(request: ConsoleRequest): Promise<ConsoleTaskList> {
    const { limit = PAGE, cursor: before, app, group, ...stated } = queryOf(request, LIST);
    const search = await this.search(request.caller, stated, group, app);
    const { rows, searchedTo } = await this.store.find(this.dialect.root, search, before, limit + 1);
    const full = rows.length > limit;
    const page = rows.slice(0, limit);
    const items = await this.summaries(page);
    if (full) return { items, nextCursor: page.at(-1)?.id ?? null, searchedTo: null };
    return { items, nextCursor: searchedTo, searchedTo: searchedTo === null ? null : iso(instantOfId(searchedTo)) };
  }

  async counts(request: ConsoleRequest): Promise<TaskCounts> {
    const { app, group, ...stated } = queryOf(request, TASK_FILTERS);
    const search = await this.search(request.caller, stated, group, app);
    return this.count(search);
  }

  async count(search: TaskSearch): Promise<TaskCounts> {
    const { counts, capped } = await this.store.count(this.dialect.root, search);
    const states = Object.fromEntries(TASK_STATES.map((state) => [state, counts.get(STATE_CODE[state]) ?? 0]));
    const asked = search.states ?? Object.values(STATE_CODE);
    const total = asked.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
    const total10k = { count: Math.min(total, COUNTED), capped: total > COUNTED || (capped && total >= COUNTED) };
    return { states: states as TaskCounts['states'], capped, total: total10k };
  }

  /** The search of a list's filters in the groups where the caller has the permission. */
  async search(
    caller: ConsoleCaller,
    stated: StatedFilters,
    groupKeys: readonly string[] | undefined,
    app: string | undefined,
    permission: Permission = 'tasks.view',
  ): Promise<TaskSearch> {
    const allowed = this.groups.all().filter(({ key }) => may(caller.rights, permission, key));
    const everywhere = groupKeys === undefined && may(caller.rights, permission, null);
    const wanted = allowed.filter(({ key }) => groupKeys?.includes(key) ?? true).map(({ id }) => id);
    const appId = app === undefined ? undefined : ((await this.apps.findByPublicId(app))?.id ?? -1);
    const appIds = stated.clientRequestId === undefined ? undefined : (await this.apps.list()).map(({ id }) => id);
    return { ...searchOf(stated, this.clock.now()), groupIds: everywhere ? null : wanted, appId, appIds };
  }

  async get({ caller }: ConsoleRequest, id: string): Promise<TaskDetail> {
    return this.detail(await this.found(caller, id), caller);
  }

  async explain({ caller }: ConsoleRequest, id: string): Promise<TaskExplanation> {
    return this.explanations.explain(await this.found(caller, id));
  }

  async cancel(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<TaskDetail> {
    const { reason } = bodyOf<TaskAction>(request, REASON_ONLY);
    const { caller } = request;
    await this.found(caller, id, 'tasks.cancel');
    const outcome = await this.cancelAs(id, authorOf(caller, reply, reason));
    if (outcome.outcome === 'not_found') throw taskNotFound();
    if (outcome.outcome === 'already_terminal') {
      throw new AppError('task_already_terminal', `the task has ended ${outcome.state}`, {
        members: { currentStatus: outcome.state },
      });
    }
    if (outcome.outcome === 'requested') reply.code(202);
    return this.detail(await this.found(caller, id), caller);
  }

  /** For whoever has been let through. */
  cancelAs(id: string, author: Author): Promise<CancelOutcome> {
    return this.tasks.cancelByOperator(id, author.actor, (tx, before, after) =>
      this.trail.write(tx, author, {
        action: 'task.cancelled',
        object: { type: 'task', id },
        group: this.groups.byId(before.groupId)?.key ?? null,
        before: { state: before.state, cancelRequested: before.cancelAskedAt !== null },
        after: { state: after.state, cancelRequested: true },
      }),
    );
  }

  /** Throws AppError: `task_not_found` in a group the caller may not see, `permission_denied` where they may not do this. */
  async found(caller: ConsoleCaller, id: string, permission: Permission = 'tasks.view'): Promise<TaskRecord> {
    const task = isId('task', id) ? await this.tasks.look(id) : null;
    const group = task && this.groups.byId(task.groupId)?.key;
    if (!task || group == null || !may(caller.rights, 'tasks.view', group)) throw taskNotFound();
    demand(caller, permission, group);
    return task;
  }

  private async detail(task: TaskRecord, { rights }: ConsoleCaller): Promise<TaskDetail> {
    const ended = await this.tasks.attemptsOf(task.id);
    const [waiting] = await this.reasons.waitingReasons([task]);
    const namesOf = await this.naming([{ job_id: task.jobId }]);
    const names = namesOf({ group_id: task.groupId, app_id: task.appId, job_id: task.jobId });
    const permissions = PERMISSIONS.filter((permission) => may(rights, permission, names.group));
    return detailOf(task, ended, names, this.clock.now(), waiting ?? null, permissions);
  }

  private async summaries(rows: readonly ListedTaskRow[]) {
    const namesOf = await this.naming(rows);
    const now = this.clock.now();
    return rows.map((row) => summaryOfRow(row, namesOf(row), now, null));
  }

  private async naming(rows: readonly { job_id: string | null }[]) {
    const jobIds = [...new Set(rows.flatMap(({ job_id }) => job_id ?? []))];
    const keys = await this.jobs.keysOf(this.dialect.root, jobIds);
    const apps = new Map((await this.apps.list()).map((app) => [app.id, app]));
    return ({ group_id, app_id, job_id }: Pick<ListedTaskRow, 'group_id' | 'app_id' | 'job_id'>): TaskNames => ({
      group: this.groups.byId(group_id)?.key ?? '',
      job: job_id === null ? null : { id: job_id, key: keys.get(job_id) ?? null },
      app: appOf({ appId: app_id }, apps),
    });
  }
}

const taskNotFound = (): AppError => new AppError('task_not_found', 'there is no such task, or not in your groups');
