import type { FieldError } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { Findings, integer } from '../decisions/field-rules.js';
import { said } from '../decisions/field-sentences.js';
import { firesBetween } from '../decisions/schedule/fires-between.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import type { Witness } from '../platform/witness.js';
import { SqlDialect } from '../ports.js';
import type { Job } from './job.js';
import { JobStore } from './job.store.js';
import type { Backfill, BackfillOutcome, BackfillPreview, BackfillRequest } from './job-backfill.js';
import { JobBackfillStore } from './job-backfill.store.js';
import { JobNews } from './job-news.js';

/** Fires of one backfill. */
export const BACKFILL_FIRES = 10_000;
const LOWEST_PRIORITY = 1;
const LISTED = 100;
type Span = Pick<BackfillRequest, 'fromAt' | 'untilAt' | 'priority' | 'maxParallel'>;
const TIMED = ['cron', 'every', 'once'];

/**
 * Backfills of jobs: the fires of a past span get tasks once more, beside the schedule. Here they are asked for, looked at and called
 * off; the making of the tasks is the dispatch room's (`Backfiller`), which goes on from the row however often a process dies. `appId`
 * says whose job it must be.
 */
@Injectable()
export class BackfillsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly jobs: JobStore,
    private readonly store: JobBackfillStore,
    private readonly clock: Clock,
    private readonly news: JobNews,
  ) {}

  /** The fires that a backfill of the span would make tasks for; nothing is written. Throws AppError `validation_failed`. */
  async preview(appId: number | null, jobId: string, span: Span): Promise<BackfillPreview> {
    const job = await this.own(appId, jobId);
    return job ? { outcome: 'found', fires: this.fires(job, span) } : { outcome: 'not_found' };
  }

  /** Durable when it is answered. The same clientRequestId never makes a second one. Throws AppError `validation_failed`. */
  async start(
    appId: number | null,
    jobId: string,
    request: BackfillRequest,
    witness?: Witness<Backfill>,
  ): Promise<BackfillOutcome> {
    const job = await this.own(appId, jobId);
    if (!job) return { outcome: 'not_found' };
    const earlier = await this.replay(jobId, request);
    if (earlier) return earlier;
    const fires = this.fires(job, request);
    const now = Math.floor(this.clock.now());
    const backfill: Backfill = {
      id: newId('bkf'),
      jobId,
      partition: job.partition,
      jobVersion: job.version,
      fromAt: request.fromAt,
      untilAt: request.untilAt,
      nextAt: request.fromAt,
      fires: fires.length,
      made: 0,
      priority: request.priority ?? LOWEST_PRIORITY,
      maxParallel: request.maxParallel ?? (job.overlap === 'allow' ? job.maxParallel : 1),
      state: fires.length === 0 ? 'done' : 'running',
      requestedBy: request.by,
      createdAt: now,
      updatedAt: now,
    };
    try {
      await this.dialect.transaction(async (tx) => {
        await this.store.insert(tx, backfill, request);
        await witness?.(tx, null, backfill);
      });
    } catch (error) {
      const raced = this.dialect.isUniqueViolation(error) ? await this.replay(jobId, request) : null;
      if (!raced) throw error;
      return raced;
    }
    this.news.backfillAsked();
    return { outcome: 'accepted', backfill };
  }

  /** Newest first, at most a hundred. */
  async ofJob(appId: number | null, jobId: string): Promise<Backfill[]> {
    return (await this.own(appId, jobId)) ? this.store.ofJob(this.dialect.root, jobId, LISTED) : [];
  }

  /** No more tasks are made of it; those that exist go on. Null if it is not of this job. */
  async cancel(appId: number | null, jobId: string, id: string, witness?: Witness<Backfill>): Promise<Backfill | null> {
    if (!(await this.own(appId, jobId))) return null;
    return this.dialect.transaction(async (tx) => {
      const found = await this.store.lock(tx, id);
      if (found?.jobId !== jobId) return null;
      if (found.state !== 'running') return found;
      const now = Math.floor(this.clock.now());
      const cancelled: Backfill = { ...found, state: 'cancelled', updatedAt: now };
      await this.store.advance(tx, cancelled, now);
      await witness?.(tx, found, cancelled);
      return cancelled;
    });
  }

  private async own(appId: number | null, jobId: string): Promise<Job | null> {
    const job = await this.jobs.find(this.dialect.root, jobId);
    return job && job.appId === appId ? job : null;
  }

  private fires(job: Job, request: Span): number[] {
    const errors = refusals(job, request, this.clock.now());
    if (errors.length > 0) throw AppError.fields(errors);
    const fires = firesBetween(job.schedule, request.fromAt, request.untilAt, BACKFILL_FIRES + 1);
    if (fires.length <= BACKFILL_FIRES) return fires;
    throw AppError.fields([{ pointer: '/until', code: 'too_many', ...said('too_many_fires', { max: BACKFILL_FIRES }) }]);
  }

  private async replay(jobId: string, { clientRequestId, fingerprint }: BackfillRequest): Promise<BackfillOutcome | null> {
    if (clientRequestId === null) return null;
    const found = await this.store.findByRequest(this.dialect.root, jobId, clientRequestId);
    if (!found) return null;
    if (found.fingerprint === fingerprint) return { outcome: 'replayed', backfill: found.backfill };
    return { outcome: 'reused', existingBackfillId: found.backfill.id };
  }
}

function refusals(job: Job, { fromAt, untilAt, priority, maxParallel }: Span, now: number): FieldError[] {
  const findings = new Findings();
  if (job.corrupt !== null || !TIMED.includes(job.schedule.kind))
    findings.add('', 'not_allowed', said('no_fires', { kind: job.schedule.kind }));
  if (untilAt <= fromAt) findings.add('/until', 'out_of_range', said('after_from'));
  else if (untilAt > now) findings.add('/until', 'out_of_range', said('not_yet'));
  if (priority !== undefined) integer(1, 10)(priority, '/priority', findings);
  if (maxParallel !== undefined) integer(1, 1_000)(maxParallel, '/maxParallel', findings);
  return findings.errors;
}
