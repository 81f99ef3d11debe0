import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { JOB_BOUNDS } from '../../decisions/check-job.js';
import { flag, integer, rules } from '../../decisions/field-rules.js';
import { BackfillsService } from '../../jobs/backfills.service.js';
import type { Job } from '../../jobs/job.js';
import type { Backfill } from '../../jobs/job-backfill.js';
import type { Deed } from '../../platform/witness.js';
import type { BackfillAnswer, ConsoleBackfill, ConsoleBackfills, StartBackfill } from '../contract/jobs.js';
import { bodyOf, instantRule, iso, notFound, queryOf, REASON_QUERY, reasonRule } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { ConsoleJobsService } from './console-jobs.service.js';

const START = rules({
  from: instantRule,
  until: instantRule,
  dryRun: flag,
  priority: integer(1, 10),
  maxParallel: integer(JOB_BOUNDS.maxParallel.min, JOB_BOUNDS.maxParallel.max),
  reason: reasonRule,
});

/** Fires of the past that get tasks once more: tried out, asked for, looked at, called off. */
@Injectable()
export class ConsoleBackfillsService {
  constructor(
    private readonly looks: ConsoleJobsService,
    private readonly backfills: BackfillsService,
    private readonly trail: Trail,
  ) {}

  async start(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<BackfillAnswer> {
    const { from, until, dryRun, reason, ...limits } = bodyOf<StartBackfill>(request, START, ['from', 'until']);
    const job = await this.looks.found(request.caller, id, 'jobs.run');
    const span = { fromAt: Date.parse(from), untilAt: Date.parse(until), ...limits };
    if (dryRun) {
      reply.code(200);
      const preview = await this.backfills.preview(job.appId, id, span);
      if (preview.outcome === 'not_found') throw notFound('job');
      return { backfill: null, count: preview.fires.length, fires: preview.fires.map(iso) };
    }
    const author = authorOf(request.caller, reply, reason);
    const asked = { ...span, clientRequestId: null, fingerprint: null, by: author.actor };
    const witness = this.trail.of(author, this.deed(job, 'backfill.started'));
    const outcome = await this.backfills.start(job.appId, id, asked, witness);
    if (outcome.outcome === 'not_found') throw notFound('job');
    if (outcome.outcome !== 'accepted') throw new Error(`a backfill without a request id was ${outcome.outcome}`);
    return { backfill: viewOf(outcome.backfill), count: outcome.backfill.fires, fires: [] };
  }

  async list({ caller }: ConsoleRequest, id: string): Promise<ConsoleBackfills> {
    const job = await this.looks.found(caller, id);
    return { items: (await this.backfills.ofJob(job.appId, id)).map(viewOf) };
  }

  async cancel(request: ConsoleRequest, reply: FastifyReply, id: string, backfill: string): Promise<ConsoleBackfill> {
    const { reason } = queryOf(request, REASON_QUERY);
    const job = await this.looks.found(request.caller, id, 'jobs.run');
    const witness = this.trail.of(authorOf(request.caller, reply, reason), this.deed(job, 'backfill.cancelled'));
    const cancelled = await this.backfills.cancel(job.appId, id, backfill, witness);
    if (!cancelled) throw notFound('backfill');
    return viewOf(cancelled);
  }

  private deed(job: Job, action: string): Deed<Backfill> {
    return { action, type: 'job', id: () => job.id, group: () => this.looks.groupKey(job), show: viewOf };
  }
}

const viewOf = (backfill: Backfill): ConsoleBackfill => ({
  id: backfill.id,
  state: backfill.state,
  from: iso(backfill.fromAt),
  until: iso(backfill.untilAt),
  fires: backfill.fires,
  made: backfill.made,
  priority: backfill.priority,
  maxParallel: backfill.maxParallel,
  createdAt: iso(backfill.createdAt),
  requestedBy: backfill.requestedBy,
});
