import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { knownTimeZone } from '../../decisions/schedule/time-zone.js';
import { STATE_CODE, stateOf } from '../../decisions/state-codes.js';
import type { Job } from '../../jobs/job.js';
import { Clock } from '../../platform/clock.js';
import { firstIdAt } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import type { JobHistory, JobRun } from '../contract/jobs.js';
import { iso, isoOrNull } from '../request-parts.js';
import { ConsoleJobStore, type JobRunRow } from './console-job.store.js';
import { ConsoleJobsService } from './console-jobs.service.js';
import { evenFires, firesAhead } from './fires-ahead.js';
import { countTask, type Day, dayIndex, daysAround, noTasks } from './job-days.js';

const BACK_DAYS = 90;
const AHEAD_DAYS = 30;
/** Tasks counted for one answer, read in pieces that keep nobody waiting. */
const MOST_TASKS = 10_000;
const AT_ONCE = 500;
const MOST_FIRES = 5_000;
const RECENT = 100;
const MOST_RUNNING = 20;

/** What became of a job's tasks and when it will fire, as the overview of its page draws it. */
@Injectable()
export class JobHistoryService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly jobs: ConsoleJobsService,
    private readonly clock: Clock,
  ) {}

  async of({ caller }: ConsoleRequest, id: string): Promise<JobHistory> {
    const job = await this.jobs.found(caller, id);
    const now = Math.floor(this.clock.now());
    const timeZone = knownTimeZone(job.timeZone) ?? 'UTC';
    const days = daysAround(timeZone, now, BACK_DAYS, AHEAD_DAYS);
    const { rows, more } = await this.read(id, days);
    const figures = days.map(noTasks);
    for (const { created_at, state } of rows) {
      const day = figures[dayIndex(days, Number(created_at))];
      if (day) countTask(day, Number(state));
    }
    const { ahead, until } = await foretold(job, days, now);
    const newest = (states: readonly number[]) => rows.filter(({ state }) => states.includes(Number(state)));
    const [succeeded] = newest([STATE_CODE.SUCCEEDED]);
    const [failed] = newest([STATE_CODE.FAILED, STATE_CODE.TIMED_OUT]);
    return {
      at: iso(now),
      timeZone,
      lastSucceeded: succeeded ? runOf(succeeded) : null,
      lastFailed: failed ? runOf(failed) : null,
      running: newest([STATE_CODE.DISPATCHED, STATE_CODE.RUNNING]).slice(0, MOST_RUNNING).map(runOf),
      recent: rows.slice(0, RECENT).map(runOf),
      days: days.map(({ date, from, to }, n) => ({
        date,
        from: iso(from),
        to: iso(to),
        ...(figures[n] ?? noTasks()),
        ahead: ahead[n] ?? 0,
      })),
      countedFrom: more ? iso(Number((rows.at(-1) as JobRunRow).created_at)) : null,
      foretoldUntil: isoOrNull(until),
    };
  }

  /** Newest first. A page begins where the last one ended, so a task that is made meanwhile is neither counted twice nor in between. */
  private async read(jobId: string, days: readonly Day[]): Promise<{ rows: JobRunRow[]; more: boolean }> {
    const from = firstIdAt('task', days[0]?.from ?? 0);
    let before = firstIdAt('task', days.at(-1)?.to ?? 0);
    const rows: JobRunRow[] = [];
    while (rows.length < MOST_TASKS) {
      const page = await this.store.runs(this.dialect.root, jobId, from, before, AT_ONCE);
      rows.push(...page);
      if (page.length < AT_ONCE) return { rows, more: false };
      before = (page.at(-1) as JobRunRow).id;
      await new Promise(setImmediate);
    }
    return { rows, more: true };
  }
}

/** Fires by day from now on; a day that is not told whole is not told at all, and `until` is its beginning. */
async function foretold(job: Job, days: readonly Day[], now: number): Promise<{ ahead: number[]; until: number | null }> {
  const even = days.map(({ from, to }) => (to <= now ? 0 : evenFires(job, Math.max(from, now), to)));
  if (even.every((count) => count !== null)) return { ahead: even as number[], until: null };
  const ahead = days.map(() => 0);
  const { fires, cut } = await firesAhead(job, now, days.at(-1)?.to ?? now, MOST_FIRES);
  const untold = cut ? dayIndex(days, fires.at(-1) ?? now) : days.length;
  for (const at of fires) {
    const day = dayIndex(days, at);
    if (day >= 0 && day < untold) ahead[day] = (ahead[day] ?? 0) + 1;
  }
  return { ahead, until: cut ? (days[untold]?.from ?? null) : null };
}

function runOf({ id, state, created_at, due_at, started_at, ended_at }: JobRunRow): JobRun {
  const started = started_at === null ? null : Number(started_at);
  return {
    id,
    state: stateOf(Number(state)),
    at: iso(Number(created_at)),
    startedAt: isoOrNull(started),
    startDelayMs: started === null ? null : Math.max(0, started - Number(due_at)),
    runMs: started === null || ended_at === null ? null : Number(ended_at) - started,
  };
}
