import { Injectable } from '@nestjs/common';
import { AuditService, type StateChange } from '../../auth/audit.service.js';
import { MISFIRES } from '../../decisions/check-job.js';
import type { FireRecord, Standing, StandingChange } from '../../decisions/fire-gaps.js';
import { groupedBy } from '../../decisions/grouped.js';
import type { MisfirePolicy } from '../../decisions/schedule/missed-fires.js';
import type { Schedule } from '../../decisions/schedule/schedule.js';
import { storedSchedule } from '../../decisions/schedule/stored-schedule.js';
import type { Job } from '../../jobs/job.js';
import { SystemSettingsService } from '../../jobs/system-settings.service.js';
import { Config } from '../../platform/config.js';
import { SqlDialect } from '../../ports.js';
import { ConsoleJobStore, type FiredRow, type FiringVersionRow } from '../jobs/console-job.store.js';

/** Versions and entries of the log looked at of one job; of before the oldest of them nothing is known. */
const MOST_VERSIONS = 20;
const MOST_CHANGES = 200;
const STANDINGS: readonly string[] = ['active', 'paused', 'disabled'] satisfies Standing[];

/** A time, epoch milliseconds and the end not in it, in which one definition said when the job fires. */
export interface FiringSpan {
  from: number;
  until: number;
  schedule: Schedule;
  misfire: MisfirePolicy['policy'];
  /** False: how the job was defined then nobody can read, and a later definition stands for it. */
  isKnown: boolean;
}

/**
 * What is recorded of jobs besides their tasks: how they were defined (versions) and when they were paused (the audit log, which has every
 * act of people, partners and the house on a job), each as far back as it is kept.
 */
@Injectable()
export class FireRecords {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly audit: AuditService,
    private readonly settings: SystemSettingsService,
    private readonly config: Config,
  ) {}

  /** By job, ascending. */
  async spansOf(jobs: readonly Job[], from: number, until: number): Promise<Map<string, FiringSpan[]>> {
    const edited = jobs.filter((job) => job.version > 1 && job.updatedAt > from).map(({ id }) => id);
    const rows = await this.store.firingVersions(this.dialect.root, edited, MOST_VERSIONS);
    const versions = groupedBy(rows, ({ job_id }) => job_id);
    return new Map(
      jobs.map((job) => {
        const begin = Math.max(from, job.createdAt + 1);
        const { schedule, misfire } = job;
        if (job.corrupt !== null || begin >= until) return [job.id, []];
        const now: FiringSpan = { from: begin, until, schedule, misfire, isKnown: true };
        return [job.id, edited.includes(job.id) ? earlierOf(now, versions.get(job.id) ?? []) : [now]];
      }),
    );
  }

  /** By job. `fired`: its tasks of the span; the first one after it is looked up, since it may tell of the span. */
  async of(
    jobs: readonly Job[],
    fired: ReadonlyMap<string, readonly FiredRow[]>,
    from: number,
    until: number,
    now: number,
  ): Promise<Map<string, FireRecord>> {
    const ids = jobs.map(({ id }) => id);
    const next = groupedBy(await this.store.fired(this.dialect.root, ids, until, now, 1), ({ job_id }) => job_id);
    const entries = groupedBy(await this.audit.statesSince('job', ids, from, MOST_CHANGES), ({ objectId }) => objectId);
    const { tasksMs, auditMs } = this.config.retention;
    const kept = (ms: number) => (ms === 0 ? 0 : now - ms);
    return new Map(
      jobs.map((job) => {
        const own = [...(fired.get(job.id) ?? []), ...(next.get(job.id) ?? [])];
        const log = entries.get(job.id) ?? [];
        const cutAt = log.length < MOST_CHANGES ? 0 : (log.at(-1)?.loggedAt ?? 0);
        const writtenSince = job.appId === null ? 0 : this.settings.partnerActsSince;
        return [
          job.id,
          {
            standing: job.state,
            changes: log.flatMap(changeOf).reverse(),
            // One that was made since then cannot have been paused before.
            changesKnownFrom: Math.max(kept(auditMs), job.createdAt >= writtenSince ? 0 : writtenSince, cutAt),
            tasksKeptFrom: kept(tasksMs),
            made: own
              .filter(({ backfill_key, missed_json }) => backfill_key === '' && missed_json === null)
              .map(({ fire_at, created_at }) => ({ fireAt: Number(fire_at), madeAt: Number(created_at) })),
            tooOld: own.flatMap(({ missed_json }) => tooOldIn(missed_json)),
          },
        ];
      }),
    );
  }
}

/** The span divided by the versions (newest first) that held in it. */
function earlierOf(now: FiringSpan, versions: readonly FiringVersionRow[]): FiringSpan[] {
  const spans: FiringSpan[] = [];
  let later: FiringSpan = now;
  let { until } = now;
  for (const row of versions) {
    if (until <= now.from) break;
    const read = spans.length === 0 ? now : definedBy(row);
    // A fire of the very instant of the edit is still the version's before.
    const since = Number(row.changed_at) + 1;
    later = { ...(read ?? later), from: Math.max(since, now.from), until, isKnown: read !== null };
    if (later.from < until) spans.push(later);
    until = Math.min(until, since);
  }
  if (until > now.from) spans.push({ ...later, from: now.from, until, isKnown: false });
  return spans.reverse();
}

function definedBy({ schedule_json, misfire }: FiringVersionRow): Pick<FiringSpan, 'schedule' | 'misfire'> | null {
  const rule = MISFIRES.find((each) => each === misfire?.replaceAll('"', ''));
  if (schedule_json === null || rule === undefined) return null;
  try {
    return { schedule: storedSchedule(schedule_json), misfire: rule };
  } catch {
    return null;
  }
}

function changeOf({ action, loggedAt, isFirst, before, after }: StateChange): StandingChange[] {
  const isStanding = (state: string | null): state is Standing => state !== null && STANDINGS.includes(state);
  if (!action.startsWith('job.') || !isStanding(after) || !(isFirst || isStanding(before))) return [];
  return [{ at: loggedAt, before: isFirst ? null : (before as Standing), after }];
}

function tooOldIn(json: string | null): FireRecord['tooOld'] {
  if (json === null) return [];
  const { first, last } = JSON.parse(json) as { first?: string; last?: string };
  const span = { first: Date.parse(first ?? ''), last: Date.parse(last ?? '') };
  return Number.isNaN(span.first + span.last) ? [] : [span];
}
