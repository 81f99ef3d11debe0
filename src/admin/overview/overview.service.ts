import { Injectable } from '@nestjs/common';
import { AccessKeysService } from '../../auth/access-keys.service.js';
import { AppsService } from '../../auth/apps.service.js';
import type { ConsoleCaller, ConsoleRequest } from '../../auth/console-caller.js';
import { EndpointsService } from '../../callbacks/endpoints.service.js';
import { PendingCallbacks } from '../../callbacks/pending-callbacks.js';
import { expiringKeys } from '../../decisions/expiring-keys.js';
import { drainsForLong } from '../../decisions/long-drain.js';
import { may } from '../../decisions/permissions.js';
import type { Group } from '../../jobs/group.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import type { WorkerView } from '../../registry/worker.js';
import type { Overview, Tile } from '../contract/overview.js';
import { ConsoleGroupsService } from '../groups/console-groups.service.js';
import type { GroupFigures } from '../groups/group-figures.store.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import { iso, isoOrNull, many, queryOf, shortText } from '../request-parts.js';
import { SKEW_MS } from '../system/system.service.js';
import { SystemStore } from '../system/system.store.js';
import { ConsoleTasksService } from '../tasks/console-tasks.service.js';
import type { StatedFilters } from '../tasks/task-filters.js';
import { COUNTED } from '../tasks/task-search.store.js';
import { ConsoleWorkersService, summaryOf } from '../workers/console-workers.service.js';
import { ChartsService } from './charts.service.js';

type Concern = Overview['attention'][number];

const HOUR = 3_600_000;
const SOON_MS = 900_000;
const MOST_ATTENTION = 50;

/** Is it healthy, and what needs somebody. Every number is a bounded read of one index, or from figures in memory. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly groupViews: ConsoleGroupsService,
    private readonly groups: GroupsService,
    private readonly tasks: ConsoleTasksService,
    private readonly jobs: ConsoleJobStore,
    private readonly jobLists: ConsoleJobsService,
    private readonly workers: ConsoleWorkersService,
    private readonly charts: ChartsService,
    private readonly system: SystemStore,
    private readonly keys: AccessKeysService,
    private readonly apps: AppsService,
    private readonly endpoints: EndpointsService,
    private readonly callbacks: PendingCallbacks,
    private readonly clock: Clock,
  ) {}

  async overview(request: ConsoleRequest): Promise<Overview> {
    const { group } = queryOf(request, { group: many(shortText(64)) });
    const { caller } = request;
    const now = Math.floor(this.clock.now());
    const seen = this.groupViews.visible(caller, 'tasks.view').filter(({ key }) => group?.includes(key) ?? true);
    const figures = await this.groupViews.figuresOf(seen);
    const loads = this.workers.loads();
    const known = this.workers
      .visible(caller)
      .filter(({ offer }) => group === undefined || offer.groups.some((key) => group.includes(key)));
    const workers = known.map((worker) => summaryOf(worker, loads, caller));
    const ids = seen.map(({ id }) => id);
    const tiles = await this.tiles(
      caller,
      group,
      seen,
      figures,
      now,
      workers.filter(({ state }) => state === 'online'),
    );
    const attention = await this.attention(caller, seen, figures, workers, now, {
      lists: await this.lists(caller, group, tiles),
      drainingLong: known.filter((worker) => drainsForLong(worker, now)),
    });
    return {
      at: iso(now),
      tiles,
      attention: attention.slice(0, MOST_ATTENTION),
      workers: workers
        .filter(({ state }) => state !== 'offline')
        .map(({ id, load, active, queued, inFlight, slots, state }) => ({
          id,
          load,
          active: active + queued + inFlight,
          slots: slotsOf(slots),
          state,
        }))
        .sort((a, b) => (b.load ?? -1) - (a.load ?? -1)),
      groups: seen.flatMap((one) => {
        const { running, pending, capped } = figures.get(one.id) as GroupFigures;
        // An archived one only while it still ends what it has accepted.
        if (one.archivedAt !== null && running + pending === 0) return [];
        const { key, maxRunning } = one;
        return [{ key, running, maxRunning, pending: { count: pending, capped }, held: this.groups.isHeld(one) }];
      }),
      firstSteps: {
        group: seen.length > 0,
        worker: workers.length > 0,
        job: (await this.jobs.list(this.dialect.root, { groupIds: ids, limit: 1 })).length > 0,
        task: await this.tasks.any(await this.tasks.search(caller, {}, group, undefined)),
      },
    };
  }

  private async tiles(
    caller: ConsoleCaller,
    group: string[] | undefined,
    seen: readonly Group[],
    figures: ReadonlyMap<number, GroupFigures>,
    now: number,
    online: readonly { slots: number | Record<string, number> }[],
  ): Promise<Overview['tiles']> {
    const count = async (stated: StatedFilters, query: string) => {
      const total = await this.tasks.total(await this.tasks.search(caller, stated, group, undefined));
      return { ...total, query: queryIn(group, query) };
    };
    const hourAgo = now - HOUR;
    const from = hourAgo - 24 * HOUR;
    const ids = seen.map(({ id }) => id);
    const oldest = [...figures.values()].flatMap(({ oldestDueAt }) => oldestDueAt ?? []);
    const oldestDueAt = oldest.length === 0 ? null : iso(Math.min(...oldest));
    const soon = await this.jobs.countFiring(this.dialect.root, ids, 0, now + SOON_MS, COUNTED + 1);
    return {
      late: {
        ...(await count({ late: 'true' }, 'late=true')),
        oldestDueAt: oldest.some((at) => at < now - 5_000) ? oldestDueAt : null,
      },
      failedLastHour: {
        ...(await count(
          { state: ['FAILED', 'TIMED_OUT'], endedFrom: hourAgo, from },
          `state=FAILED&state=TIMED_OUT&endedFrom=${iso(hourAgo)}&from=${iso(from)}`,
        )),
        hourYesterday: await this.charts.failedBetween(ids, hourAgo - 24 * HOUR, now - 24 * HOUR),
      },
      running: {
        ...(await count({ state: ['DISPATCHED', 'RUNNING'] }, 'state=DISPATCHED&state=RUNNING')),
        capacity: online.reduce((sum, { slots }) => sum + slotsOf(slots), 0),
      },
      dueSoon: { count: Math.min(soon, COUNTED), capped: soon > COUNTED, query: `firesBefore=${iso(now + SOON_MS)}` },
      waiting: { ...(await count({ state: ['PENDING'] }, 'state=PENDING')), oldestDueAt },
      callbacksFailing:
        group === undefined && may(caller.rights, 'keys.view', null)
          ? { ...this.callbacks.failing, query: 'failing=true' }
          : null,
    };
  }

  /** Lists that have what should not be, each with its count. */
  private async lists(caller: ConsoleCaller, group: string[] | undefined, { late }: Overview['tiles']): Promise<Concern[]> {
    const jobs = await this.jobLists.troubled(caller, group);
    const of = (view: 'failing' | 'late'): Tile => ({ ...jobs[view], query: queryIn(group, `view=${view}`) });
    const { oldestDueAt, ...tasks } = late;
    const told = (kind: Concern['kind'], type: 'tasks' | 'jobs', list: Tile, since: string | null = null): Concern[] =>
      list.count === 0
        ? []
        : [{ kind, object: { type, id: list.query, name: `${list.count}${list.capped ? '+' : ''}` }, list, since, evidence: {} }];
    return [
      ...told('tasks_late', 'tasks', tasks, oldestDueAt),
      ...told('jobs_failing', 'jobs', of('failing')),
      ...told('jobs_late', 'jobs', of('late')),
    ];
  }

  private async attention(
    caller: ConsoleCaller,
    seen: readonly Group[],
    figures: ReadonlyMap<number, GroupFigures>,
    workers: readonly ReturnType<typeof summaryOf>[],
    now: number,
    { lists, drainingLong }: { lists: Concern[]; drainingLong: readonly WorkerView[] },
  ): Promise<Concern[]> {
    const { root } = this.dialect;
    const found: Concern[] = [];
    const tell = (
      kind: Concern['kind'],
      type: Concern['object']['type'],
      id: string,
      evidence: Concern['evidence'],
      since: number | null = null,
      name = id,
    ) => found.push({ kind, object: { type, id, name }, list: null, since: isoOrNull(since), evidence });
    const global = may(caller.rights, 'system.view', null);
    if (global)
      for (const { partition, holder, leftMs } of await this.system.partitions(root))
        if (holder === null || leftMs < 0) tell('partition_unheld', 'partition', String(partition), { holder });
    found.push(...lists);
    for (const group of seen) {
      const { running, pending, oldestDueAt } = figures.get(group.id) as GroupFigures;
      const able = workers.some(({ state, groups }) => state === 'online' && groups.includes(group.key));
      const { maxRunning } = group;
      if (pending > 0 && !able) tell('group_without_worker', 'group', group.key, { pending }, oldestDueAt);
      else if (pending > 0 && running >= maxRunning)
        tell('group_at_quota', 'group', group.key, { running, maxRunning, pending }, oldestDueAt);
      if (this.groups.isHeld(group))
        tell('group_held', 'group', group.key, { reason: group.holdReason, until: isoOrNull(group.heldUntil) });
    }
    const disabled = await this.jobs.list(root, {
      groupIds: seen.map(({ id }) => id),
      states: ['disabled'],
      limit: MOST_ATTENTION,
    });
    for (const { id, key, fireFailures } of disabled) tell('job_disabled', 'job', id, { fireFailures }, null, key);
    for (const { id, state, lastBeatAt, clockSkewMs, active, queued } of workers) {
      if (state === 'suspect') tell('worker_lost', 'worker', id, { lastBeatAt }, Date.parse(lastBeatAt));
      const long = state === 'draining' && drainingLong.find(({ workerId }) => workerId === id);
      if (long)
        tell('worker_draining', 'worker', id, { running: active + queued, deadlineAt: deadlineOf(long) }, drainBegan(long, now));
      if (Math.abs(clockSkewMs ?? 0) > SKEW_MS && state !== 'offline') tell('clock_skew', 'worker', id, { skewMs: clockSkewMs });
    }
    if (may(caller.rights, 'keys.view', null)) {
      for (const { accessKey, expiresAt, label, daysLeft } of expiringKeys(await this.keys.all(), now))
        tell('key_expiring', 'key', accessKey, { daysLeft, expiresAt: iso(expiresAt) }, null, label);
      for (const { id, url, stateReason, disabledAt } of await this.endpoints.switchedOff(MOST_ATTENTION))
        tell('endpoint_disabled', 'endpoint', id, { reason: stateReason }, disabledAt, url);
      for (const { id, publicId, name, limits } of await this.apps.list())
        if (this.callbacks.of(id) >= limits.pendingCallbacks)
          tell('callbacks_full', 'app', publicId, { pending: this.callbacks.of(id), limit: limits.pendingCallbacks }, null, name);
    }
    return found;
  }
}

const queryIn = (groups: readonly string[] | undefined, query: string): string =>
  [query, ...(groups ?? []).map((key) => `group=${encodeURIComponent(key)}`)].join('&');
const deadlineOf = ({ drain }: WorkerView): string | null => isoOrNull(drain?.deadlineAt ?? null);
const drainBegan = ({ drain, drainingForMs }: WorkerView, now: number): number => drain?.at ?? now - (drainingForMs ?? 0);
const slotsOf = (slots: number | Record<string, number>): number =>
  typeof slots === 'number' ? slots : Object.values(slots).reduce((sum, count) => sum + count, 0);
