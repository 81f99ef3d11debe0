import { Injectable } from '@nestjs/common';
import { AppsService } from '../../auth/apps.service.js';
import type { Group } from '../../jobs/group.js';
import { GroupsService } from '../../jobs/groups.service.js';
import type { Job } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { refusalOfArchived } from '../../jobs/open-groups.js';
import { AppError } from '../../platform/errors.js';
import { slices } from '../../platform/slices.js';
import { SqlDialect } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import type { BulkChange, BulkKind, BulkObstacle } from '../contract/bulk.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { JobChangesService } from '../jobs/job-changes.service.js';
import type { Author } from '../trail.js';

export type ChangingKind = Extract<BulkKind, 'jobs.move' | 'jobs.set_owner'>;
export interface Prospects {
  fits: Job[];
  obstacles: { code: BulkObstacle; count: number; sample: string[] }[];
  withoutWorker: string[];
}

const MOST_NAMED = 20;
const KEYS_AT_ONCE = 500;

/** Jobs that are given another group or owner: which can be, and doing it. */
@Injectable()
export class JobMoves {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly groups: GroupsService,
    private readonly apps: AppsService,
    private readonly workers: WorkersService,
    private readonly store: ConsoleJobStore,
    private readonly jobs: JobsService,
    private readonly changes: JobChangesService,
  ) {}

  /** What would become of them as they are now; each is looked at again when its turn comes. */
  async prospects(kind: ChangingKind, change: BulkChange, found: readonly Job[]): Promise<Prospects> {
    const stopped = new Map<BulkObstacle, Job[]>();
    const fits: Job[] = [];
    const obstacleOf = kind === 'jobs.move' ? await this.obstaclesOfMove(this.groupOf(change), found) : obstacleOfOwner(change);
    for (const job of found) {
      const code = obstacleOf(job);
      if (code === null) fits.push(job);
      else stopped.set(code, [...(stopped.get(code) ?? []), job]);
    }
    const obstacles = [...stopped].map(([code, jobs]) => ({
      code,
      count: jobs.length,
      sample: jobs.slice(0, MOST_NAMED).map(({ key }) => key),
    }));
    return { fits, obstacles, withoutWorker: kind === 'jobs.move' ? this.unserved(this.groupOf(change), fits) : [] };
  }

  /** What became of it, if not what was asked. Throws AppError for a job that cannot be changed so. */
  async act(kind: ChangingKind, change: BulkChange, id: string, author: Author): Promise<string | null> {
    const job = await this.jobs.find('anybody', id);
    if (!job) return 'not_found';
    if (kind === 'jobs.set_owner') return this.setOwner(job, change.owner ?? null, author);
    const group = this.groupOf(change);
    if (job.groupId === group.id) return 'there_already';
    if (!(await this.isGranted(job, group))) throw obstacle('app_not_granted', `its app may not use the group ${group.key}`);
    const { outcome } = await this.changes.moveAs(id, group, author);
    if (outcome === 'key_taken') throw obstacle('key_taken', `the group ${group.key} has a job with the key ${job.key}`);
    return outcome === 'changed' ? null : outcome;
  }

  private async setOwner(job: Job, owner: string | null, author: Author): Promise<string | null> {
    if (job.owner === owner) return 'there_already';
    const { outcome } = await this.changes.setOwnerAs(job.id, owner, author);
    if (outcome === 'conflict') throw obstacle('corrupt', 'the definition of the job cannot be read');
    return outcome === 'changed' ? null : outcome;
  }

  private async obstaclesOfMove(group: Group, found: readonly Job[]): Promise<(job: Job) => BulkObstacle | null> {
    const coming = found.filter(({ groupId }) => groupId !== group.id);
    const taken = new Set<string>();
    for (const keys of slices([...new Set(coming.map(({ key }) => key))], KEYS_AT_ONCE))
      for (const key of await this.store.keysAmong(this.dialect.root, group.id, keys)) taken.add(key);
    const granted = new Map<number, boolean>();
    for (const appId of new Set(coming.flatMap((job) => job.appId ?? [])))
      granted.set(appId, (await this.apps.find(appId))?.groups.includes(group.key) ?? false);
    return (job) => {
      if (job.groupId === group.id) return 'there_already';
      if (job.appId !== null && !granted.get(job.appId)) return 'app_not_granted';
      if (taken.has(job.key)) return 'key_taken';
      // Of two of one key from different groups the first one takes it.
      taken.add(job.key);
      return null;
    };
  }

  private unserved(group: Group, jobs: readonly Job[]): string[] {
    const served = new Set(this.workers.handlersOf(group.key));
    return [...new Set(jobs.map(({ handler }) => handler))].filter((handler) => !served.has(handler)).slice(0, MOST_NAMED);
  }

  private async isGranted({ appId }: Job, { key }: Group): Promise<boolean> {
    return appId === null || ((await this.apps.find(appId))?.groups.includes(key) ?? false);
  }

  private groupOf({ group: key }: BulkChange): Group {
    const group = this.groups.byKey(key ?? '');
    if (!group) throw AppError.because('not_found', 'no_group', { group: key ?? '' });
    const refusal = refusalOfArchived(group);
    if (refusal) throw refusal;
    return group;
  }
}

const obstacle = (code: BulkObstacle, detail: string): AppError =>
  new AppError('state_conflict', detail, { members: { obstacle: code } });

const obstacleOfOwner =
  ({ owner = null }: BulkChange) =>
  (job: Job): BulkObstacle | null =>
    job.corrupt !== null ? 'corrupt' : job.owner === owner ? 'there_already' : null;
