import type { FieldError, JobReceipt } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CallbackPolicy } from '../callbacks/callback-policy.js';
import { checkChangedJob, checkNewJob, type JobVerdict } from '../decisions/check-job.js';
import { requestFingerprint } from '../decisions/fingerprint.js';
import type { JobDefinition } from '../decisions/job-definition.js';
import { mayLoseNumbers, paramsTextOf } from '../decisions/params-text.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { ChangeOutcome, Job, NewJob } from '../jobs/job.js';
import { unknownUpstream } from '../jobs/job-upstreams.js';
import { JobsService } from '../jobs/jobs.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { isId } from '../platform/ids.js';
import { beingWritten } from './being-written.js';
import { callbackUrlRefusal } from './callback-url.js';
import { GrantedGroups } from './granted-groups.js';
import { jobReceiptOf, jobSummaryOf } from './job.view.js';
import { jobNotFound, OwnJobs } from './own-jobs.js';
import { PartnerTrail } from './partner-trail.js';
import { requireBody } from './request-body.js';

/** Partners create and change jobs. A refusal stores nothing and leaves its clientRequestId unused. */
@Injectable()
export class JobDefinitionsService {
  constructor(
    private readonly jobs: JobsService,
    private readonly groups: GroupsService,
    private readonly granted: GrantedGroups,
    private readonly own: OwnJobs,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly callbacks: CallbackPolicy,
    private readonly trail: PartnerTrail,
  ) {}

  /** The receipt, once the job is durable. Throws AppError. */
  async create(request: PartnerRequest, reply: FastifyReply): Promise<JobReceipt> {
    const { body, text } = requireBody(request);
    const context = this.context(text);
    const verdict = checkNewJob(body, context);
    if (!verdict.ok && !isOfTheMoment(verdict)) throw refusalOf(verdict);
    const { caller } = request;
    const group = this.granted.stated(body.group as string | undefined, caller);
    const clientRequestId = (body.clientRequestId as string | undefined) ?? null;
    const stated: NewJob = {
      key: body.key as string,
      groupId: group.id,
      partition: group.partition,
      appId: caller.appId,
      clientRequestId,
      fingerprint: clientRequestId === null ? null : requestFingerprint('jobs.create', body, context.paramsText),
      by: `app:${caller.appPublicId}`,
    };
    // A host that was taken away since, or an instant that has passed, must not keep a repetition from its receipt.
    const refusal = verdict.ok ? await this.refusalNow(verdict.definition, caller) : refusalOf(verdict);
    const earlier = refusal && (await this.jobs.createdBefore(stated));
    if (refusal && !earlier) throw refusal;
    const outcome = earlier ?? (await this.jobs.create(stated, admitted(verdict), this.trail.job(request, 'job.created')));
    switch (outcome.outcome) {
      case 'key_taken':
        throw AppError.fields([{ pointer: '/key', code: 'not_unique', message: 'is the key of another job of the group' }]);
      case 'reused':
        throw new AppError('idempotency_key_reused', 'the clientRequestId belongs to a job with other parameters', {
          members: { existingJobId: outcome.existingJobId },
        });
      case 'deleted':
        throw new AppError('state_conflict', 'the job this clientRequestId created is deleted; a new one takes a new id', {
          members: { deletedJobId: outcome.deletedJobId },
        });
      case 'in_progress':
        throw beingWritten();
      case 'replayed':
        reply.header('idempotent-replayed', 'true');
    }
    const warnings = await this.jobs.warnings(outcome.job);
    // Not in the receipt: its bytes never change, what is warned of may.
    if (warnings.length > 0) reply.header('evenkeel-warnings', warnings.map(({ code }) => code).join(', '));
    reply.header('location', `/openapi/v1/jobs/${outcome.job.id}`);
    return jobReceiptOf(outcome.job, this.groupKey(outcome.job));
  }

  /** The job after the edit. Throws AppError; a stale edit is told the version it named and the job as it is. */
  async change(request: PartnerRequest, id: string): Promise<Job> {
    const { body, text } = requireBody(request);
    const { caller } = request;
    const { schedule: current, upstreams } = await this.own.use(caller, id);
    const definition = admitted(checkChangedJob(body, { ...this.context(text), current }));
    const refusal = await this.refusalNow(definition, caller, upstreams);
    if (refusal) throw refusal;
    const version = body.version as number;
    const witness = this.trail.job(request, 'job.changed');
    const outcome = await this.jobs.update(caller.appId, id, version, definition, `app:${caller.appPublicId}`, witness);
    return this.changed(outcome, version);
  }

  /** The job after the edit from `version`, or the refusal as an error. */
  changed(outcome: ChangeOutcome, version: number): Job {
    if (outcome.outcome === 'not_found') throw jobNotFound();
    if (outcome.outcome === 'changed') return outcome.job;
    const { current } = outcome;
    throw new AppError('version_conflict', `the edit was made from version ${version}, the job is at ${current.version}`, {
      members: {
        statedVersion: version,
        currentVersion: current.version,
        current: jobSummaryOf(current, this.groupKey(current), this.groups.byId(current.groupId)?.policies),
      },
    });
  }

  /** What depends on the app and the key: a host that may be called, and whether the jobs it waits for are shown to the key, or were its upstreams before. */
  private async refusalNow(
    { callbackUrl, upstreams = [] }: JobDefinition,
    caller: PartnerCaller,
    before: readonly string[] = [],
  ): Promise<AppError | null> {
    const ofUrl = callbackUrlRefusal(this.callbacks, caller.appId, callbackUrl);
    if (ofUrl || caller.narrowedTo === null) return ofUrl;
    const hidden: FieldError[] = [];
    for (const [i, name] of upstreams.entries())
      if (isId('job', name) && !before.includes(name) && !(await this.own.shown(caller, name))) hidden.push(unknownUpstream(i));
    return hidden.length > 0 ? AppError.fields(hidden) : null;
  }

  private context(text: string) {
    const paramsText = mayLoseNumbers(text) ? paramsTextOf(text) : undefined;
    return { nowMs: Math.floor(this.clock.now()), paramsText, defaultTimeZone: this.config.defaultTimezone };
  }

  private groupKey(job: Job): string {
    return this.groups.byId(job.groupId)?.key ?? '';
  }
}

type RefusedJob = Extract<JobVerdict, { ok: false }>;

/** A schedule that cannot be is another refusal than a field that breaks a rule. */
function admitted(verdict: JobVerdict): JobDefinition {
  if (verdict.ok) return verdict.definition;
  throw refusalOf(verdict);
}

function refusalOf({ errors, scheduleOnly }: RefusedJob): AppError {
  if (!scheduleOnly) return AppError.fields(errors);
  const zone = errors.find(({ code }) => code === 'unknown_timezone');
  const first = zone ?? errors[0];
  return new AppError(zone ? 'unknown_timezone' : 'invalid_schedule', `${first?.pointer} ${first?.message}`, { errors });
}

/** The same body may have been right when it was sent first. */
const isOfTheMoment = ({ errors }: RefusedJob): boolean => errors.every(({ code }) => code === 'never_fires');
