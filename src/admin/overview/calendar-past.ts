import { Injectable } from '@nestjs/common';
import { type Gap, gapOf } from '../../decisions/fire-gaps.js';
import { groupedBy } from '../../decisions/grouped.js';
import { LATE_MS } from '../../decisions/plan-fires.js';
import { firesBetween } from '../../decisions/schedule/fires-between.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { GroupsService } from '../../jobs/groups.service.js';
import type { Job } from '../../jobs/job.js';
import { SystemSettingsService } from '../../jobs/system-settings.service.js';
import { SqlDialect } from '../../ports.js';
import type { CalendarHour } from '../contract/overview.js';
import { ConsoleJobStore, type FiredRow } from '../jobs/console-job.store.js';
import { countTask, noTasks } from '../jobs/job-days.js';
import { iso } from '../request-parts.js';
import { FireRecords, type FiringSpan } from './fire-records.js';

const HOUR = 3_600_000;
/** Fires looked at of one job, of one statement's jobs and of one answer: of what fires more, the past is not told. */
const MOST_OF_JOB = 500;
const JOBS_AT_ONCE = 25;
const MOST_FIRES = 40_000;
/** A fire that came later than this has no task yet; misfires are made up for within minutes. */
const GRACE_MS = 60_000;

export interface CalendarPast {
  /** By job, of those whose past is told. */
  hours: Map<string, CalendarHour[]>;
  /** Those whose past is not told. */
  untold: Set<string>;
}

/** What became of the fires of jobs, hour by hour, and why those have no task that have none. */
@Injectable()
export class CalendarPasts {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly records: FireRecords,
    private readonly groups: GroupsService,
    private readonly settings: SystemSettingsService,
  ) {}

  async of(jobs: readonly Job[], from: number, to: number, now: number): Promise<CalendarPast> {
    const until = Math.min(to, now);
    const hours = new Map<string, CalendarHour[]>();
    const untold = new Set<string>();
    if (until <= from) return { hours, untold };
    let left = MOST_FIRES;
    for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
      const some = jobs.slice(at, at + JOBS_AT_ONCE);
      const ids = some.map(({ id }) => id);
      if (left <= 0) {
        for (const id of ids) untold.add(id);
        continue;
      }
      const fired = groupedBy(
        await this.store.fired(this.dialect.root, ids, from, until, MOST_OF_JOB + 1),
        ({ job_id }) => job_id,
      );
      const spans = await this.records.spansOf(some, from, until);
      const lacking = new Map<Job, Expected[]>();
      for (const job of some) {
        const own = fired.get(job.id) ?? [];
        const expected = expectedOf(job, spans.get(job.id) ?? [], until - GRACE_MS);
        left -= own.length + expected.length;
        if (left <= 0 || own.length > MOST_OF_JOB || expected.length > MOST_OF_JOB) {
          untold.add(job.id);
          continue;
        }
        const made = new Set(own.map(({ fire_at }) => Number(fire_at)));
        lacking.set(
          job,
          expected.filter(({ fireAt }) => !made.has(fireAt)),
        );
      }
      const gapped = [...lacking].filter(([, lacks]) => lacks.length > 0).map(([job]) => job);
      const records = await this.records.of(gapped, fired, from, until, now);
      for (const [job, lacks] of lacking) {
        const told = this.hoursOf(fired.get(job.id) ?? [], lacks, (lack) => {
          const record = records.get(job.id);
          return record && lack.isKnown ? gapOf(lack.fireAt, lack.misfire, record, LATE_MS) : 'unknown';
        });
        if (told.length > 0) hours.set(job.id, told);
      }
      await new Promise(setImmediate);
    }
    return { hours, untold };
  }

  private hoursOf(fired: readonly FiredRow[], lacking: readonly Expected[], gap: (lack: Expected) => Gap): CalendarHour[] {
    const hours = new Map<number, CalendarHour>();
    const at = (fire: number): CalendarHour => {
      const hour = Math.floor(fire / HOUR) * HOUR;
      const known = hours.get(hour) ?? { at: iso(hour), ...noTasks(), held: 0, ...NO_GAPS };
      hours.set(hour, known);
      return known;
    };
    for (const row of fired) {
      const hour = at(Number(row.fire_at));
      if (row.missed_json !== null) hour.missed += 1;
      else if (this.isHeld(row)) hour.held += 1;
      else countTask(hour, Number(row.state));
    }
    for (const lack of lacking) at(lack.fireAt)[gap(lack)] += 1;
    return [...hours.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  private isHeld({ state, group_id }: FiredRow): boolean {
    if (Number(state) !== STATE_CODE.PENDING) return false;
    const group = this.groups.byId(group_id);
    return this.settings.maintenance !== null || (group !== undefined && this.groups.isHeld(group));
  }
}

const NO_GAPS = { paused: 0, disabled: 0, missed: 0, missing: 0, unknown: 0 } satisfies Record<Gap, number>;

/** A fire that should have been, by the definition of its time. */
interface Expected extends Pick<FiringSpan, 'misfire' | 'isKnown'> {
  fireAt: number;
}

function expectedOf(job: Job, spans: readonly FiringSpan[], until: number): Expected[] {
  // From its next fire on it is not late, but about to be made.
  const end = job.nextFireAt === null ? until : Math.min(until, job.nextFireAt);
  const expected: Expected[] = [];
  for (const span of spans) {
    const fires = firesBetween(span.schedule, span.from, Math.min(span.until, end), MOST_OF_JOB + 1 - expected.length);
    expected.push(...fires.map((fireAt) => ({ fireAt, misfire: span.misfire, isKnown: span.isKnown })));
    if (expected.length > MOST_OF_JOB) break;
  }
  return expected;
}
