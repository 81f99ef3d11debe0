import { Injectable } from '@nestjs/common';
import { AuditService } from '../../auth/audit.service.js';
import { firesBetween } from '../../decisions/schedule/fires-between.js';
import type { Job } from '../../jobs/job.js';
import { Config } from '../../platform/config.js';
import { SqlDialect } from '../../ports.js';
import type { CalendarHour } from '../contract/overview.js';
import { ConsoleJobStore, type FiredRow } from '../jobs/console-job.store.js';
import { countTask, noTasks } from '../jobs/job-days.js';
import { iso } from '../request-parts.js';

const HOUR = 3_600_000;
/** Tasks read of one job, of one statement's jobs and of one answer: of what fires more, the past is not told. */
const MOST_OF_JOB = 500;
const JOBS_AT_ONCE = 25;
const MOST_TASKS = 20_000;
const MOST_LOOKED_UP = 100;
/** A fire that came later than this has no task yet; misfires are made up for within minutes. */
const GRACE_MS = 60_000;

export interface CalendarPast {
  /** By job, of those whose past is told. */
  hours: Map<string, CalendarHour[]>;
  truncated: boolean;
}

/** What became of the fires of jobs, hour by hour, and which of them no task was made for. */
@Injectable()
export class CalendarPasts {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly audit: AuditService,
    private readonly config: Config,
  ) {}

  async of(jobs: readonly Job[], from: number, to: number, now: number): Promise<CalendarPast> {
    const until = Math.min(to, now);
    const hours = new Map<string, CalendarHour[]>();
    if (until <= from) return { hours, truncated: false };
    let left = MOST_TASKS;
    let lookups = MOST_LOOKED_UP;
    let truncated = false;
    for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
      const some = jobs.slice(at, at + JOBS_AT_ONCE);
      const ids = some.map(({ id }) => id);
      const fired = left <= 0 ? [] : await this.store.fired(this.dialect.root, ids, from, until, MOST_OF_JOB + 1);
      left -= fired.length;
      for (const job of some) {
        const own = fired.filter(({ job_id }) => job_id === job.id);
        if (left <= 0 || own.length > MOST_OF_JOB) truncated = true;
        else {
          let missing = missingOf(job, own, Math.max(from, this.keptFrom(now)), until - GRACE_MS);
          if (missing.length > 0) {
            // What a job would have fired while it was paused is not missing; of too many that is not looked up, and nothing said.
            const resumedAt = lookups-- > 0 ? await this.resumedAt(job.id) : until;
            missing = missing.filter((fire) => fire > resumedAt);
          }
          const told = hoursOf(own, missing);
          if (told.length > 0) hours.set(job.id, told);
        }
      }
      await new Promise(setImmediate);
    }
    return { hours, truncated };
  }

  /** Older tasks may have been removed. */
  private keptFrom(now: number): number {
    const { tasksMs } = this.config.retention;
    return tasksMs === 0 ? 0 : now - tasksMs;
  }

  private async resumedAt(id: string): Promise<number> {
    const [last] = await this.audit.list({ objectType: 'job', objectId: id, action: 'job.resumed', limit: 1 });
    return last?.loggedAt ?? 0;
  }
}

/** Fires that the job, as it has been since its last edit, should have had and for which there is no task. */
function missingOf(job: Job, fired: readonly FiredRow[], from: number, until: number): number[] {
  // When a partner paused and resumed a job of theirs is written nowhere, so of those nothing is called missing.
  if (job.state !== 'active' || job.corrupt !== null || job.appId !== null) return [];
  // From its next fire on it is not late, but about to be made.
  const end = Math.min(until, job.nextFireAt === null ? until : Math.max(job.nextFireAt, from));
  const expected = firesBetween(job.schedule, Math.max(from, job.createdAt, job.updatedAt) + 1, end, MOST_OF_JOB + 1);
  const made = new Set(fired.map(({ fire_at }) => Number(fire_at)));
  return expected.filter((fire) => !made.has(fire));
}

function hoursOf(fired: readonly FiredRow[], missing: readonly number[]): CalendarHour[] {
  const hours = new Map<number, CalendarHour>();
  const at = (fire: number): CalendarHour => {
    const hour = Math.floor(fire / HOUR) * HOUR;
    const known = hours.get(hour) ?? { at: iso(hour), ...noTasks(), missing: 0 };
    hours.set(hour, known);
    return known;
  };
  for (const { fire_at, state } of fired) countTask(at(Number(fire_at)), Number(state));
  for (const fire of missing) at(fire).missing += 1;
  return [...hours.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}
