import { Injectable } from '@nestjs/common';
import { GroupsService } from '../../jobs/groups.service.js';
import type { Job } from '../../jobs/job.js';
import { isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import { type Lane, type LanePage, notOfThisOrder, pageOfLanes } from '../lanes.js';
import { words } from '../request-parts.js';
import { type ConsoleJobFilter, ConsoleJobStore, type JobOrder, type JobPlace } from './console-job.store.js';

/** By id, which is by the time it was made; by key; by group and then key; by the next fire, those without one last. */
export const JOB_ORDERS = ['id', '-id', 'key', '-key', 'group', '-group', 'next', '-next'] as const;
export type JobListOrder = (typeof JOB_ORDERS)[number];
export const JOB_SORT = { sort: words(JOB_ORDERS) };
type Filter = Omit<ConsoleJobFilter, 'past' | 'limit' | 'order'>;

/** Pages of jobs in the orders a person may ask for. */
@Injectable()
export class JobPages {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly groups: GroupsService,
  ) {}

  page(filter: Filter, sort: JobListOrder, cursor: string | undefined, limit: number): Promise<LanePage<Job>> {
    return pageOfLanes(this.lanesOf(filter, sort), cursor, limit);
  }

  private lanesOf(filter: Filter, sort: JobListOrder): Lane<Job>[] {
    const way = sort.startsWith('-') ? 'DESC' : 'ASC';
    const by = sort.replace('-', '');
    if (by === 'id') return [this.lane('', filter, { by: 'id', way })];
    if (by === 'key') return [this.lane('', filter, { by: 'job_key', way })];
    if (by === 'next')
      return [
        this.lane('fires', { ...filter, hasNextFire: true }, { by: 'next_fire_at', way }),
        this.lane('none', { ...filter, hasNextFire: false }, { by: 'id', way: 'DESC' }),
      ];
    const asked = this.groups.all().filter(({ id }) => filter.groupIds.includes(id));
    const named = asked.sort((a, b) => (a.key < b.key ? -1 : 1));
    const lanes = named.map(({ id, key }) => this.lane(key, { ...filter, groupIds: [id] }, { by: 'job_key', way: 'ASC' }));
    return way === 'DESC' ? lanes.reverse() : lanes;
  }

  private lane(name: string, filter: Filter, order: JobOrder): Lane<Job> {
    return {
      name,
      read: async (past, limit) => {
        const jobs = await this.store.list(this.dialect.root, {
          ...filter,
          order,
          past: past === undefined ? undefined : placeOf(past, order),
          limit: limit + 1,
        });
        const rows = jobs.slice(0, limit);
        const last = rows.at(-1);
        return { rows, next: jobs.length > limit && last ? textOf(last, order) : null };
      },
    };
  }
}

/** The id stands first: keys may hold anything. */
const textOf = ({ id, key, nextFireAt }: Job, { by }: JobOrder): string =>
  by === 'id' ? id : `${id}:${by === 'job_key' ? key : nextFireAt}`;

function placeOf(text: string, { by }: JobOrder): JobPlace {
  const colon = text.indexOf(':');
  const id = colon < 0 ? text : text.slice(0, colon);
  const value = colon < 0 ? undefined : text.slice(colon + 1);
  if (!isId('job', id) || (value === undefined) !== (by === 'id')) throw notOfThisOrder();
  if (by !== 'next_fire_at') return { id, value };
  if (!/^\d{1,15}$/.test(value as string)) throw notOfThisOrder();
  return { id, value: Number(value) };
}
