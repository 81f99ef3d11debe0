import { type ReasonCode, TASK_STATES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { AppsService } from '../../auth/apps.service.js';
import { type ConsoleCaller, type ConsoleRequest, demand } from '../../auth/console-caller.js';
import { DeliveriesService } from '../../callbacks/deliveries.service.js';
import { may, PERMISSIONS, type Permission } from '../../decisions/permissions.js';
import { STATE_CODE, stateOf } from '../../decisions/state-codes.js';
import { ExplainService } from '../../dispatch/explain.service.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { instantOfId, isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import type { TaskRecord } from '../../tasks/task.js';
import { TasksService } from '../../tasks/tasks.service.js';
import type { CappedCount } from '../contract/page.js';
import type { ConsoleTaskList, LinkedTask, TaskCounts, TaskDetail, TaskExplanation } from '../contract/tasks.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { appOf } from '../jobs/console-jobs.service.js';
import { cursorParameter, iso, limitParameter, PAGE, queryOf } from '../request-parts.js';
import { TaskExplainService } from './task-explain.service.js';
import { type StatedFilters, searchOf, TASK_FILTERS } from './task-filters.js';
import { MOST_LINKS, TaskLinksService } from './task-links.service.js';
import { TASK_SORT, TaskPages } from './task-pages.js';
import type { TaskSearch } from './task-search.js';
import { COUNTED, type ListedTaskRow, type StateCounts, TaskSearchStore } from './task-search.store.js';
import { askedAbout, detailOf, dividedOf, summaryOfRow, type TaskNames } from './task-views.js';

/** A task that changes more often than this while it is read is told as it was in the end. */
const READINGS = 5;
const LIST = { ...TASK_FILTERS, ...TASK_SORT, cursor: cursorParameter, limit: limitParameter };

/** Tasks of every app, as people look at them. */
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
    private readonly links: TaskLinksService,
    private readonly deliveries: DeliveriesService,
    private readonly pages: TaskPages,
  ) {}

  async list(request: ConsoleRequest): Promise<ConsoleTaskList> {
    const { limit = PAGE, cursor, sort = '-id', app, group, ...stated } = queryOf(request, LIST);
    const search = await this.search(request.caller, stated, group, app);
    const { rows, nextCursor, searchedTo } = await this.pages.page(search, sort, cursor, limit);
    const reasons = await this.reasons.waitingReasons(rows.map(askedAbout));
    const items = await this.summaries(rows, reasons);
    return { items, nextCursor, searchedTo: searchedTo === null ? null : iso(instantOfId(searchedTo)) };
  }

  async counts(request: ConsoleRequest): Promise<TaskCounts> {
    const { app, group, ...stated } = queryOf(request, TASK_FILTERS);
    const search = await this.search(request.caller, stated, group, app);
    return this.count(search);
  }

  private async count(search: TaskSearch): Promise<TaskCounts> {
    const counted = await this.store.count(this.dialect.root, search);
    const states = Object.fromEntries(TASK_STATES.map((state) => [state, counted.counts.get(STATE_CODE[state]) ?? 0]));
    return { states: states as TaskCounts['states'], capped: counted.capped, total: totalOf(search, counted) };
  }

  /** The total alone, as `counts` of the same filters has it. */
  async total(search: TaskSearch): Promise<CappedCount> {
    return totalOf(search, await this.store.countAsked(this.dialect.root, search));
  }

  async any(search: TaskSearch): Promise<boolean> {
    return (await this.store.find(this.dialect.root, search, undefined, 1)).rows.length > 0;
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

  /** Throws AppError: `task_not_found` in a group the caller may not see, `permission_denied` where they may not do this. */
  async found(caller: ConsoleCaller, id: string, permission: Permission = 'tasks.view'): Promise<TaskRecord> {
    const task = isId('task', id) ? await this.tasks.look(id) : null;
    const group = task && this.groups.byId(task.groupId)?.key;
    if (!task || group == null || !may(caller.rights, 'tasks.view', group)) throw taskNotFound();
    demand(caller, permission, group);
    return task;
  }

  /** Read in several statements: all of them again if the task changed between them, so that no part of the answer contradicts another. */
  private async detail(task: TaskRecord, caller: ConsoleCaller, readings = READINGS): Promise<TaskDetail> {
    const [ended, late] = [await this.tasks.attemptsOf(task.id), await this.tasks.lateResultsOf(task.id)];
    const { rows } = await this.store.find(this.dialect.root, { groupIds: null, ids: [task.id] }, undefined, 1);
    const [summary] = await this.summaries(rows);
    if (!summary) throw taskNotFound();
    if (summary.version !== task.version && readings > 1)
      return this.detail(await this.found(caller, task.id), caller, readings - 1);
    const [waiting] = await this.reasons.waitingReasons([task]);
    const deliveries = await this.deliveries.countsOfTask(task.id);
    return detailOf(summary, task, ended, late, {
      waiting: waiting ?? null,
      upstreams: await this.linked(caller, await this.links.upstreams(task)),
      downstreams: await this.linked(caller, await this.links.downstreams(task)),
      deliveries: {
        pending: deliveries.get('PENDING') ?? 0,
        succeeded: deliveries.get('SUCCEEDED') ?? 0,
        exhausted: deliveries.get('EXHAUSTED') ?? 0,
      },
      permissions: PERMISSIONS.filter((permission) => may(caller.rights, permission, summary.group)),
    });
  }

  /** Those of them that the caller may see, newest first. */
  private async linked(caller: ConsoleCaller, ids: readonly string[]): Promise<LinkedTask[]> {
    if (ids.length === 0) return [];
    const { groupIds } = await this.search(caller, {}, undefined, undefined);
    const { rows } = await this.store.find(this.dialect.root, { groupIds, ids }, undefined, MOST_LINKS);
    const namesOf = await this.naming(rows);
    return rows.map((row) => {
      const { group, job } = namesOf(row);
      return { id: row.id, state: stateOf(row.state), group, handler: row.handler, job };
    });
  }

  /** As lists show them, in the order of the rows. `reasons`: why each waits, where that was asked. */
  async summaries(rows: readonly ListedTaskRow[], reasons: readonly (ReasonCode | null)[] = []) {
    const namesOf = await this.naming(rows);
    const shards = await this.tasks.shardProgressOf(rows.map(dividedOf));
    const now = this.clock.now();
    return rows.map((row, i) =>
      summaryOfRow(row, namesOf(row), now, { shards: shards.get(row.id) ?? null, waiting: reasons[i] ?? null }),
    );
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

/** Less than everything may have been looked at although little was found: such a total is capped, too. */
function totalOf({ states }: TaskSearch, { counts, capped, partial = false }: StateCounts): CappedCount {
  const asked = states ?? Object.values(STATE_CODE);
  const total = asked.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
  return { count: Math.min(total, COUNTED), capped: partial || total > COUNTED || (capped && total >= COUNTED) };
}

export const taskNotFound = (): AppError => new AppError('task_not_found', 'there is no such task, or not in your groups');
