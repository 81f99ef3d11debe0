import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { said } from '../../decisions/field-sentences.js';
import { instantMs } from '../../decisions/rfc3339.js';
import { clockChange, knownTimeZone } from '../../decisions/schedule/time-zone.js';
import type { Job } from '../../jobs/job.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { SqlDialect } from '../../ports.js';
import type { Calendar } from '../contract/overview.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import { evenFires, firesAhead } from '../jobs/fires-ahead.js';
import { instantParameter, iso, isoOrNull, many, queryOf, shortText } from '../request-parts.js';
import { CalendarPasts } from './calendar-past.js';

const DAY = 24 * 3_600_000;
const HOUR = 3_600_000;
const MOST_DAYS = 62;
const DENSE = 48;
const MOST_JOBS = 500;
/** Fires computed for one answer, over all its jobs; then the rest is left out. */
const MOST_FIRES = 50_000;
/** So many jobs at one instant are worth spreading. */
const CLASH = 10;
const MOST_CLASHES = 20;
/** Jobs named of each of them. */
const NAMED = 10;

const QUERY = { from: instantParameter, to: instantParameter, group: many(shortText(64)) };

/**
 * What became of fires that are over, and when jobs will fire, by the function that fires them; what fires often is condensed to counts
 * by the hour.
 */
@Injectable()
export class CalendarService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly jobs: ConsoleJobsService,
    private readonly clock: Clock,
    private readonly pasts: CalendarPasts,
  ) {}

  async calendar(request: ConsoleRequest): Promise<Calendar> {
    const now = Math.floor(this.clock.now());
    const { from = now, to = from + DAY, group } = queryOf(request, QUERY);
    if (to <= from || to - from > MOST_DAYS * DAY) {
      throw AppError.fields([{ pointer: '/query/to', code: 'out_of_range', ...said('span', { days: MOST_DAYS }) }]);
    }
    const groupIds = this.jobs.groupIds(request.caller, 'jobs.view', group);
    // Whatever will fire again may have fired in a time that is over.
    const latest = from < now ? Number.MAX_SAFE_INTEGER : to;
    const { root } = this.dialect;
    const firing = await this.store.firing(root, groupIds, 0, latest, MOST_JOBS + 1);
    const resting = from < now ? await this.store.resting(root, groupIds, from, MOST_JOBS + 1) : [];
    const jobs = [...firing, ...resting].slice(0, MOST_JOBS);
    const past = await this.pasts.of(jobs, from, to, now);
    const ahead = await this.ahead(jobs, Math.max(from, now), to);
    const shown = jobs.flatMap((job) => {
      const [fires, was] = [ahead.fires.get(job.id), past.hours.get(job.id)];
      if (!fires && !was) return [];
      const { id, key, timeZone, state } = job;
      const names = { id, key, group: this.jobs.groupKey(job), timeZone, state, ...lifeOf(job) };
      return [
        { ...names, ...(fires ?? { fires: [], hours: null }), past: from < now && !past.untold.has(id) ? (was ?? []) : null },
      ];
    });
    const zones = [...new Set(shown.map(({ timeZone }) => timeZone))];
    return {
      from: iso(from),
      to: iso(to),
      now: iso(now),
      jobs: shown,
      denseFrom: DENSE,
      cut: [
        ...(firing.length + resting.length > MOST_JOBS ? ['jobs' as const] : []),
        ...(ahead.truncated ? ['ahead' as const] : []),
        ...(past.untold.size > 0 ? ['past' as const] : []),
      ],
      mostJobs: MOST_JOBS,
      mostFires: MOST_FIRES,
      clashes: clashesOf(jobs, ahead.fires),
      clockChanges: zones.flatMap((timeZone) => clockChangesOf(timeZone, from, to)),
    };
  }

  private async ahead(jobs: readonly Job[], from: number, to: number) {
    const shown = new Map<string, Ahead>();
    let left = MOST_FIRES;
    let truncated = false;
    for (const job of jobs) {
      if (to <= from || left <= 0) break;
      // Long computing must not keep the dispatcher of this node waiting.
      await new Promise(setImmediate);
      const even = evenHours(job, from, to);
      if (even) {
        if (even.length > 0) shown.set(job.id, { fires: null, hours: even });
        continue;
      }
      const { fires, cut } = await firesAhead(job, from, to, left);
      left -= fires.length;
      truncated ||= cut;
      if (fires.length > 0) shown.set(job.id, aheadOf(fires));
    }
    return { fires: shown, truncated: truncated || left <= 0 };
  }
}

type Ahead = Pick<Calendar['jobs'][number], 'fires' | 'hours'>;

/** Of the fires that are told one by one. What jitter spreads clashes with nothing. */
function clashesOf(jobs: readonly Job[], ahead: ReadonlyMap<string, Ahead>): Calendar['clashes'] {
  const together = new Map<string, Job[]>();
  for (const job of jobs)
    for (const at of ahead.get(job.id)?.fires ?? []) {
      const some = together.get(at);
      if (some) some.push(job);
      else together.set(at, [job]);
    }
  return [...together]
    .map(([at, some]) => ({ at, some, jittered: some.filter(({ schedule }) => (schedule.jitterMs ?? 0) > 0).length }))
    .filter(({ some, jittered }) => some.length - jittered >= CLASH)
    .sort((a, b) => b.some.length - a.some.length || (a.at < b.at ? -1 : 1))
    .slice(0, MOST_CLASHES)
    .map(({ at, some, jittered }) => ({ at, jobs: some.length, jittered, first: firstByKey(some) }));
}

const firstByKey = (jobs: readonly Job[]) =>
  jobs
    .map(({ id, key }) => ({ id, key }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, NAMED);

/** When it fires at all: since it is there and its schedule has started, until the end of that. */
function lifeOf({ createdAt, schedule: { startAt, endAt } }: Job): { begins: string; ends: string | null } {
  const begins = Math.max(createdAt, startAt === undefined ? 0 : (instantMs(startAt) ?? 0));
  return { begins: iso(begins), ends: endAt === undefined ? null : isoOrNull(instantMs(endAt)) };
}

function clockChangesOf(zone: string, from: number, to: number): Calendar['clockChanges'] {
  const timeZone = knownTimeZone(zone);
  const changes: Calendar['clockChanges'] = [];
  if (timeZone === null) return changes;
  for (let at = from; at < to; at += DAY) {
    const change = clockChange(timeZone, at, Math.min(at + DAY, to));
    if (change) changes.push({ timeZone, at: iso(change.at), minutes: (change.after - change.before) / 60_000 });
  }
  return changes;
}

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

function aheadOf(fires: readonly number[]): Ahead {
  if (fires.length <= DENSE) return { fires: fires.map(iso), hours: null };
  const hours = new Map<number, number>();
  for (const at of fires) {
    const hour = Math.floor(at / HOUR) * HOUR;
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  return { fires: null, hours: [...hours].map(([at, count]) => ({ at: iso(at), count })) };
}
