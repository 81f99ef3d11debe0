import type { BackfillAnswer, BackfillJob, BackfillList, RestoreJob } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CallbackPolicy } from '../callbacks/callback-policy.js';
import { checkBackfill, checkRestore } from '../decisions/check-job.js';
import { requestFingerprint } from '../decisions/fingerprint.js';
import { instantMs } from '../decisions/rfc3339.js';
import { BackfillsService } from '../jobs/backfills.service.js';
import { JobsService } from '../jobs/jobs.service.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { refuseCallbackUrl } from './callback-url.js';
import { JobActionsService } from './job-actions.service.js';
import { JobDefinitionsService } from './job-definitions.service.js';
import { backfillViewOf, jobVersionsText } from './job-history.view.js';
import { jobNotFound, OwnJobs } from './own-jobs.js';
import { PartnerTrail } from './partner-trail.js';
import { requireBody } from './request-body.js';

/** What a job has been, and what it is to make up for. A job of another app does not exist. */
@Injectable()
export class JobHistoryService {
  constructor(
    private readonly jobs: JobsService,
    private readonly backfills: BackfillsService,
    private readonly actions: JobActionsService,
    private readonly definitions: JobDefinitionsService,
    private readonly own: OwnJobs,
    private readonly callbacks: CallbackPolicy,
    private readonly trail: PartnerTrail,
  ) {}

  /** JSON text of every definition the job has had, newest first. */
  async versions({ caller }: PartnerRequest, id: string): Promise<string> {
    await this.own.find(caller, id);
    return jobVersionsText(await this.jobs.versions(id));
  }

  /** JSON text of the job with the earlier definition. Throws AppError as an edit does. */
  async restore(request: PartnerRequest, id: string): Promise<string> {
    const { caller } = request;
    const { body } = requireBody(request);
    refuse(checkRestore(body));
    const { version, restore } = body as unknown as RestoreJob;
    await this.own.use(caller, id);
    const earlier = await this.jobs.definition(id, restore);
    if (!earlier)
      throw AppError.fields([{ pointer: '/restore', code: 'not_allowed', message: 'must be a version this job has had' }]);
    refuseCallbackUrl(this.callbacks, caller.appId, earlier.callbackUrl);
    const witness = this.trail.job(request, 'job.restored');
    const outcome = await this.jobs.restore(caller.appId, id, version, restore, `app:${caller.appPublicId}`, witness);
    return this.actions.view(this.definitions.changed(outcome, version));
  }

  async backfill(request: PartnerRequest, reply: FastifyReply, id: string): Promise<BackfillAnswer> {
    const { caller } = request;
    const { body } = requireBody(request);
    refuse(checkBackfill(body));
    const stated = body as unknown as BackfillJob;
    const job = await this.own.use(caller, id);
    const span = { fromAt: instantMs(stated.from) as number, untilAt: instantMs(stated.until) as number };
    if (stated.dryRun) {
      reply.status(200);
      const preview = await this.backfills.preview(caller.appId, id, { ...span, ...limitsOf(stated) });
      if (preview.outcome === 'not_found') throw jobNotFound();
      return { backfill: null, count: preview.fires.length, fires: preview.fires.map((at) => new Date(at).toISOString()) };
    }
    const clientRequestId = stated.clientRequestId ?? null;
    const asked = {
      ...span,
      ...limitsOf(stated),
      clientRequestId,
      fingerprint: clientRequestId === null ? null : requestFingerprint(`jobs.backfill ${id}`, body),
      by: `app:${caller.appPublicId}`,
    };
    const outcome = await this.backfills.start(caller.appId, id, asked, this.trail.backfill(request, job));
    if (outcome.outcome === 'not_found') throw jobNotFound();
    if (outcome.outcome === 'reused') {
      throw new AppError('idempotency_key_reused', 'the clientRequestId belongs to a backfill with other parameters', {
        members: { existingBackfillId: outcome.existingBackfillId },
      });
    }
    if (outcome.outcome === 'replayed') reply.header('idempotent-replayed', 'true');
    return { backfill: backfillViewOf(outcome.backfill), count: outcome.backfill.fires, fires: [] };
  }

  async listBackfills({ caller }: PartnerRequest, id: string): Promise<BackfillList> {
    await this.own.find(caller, id);
    return { items: (await this.backfills.ofJob(caller.appId, id)).map(backfillViewOf) };
  }
}

const limitsOf = ({ priority, maxParallel }: BackfillJob) => ({ priority, maxParallel });

function refuse(errors: ReturnType<typeof checkRestore>): void {
  if (errors.length > 0) throw AppError.fields(errors);
}
