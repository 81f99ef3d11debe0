import { isTerminal, TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { AppsService } from '../../auth/apps.service.js';
import { PARAM, type ParamFilter, paramFilters } from '../../decisions/param-filter.js';
import type { Permission } from '../../decisions/permissions.js';
import { STATE_CODE, stateOf } from '../../decisions/state-codes.js';
import { GroupsService } from '../../jobs/groups.service.js';
import type { JobState } from '../../jobs/job.js';
import { firstIdAt } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import type { BulkKind } from '../contract/bulk.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { JobChangesService } from '../jobs/job-changes.service.js';
import { TaskChangesService } from '../tasks/task-changes.service.js';
import { LATE_MS } from '../tasks/task-filters.js';
import { type TaskSearch, WAITING_STATES } from '../tasks/task-search.js';
import { COUNTED, TaskSearchStore } from '../tasks/task-search.store.js';
import type { Author } from '../trail.js';
import type { FrozenFilter } from './bulk.store.js';
import { itemDetail } from './item-detail.js';
import { type ChangingKind, JobMoves, type Prospects } from './job-moves.js';

export interface BulkItem {
  id: string;
  name: string;
}
/** A stretch of what the filter finds that the action fits, newest first; `next` is where to go on, null at the end. */
export interface BulkStretch {
  items: BulkItem[];
  next: string | null;
}
export interface BulkCounts {
  eligible: { count: number; capped: boolean };
  /** Found but not fitting, by state. */
  skipped: Record<string, number>;
  obstacles: Prospects['obstacles'];
  withoutWorker: string[];
}

type TaskKind = 'tasks.cancel' | 'tasks.retry';
const isChanging = (kind: BulkKind): kind is ChangingKind => kind === 'jobs.move' || kind === 'jobs.set_owner';
const TASKS_THAT_FIT: Record<TaskKind, readonly TaskState[]> = {
  'tasks.cancel': TASK_STATES.filter((state) => !isTerminal(state)),
  'tasks.retry': ['FAILED', 'TIMED_OUT', 'CANCELLED'],
};
const isOfTasks = (kind: BulkKind): kind is TaskKind => kind in TASKS_THAT_FIT;
export const BULK_PERMISSIONS: Record<BulkKind, Permission> = {
  'tasks.cancel': 'tasks.cancel',
  'tasks.retry': 'tasks.retry',
  'jobs.pause': 'jobs.pause',
  'jobs.resume': 'jobs.pause',
  'jobs.run': 'jobs.run',
  'jobs.move': 'jobs.edit',
  'jobs.set_owner': 'jobs.edit',
};
const JOBS_THAT_FIT: Record<Exclude<BulkKind, TaskKind>, readonly JobState[]> = {
  'jobs.pause': ['active', 'disabled'],
  'jobs.resume': ['paused', 'disabled'],
  'jobs.run': ['active', 'paused', 'disabled'],
  'jobs.move': ['active', 'paused', 'disabled'],
  'jobs.set_owner': ['active', 'paused', 'disabled'],
};
const JOB_STATES_ALL: readonly JobState[] = ['active', 'paused', 'disabled'];

/** What bulk operations can do, and to what. */
@Injectable()
export class BulkActions {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly groups: GroupsService,
    private readonly apps: AppsService,
    private readonly taskStore: TaskSearchStore,
    private readonly tasks: TaskChangesService,
    private readonly jobStore: ConsoleJobStore,
    private readonly jobs: JobChangesService,
    private readonly moves: JobMoves,
  ) {}

  async stretch(kind: BulkKind, filter: FrozenFilter, before: string | null, limit: number): Promise<BulkStretch> {
    if (isOfTasks(kind)) {
      const search = await this.taskSearch(kind, filter);
      const { rows, searchedTo } = await this.taskStore.find(this.dialect.root, search, before ?? undefined, limit);
      return { items: rows.map(({ id, handler }) => ({ id, name: handler })), next: searchedTo };
    }
    const stated = (filter.state as JobState[] | undefined) ?? JOB_STATES_ALL;
    const states = JOBS_THAT_FIT[kind].filter((state) => stated.includes(state));
    const found = states.length === 0 ? [] : await this.jobsOf(filter, states, before, limit);
    const items = found.map(({ id, key }) => ({ id, name: key }));
    return { items, next: found.length < limit ? null : (items.at(-1) as BulkItem).id };
  }

  async count(kind: BulkKind, filter: FrozenFilter): Promise<BulkCounts> {
    if (isOfTasks(kind)) {
      const { states, ...search } = await this.taskSearch(kind, filter);
      const { counts, capped } = await this.taskStore.count(this.dialect.root, { ...search, states });
      const eligible = (states ?? []).reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
      const others = [...counts].filter(
        ([state, count]) => count > 0 && !states?.includes(state) && this.isStated(filter, state),
      );
      const skipped = Object.fromEntries(others.map(([state, count]) => [stateOf(state), count]));
      const count = { count: Math.min(eligible, COUNTED), capped: capped || eligible > COUNTED };
      return { eligible: count, skipped, obstacles: [], withoutWorker: [] };
    }
    const stated = (filter.state as JobState[] | undefined) ?? JOB_STATES_ALL;
    const found = await this.jobsOf(filter, stated, null, COUNTED + 1);
    const fitting = found.filter(({ state }) => JOBS_THAT_FIT[kind].includes(state));
    const skipped: Record<string, number> = {};
    for (const { state } of found) if (!JOBS_THAT_FIT[kind].includes(state)) skipped[state] = (skipped[state] ?? 0) + 1;
    const { fits, ...told } = isChanging(kind)
      ? await this.moves.prospects(kind, filter.change ?? {}, fitting)
      : { fits: fitting, obstacles: [], withoutWorker: [] };
    return { eligible: { count: Math.min(fits.length, COUNTED), capped: found.length > COUNTED }, skipped, ...told };
  }

  /** What became of it, if not what was asked, as `itemDetail` writes it. Throws whatever the action throws. */
  async act(kind: BulkKind, { change = {} }: FrozenFilter, id: string, author: Author): Promise<string | null> {
    switch (kind) {
      case 'tasks.cancel': {
        const outcome = await this.tasks.cancelAs(id, author);
        return outcome.outcome === 'already_terminal' ? itemDetail('already_ended', outcome.state) : outcome.outcome;
      }
      case 'tasks.retry': {
        const outcome = await this.tasks.retryAs(id, author);
        return outcome.outcome === 'not_retryable' ? itemDetail('not_retryable', outcome.state) : outcome.outcome;
      }
      case 'jobs.pause':
        return (await this.jobs.pauseAs(id, author)).outcome;
      case 'jobs.resume':
        return (await this.jobs.resumeAs(id, author)).outcome;
      case 'jobs.run':
        await this.jobs.triggerAs(id, author, null, false);
        return null;
      case 'jobs.move':
      case 'jobs.set_owner':
        return this.moves.act(kind, change, id, author);
    }
  }

  private isStated({ state, ids, failedOf }: FrozenFilter, code: number): boolean {
    return ids !== undefined || failedOf !== undefined || (state?.includes(stateOf(code)) ?? false);
  }

  /** Only what the action fits and was there, and if it had to have ended had done so, when the filter was frozen. */
  private async taskSearch(kind: TaskKind, filter: FrozenFilter): Promise<TaskSearch> {
    const stated = (filter.state as (typeof TASK_STATES)[number][] | undefined) ?? TASKS_THAT_FIT[kind];
    const frozenAt = Date.parse(filter.frozenAt);
    const isMeant = (state: TaskState) => stated.includes(state) && (!filter.late || WAITING_STATES.includes(STATE_CODE[state]));
    const to = Math.min(frozenAt + 1, filter.to === undefined ? Number.POSITIVE_INFINITY : Date.parse(filter.to));
    return {
      groupIds: this.groupIds(filter),
      states: TASKS_THAT_FIT[kind].filter(isMeant).map((state) => STATE_CODE[state]),
      ids: filter.ids,
      failedOf: filter.failedOf,
      jobId: filter.job,
      appId: await this.appId(filter),
      appIds: filter.clientRequestId === undefined ? undefined : (await this.apps.list()).map(({ id }) => id),
      handler: filter.handler,
      workerId: filter.worker,
      clientRequestId: filter.clientRequestId,
      flowId: filter.flowId,
      parentId: filter.parentId,
      trigger: filter.trigger,
      dueBefore: filter.late ? frozenAt - LATE_MS : undefined,
      endedFrom: filter.endedFrom === undefined ? undefined : Date.parse(filter.endedFrom),
      endedBefore: kind === 'tasks.retry' ? frozenAt + 1 : undefined,
      params: paramsOf(filter),
      fromId: filter.from === undefined ? undefined : firstIdAt('task', Date.parse(filter.from)),
      toId: firstIdAt('task', to),
    };
  }

  private async jobsOf(filter: FrozenFilter, states: readonly JobState[], before: string | null, limit: number) {
    const { handler, owner, tag, q: text, ids, failedOf } = filter;
    const stated = { handler, owner, tag, text, ids, failedOf };
    const shared = { ...stated, groupIds: this.groupIds(filter), appId: await this.appId(filter), states };
    // Jobs created after the freeze have greater ids.
    const bound = firstIdAt('job', Date.parse(filter.frozenAt) + 1);
    return this.jobStore.list(this.dialect.root, { ...shared, past: { id: before ?? bound }, limit });
  }

  private groupIds({ group }: FrozenFilter): number[] {
    return (group ?? []).flatMap((key) => this.groups.byKey(key)?.id ?? []);
  }

  private async appId({ app }: FrozenFilter): Promise<number | undefined> {
    return app === undefined ? undefined : ((await this.apps.findByPublicId(app))?.id ?? -1);
  }
}

/** Absent if it states none, so that the search is read as any other. */
function paramsOf(filter: FrozenFilter): ParamFilter[] | undefined {
  const stated = Object.entries(filter)
    .filter(([name]) => name.startsWith(PARAM))
    .flatMap(([name, texts]) => (texts as string[]).map((text) => ({ path: name.slice(PARAM.length), text })));
  return stated.length > 0 ? paramFilters(stated) : undefined;
}
