import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import type { Job } from '../../jobs/job.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { SqlDialect } from '../../ports.js';
import type { Calendar } from '../contract/overview.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import { evenFires, firesAhead } from '../jobs/fires-ahead.js';
import { instantParameter, iso, many, queryOf, shortText } from '../request-parts.js';

const DAY = 24 * 3_600_000;
const HOUR = 3_600_000;
const MOST_DAYS = 62;
const DENSE = 48;
const MOST_JOBS = 500;
/** Fires computed for one answer, over all its jobs; then the rest is left out. */
const MOST_FIRES = 50_000;

const QUERY = { from: instantParameter, to: instantParameter, group: many(shortText(64)) };

/** When jobs will fire, by the function that fires them; what fires often is condensed to counts by the hour. */
@Injectable()
export class CalendarService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly jobs: ConsoleJobsService,
    private readonly clock: Clock,
  ) {}

  async calendar(request: ConsoleRequest): Promise<Calendar> {
    const now = Math.floor(this.clock.now());
    const { from = now, to = from + DAY, group } = queryOf(request, QUERY);
    if (to <= from || to - from > MOST_DAYS * DAY) {
      throw AppError.fields([
        { pointer: '/query/to', code: 'out_of_range', message: `must be after from, by at most ${MOST_DAYS} days` },
      ]);
    }
    const groupIds = this.jobs.groupIds(request.caller, 'jobs.view', group);
    const firing = await this.store.firing(this.dialect.root, groupIds, 0, to, MOST_JOBS + 1);
    let left = MOST_FIRES;
    let truncated = firing.length > MOST_JOBS;
    const shown: Calendar['jobs'] = [];
    for (const job of firing.slice(0, MOST_JOBS)) {
      // Long computing must not keep the dispatcher of this node waiting.
      await new Promise(setImmediate);
      const even = evenHours(job, from, to);
      if (even) {
        if (even.length > 0) shown.push({ ...namesOf(job, this.jobs.groupKey(job)), fires: null, hours: even });
        continue;
      }
      const { fires, cut } = await firesAhead(job, from, to, left);
      left -= fires.length;
      truncated ||= cut;
      if (fires.length > 0) shown.push(entryOf(job, this.jobs.groupKey(job), fires));
      if (left <= 0) break;
    }
    return { from: iso(from), to: iso(to), jobs: shown, denseFrom: DENSE, truncated: truncated || left <= 0 };
  }
}

const namesOf = ({ id, key, timeZone }: Job, group: string) => ({ id, key, group, timeZone });

/** How often a job fires in each hour that fires at even distances, by arithmetic; null for any other, and for one that fires rarely. */
function evenHours(job: Job, from: number, to: number): { at: string; count: number }[] | null {
  const all = evenFires(job, from, to);
  if (all === null || all <= DENSE) return null;
  const hours: { at: string; count: number }[] = [];
  for (let hour = Math.floor(from / HOUR) * HOUR; hour < to; hour += HOUR) {
    const count = evenFires(job, Math.max(hour, from), Math.min(hour + HOUR, to)) ?? 0;
    if (count > 0) hours.push({ at: iso(hour), count });
  }
  return hours;
}

function entryOf(job: Job, group: string, fires: readonly number[]): Calendar['jobs'][number] {
  const names = namesOf(job, group);
  if (fires.length <= DENSE) return { ...names, fires: fires.map(iso), hours: null };
  const hours = new Map<number, number>();
  for (const at of fires) {
    const hour = Math.floor(at / HOUR) * HOUR;
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  return { ...names, fires: null, hours: [...hours].map(([at, count]) => ({ at: iso(at), count })) };
}
