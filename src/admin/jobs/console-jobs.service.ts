import { JOB_STATES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { type App, AppsService } from '../../auth/apps.service.js';
import { type ConsoleCaller, type ConsoleRequest, demand } from '../../auth/console-caller.js';
import { may, PERMISSIONS, type Permission, type Rights } from '../../decisions/permissions.js';
import { resolvePolicies } from '../../decisions/policies.js';
import { wholeNumber } from '../../decisions/query-parameters.js';
import { SCHEDULE_KINDS } from '../../decisions/schedule/check-schedule.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { definitionView } from '../../decisions/stated-job.js';
import { GroupsService } from '../../jobs/groups.service.js';
import type { Job } from '../../jobs/job.js';
import { JobEdgeStore } from '../../jobs/job-edge.store.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { Clock } from '../../platform/clock.js';
import { isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import type { ConsoleJobList, JobDetail, JobSummary, JobVersions, LinkedJob, SchedulePreview } from '../contract/jobs.js';
import type { CappedCount } from '../contract/page.js';
import {
  cursorParameter,
  instantParameter,
  iso,
  limitParameter,
  many,
  notFound,
  PAGE,
  queryOf,
  shortText,
  words,
} from '../request-parts.js';
import { ConsoleJobStore } from './console-job.store.js';
import { JOB_SORT, type JobListOrder, JobPages } from './job-pages.js';
import { summaryOf } from './job-views.js';
import { Previews } from './previews.js';

const STRIP = 24;
/** Of a long row of jobs that were stopped together, the nearest tell enough. */
const MOST_STOPPED = 20;
/** Jobs that somebody looks for again and again: the latest task failed, should have fired and did not, no task that is still kept. */
const JOB_VIEWS = ['failing', 'late', 'never_ran'] as const;
/** From then on a fire that did not come is late. */
const LATE_MS = 5_000;
/** Jobs that are looked at to count some of them. */
const MOST_COUNTED = 5_000;
const FAILED = [STATE_CODE.FAILED, STATE_CODE.TIMED_OUT];
export const JOB_FILTERS = {
  q: shortText(128),
  key: shortText(64),
  group: many(shortText(64)),
  state: many(words(JOB_STATES)),
  kind: many(words(SCHEDULE_KINDS)),
  handler: shortText(255),
  owner: shortText(128),
  tag: shortText(64),
  app: shortText(31),
  firesBefore: instantParameter,
  view: words(JOB_VIEWS),
};
type JobQuery = ReturnType<typeof queryOf<typeof JOB_FILTERS>>;
interface JobPageQuery {
  sort: JobListOrder;
  cursor: string | undefined;
  limit: number;
}
const LIST = { ...JOB_FILTERS, ...JOB_SORT, cursor: cursorParameter, limit: limitParameter };
const FIRES = { n: wholeNumber(1, 100) };

/** Jobs of every app, as people look at them. */
@Injectable()
export class ConsoleJobsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly jobs: JobsService,
    private readonly groups: GroupsService,
    private readonly apps: AppsService,
    private readonly workers: WorkersService,
    private readonly previews: Previews,
    private readonly edges: JobEdgeStore,
    private readonly clock: Clock,
    private readonly pages: JobPages,
  ) {}

  async list(request: ConsoleRequest): Promise<ConsoleJobList> {
    const { limit = PAGE, cursor, sort = '-id', ...stated } = queryOf(request, LIST);
    return this.page(request.caller, stated, { sort, cursor, limit });
  }

  /** What the filters find in the groups where the caller may see jobs. */
  async page(caller: ConsoleCaller, stated: JobQuery, { sort, cursor, limit }: JobPageQuery): Promise<ConsoleJobList> {
    const { q, group, state, kind, app, view, ...filter } = stated;
    const groupIds = this.groupIds(caller, 'jobs.view', group);
    const appId = app === undefined ? undefined : ((await this.apps.findByPublicId(app))?.id ?? -1);
    const looked = {
      dueBefore: view === 'late' ? this.clock.now() - LATE_MS : undefined,
      lastStates: view === 'failing' ? FAILED : undefined,
      neverRan: view === 'never_ran',
    };
    const search = { ...filter, ...looked, groupIds, text: q, states: state, kinds: kind, appId };
    const { rows, nextCursor } = await this.pages.page(search, sort, cursor, limit);
    return { items: await this.summaries(rows), nextCursor };
  }

  /** How many the list has of jobs that somebody must look at, each in its view, among the newest ones. */
  async troubled(caller: ConsoleCaller, groups: readonly string[] | undefined): Promise<Record<'failing' | 'late', CappedCount>> {
    const { root } = this.dialect;
    const groupIds = this.groupIds(caller, 'jobs.view', groups);
    const failing = await this.store.countLast(root, groupIds, FAILED, MOST_COUNTED + 1);
    const late = await this.store.countOverdue(root, groupIds, this.clock.now() - LATE_MS, MOST_COUNTED + 1);
    return {
      failing: { count: Math.min(failing.count, MOST_COUNTED), capped: failing.looked > MOST_COUNTED },
      late: { count: Math.min(late, MOST_COUNTED), capped: late > MOST_COUNTED },
    };
  }

  async get({ caller }: ConsoleRequest, id: string): Promise<JobDetail> {
    return this.detail(await this.found(caller, id), caller);
  }

  async versions({ caller }: ConsoleRequest, id: string): Promise<JobVersions> {
    await this.found(caller, id);
    const items = (await this.jobs.versions(id)).map(({ version, changedBy, changedAt, definition }) => ({
      version,
      changedBy,
      changedAt: iso(changedAt),
      definition: definitionView(definition),
    }));
    return { items };
  }

  async nextFires(request: ConsoleRequest, id: string): Promise<SchedulePreview> {
    const { n = 10 } = queryOf(request, FIRES);
    const job = await this.found(request.caller, id);
    return this.previews.of(job.schedule, job.timeZone, this.jobs.nextFires(job, n), { asked: n, job: job.id });
  }

  /** Throws AppError: `not_found` for a job in a group the caller may not see, `permission_denied` where they may not do this. */
  async found(caller: ConsoleCaller, id: string, permission: Permission = 'jobs.view'): Promise<Job> {
    const job = isId('job', id) ? await this.jobs.find('anybody', id) : null;
    const group = job && this.groups.byId(job.groupId)?.key;
    if (!job || group == null || !may(caller.rights, 'jobs.view', group)) throw notFound('job');
    demand(caller, permission, group);
    return job;
  }

  async detail(job: Job, { rights }: ConsoleCaller): Promise<JobDetail> {
    const [summary] = await this.summaries([job]);
    const { group } = summary as JobSummary;
    const permissions = PERMISSIONS.filter((permission) => may(rights, permission, group));
    const waits = await this.edges.upstreamsOf(this.dialect.root, [job.id]);
    const waiting = await this.edges.downstreamsOf(this.dialect.root, [job.id]);
    return {
      ...(summary as JobSummary),
      paramsText: job.params,
      definition: definitionView(job),
      upstreamJobs: await this.linked(
        rights,
        waits.map(({ upstreamId }) => upstreamId),
      ),
      downstreamJobs: await this.linked(
        rights,
        waiting.map(({ downstreamId }) => downstreamId),
      ),
      warnings: await this.jobs.warnings(job),
      stoppedUpstreams: await this.linked(rights, (await this.jobs.stoppedUpstreams(job)).slice(0, MOST_STOPPED)),
      permissions,
    };
  }

  groupKey({ groupId }: Pick<Job, 'groupId'>): string {
    return this.groups.byId(groupId)?.key ?? '';
  }

  /** Ids of the groups where the permission is held, among those named if any are. */
  groupIds({ rights }: ConsoleCaller, permission: Permission, keys?: readonly string[]): number[] {
    return this.groups
      .all()
      .filter(({ key }) => (keys === undefined || keys.includes(key)) && may(rights, permission, key))
      .map(({ id }) => id);
  }

  /** Those of the ids that are of no job the caller may see. */
  async unseen({ rights }: ConsoleCaller, ids: readonly string[]): Promise<string[]> {
    return (await this.linked(rights, ids)).flatMap(({ id, key }) => (key === null ? [id] : []));
  }

  private async linked(rights: Rights, ids: readonly string[]): Promise<LinkedJob[]> {
    const groupIds = this.groups.all().flatMap(({ id, key }) => (may(rights, 'jobs.view', key) ? [id] : []));
    const seen = ids.length === 0 ? [] : await this.store.list(this.dialect.root, { groupIds, ids, limit: ids.length });
    const byId = new Map(seen.map((job) => [job.id, job]));
    return ids.map((id) => {
      const job = byId.get(id);
      return { id, key: job?.key ?? null, group: job ? this.groupKey(job) : null };
    });
  }

  private async summaries(jobs: readonly Job[]): Promise<JobSummary[]> {
    const apps = new Map((await this.apps.list()).map((app) => [app.id, app]));
    const recent = await this.store.recent(
      this.dialect.root,
      jobs.map(({ id }) => id),
      STRIP,
    );
    return jobs.map((job) => {
      const group = this.groupKey(job);
      return summaryOf(job, {
        group,
        app: appOf(job, apps),
        recent: recent.filter(({ job_id }) => job_id === job.id).sort((a, b) => (a.id < b.id ? 1 : -1)),
        handlerServed: this.workers.anyServes(group, job.handler, job.policies),
        resolved: resolvePolicies(job.policies, this.groups.byKey(group)?.policies ?? {}),
      });
    });
  }
}

export function appOf({ appId }: { appId: number | null }, apps: ReadonlyMap<number, App>): { id: string; name: string } | null {
  const app = appId === null ? undefined : apps.get(appId);
  return app ? { id: app.publicId, name: app.name } : null;
}
