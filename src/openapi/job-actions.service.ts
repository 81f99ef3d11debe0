import type { JobList, NextFires } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkPause, checkTrigger } from '../decisions/check-job.js';
import { requestFingerprint } from '../decisions/fingerprint.js';
import { mayLoseNumbers, paramsTextOf } from '../decisions/params-text.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { ChangeOutcome, Job } from '../jobs/job.js';
import { JobsService } from '../jobs/jobs.service.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { RunsService } from '../tasks/runs.service.js';
import { cursorAfter } from './cursor.js';
import { GrantedGroups } from './granted-groups.js';
import { jobSummaryOf, jobViewText } from './job.view.js';
import { jobNotFound, OwnJobs } from './own-jobs.js';
import { PartnerTrail } from './partner-trail.js';
import { refuseMembers } from './request-body.js';
import { Room } from './room.js';
import { TaskQueriesService } from './task-queries.service.js';
import { jobsQuery, nextFiresQuery } from './task-query.js';
import { TaskQuota } from './task-quota.js';

const PAGE = 50;
const FIRES = 5;

/** What partners see of their jobs, and do with them besides defining them. A job of another app does not exist. */
@Injectable()
export class JobActionsService {
  constructor(
    private readonly jobs: JobsService,
    private readonly runs: RunsService,
    private readonly queries: TaskQueriesService,
    private readonly groups: GroupsService,
    private readonly granted: GrantedGroups,
    private readonly own: OwnJobs,
    private readonly room: Room,
    private readonly quota: TaskQuota,
    private readonly trail: PartnerTrail,
  ) {}

  async list({ caller, signedQuery }: PartnerRequest): Promise<JobList> {
    const { limit = PAGE, cursor, group, ...filter } = jobsQuery(signedQuery);
    const groupIds = this.granted.idsOf(group, caller);
    const found = await this.jobs.list({ ...filter, appId: caller.appId, groupIds, before: cursor, limit: limit + 1 });
    const page = found.slice(0, limit);
    return {
      items: page.map((job) => jobSummaryOf(job, this.groupKey(job), this.groups.byId(job.groupId)?.policies)),
      nextCursor: found.length > limit ? cursorAfter((page.at(-1) as Job).id) : null,
    };
  }

  /** JSON text of the job. */
  async get({ caller }: PartnerRequest, id: string): Promise<string> {
    return this.view(await this.own.find(caller, id));
  }

  async nextFires({ caller, signedQuery }: PartnerRequest, id: string): Promise<NextFires> {
    const { n = FIRES } = nextFiresQuery(signedQuery);
    const job = await this.own.find(caller, id);
    return { timeZone: job.timeZone, fires: this.jobs.nextFires(job, n).map((at) => new Date(at).toISOString()) };
  }

  async pause(request: PartnerRequest, id: string): Promise<string> {
    const body = (request.body as Record<string, unknown> | undefined) ?? {};
    const errors = checkPause(body);
    if (errors.length > 0) throw AppError.fields(errors);
    await this.own.find(request.caller, id);
    const reason = (body.reason as string | undefined) ?? null;
    const witness = this.trail.job(request, 'job.paused', reason);
    return this.changed(await this.jobs.pause(request.caller.appId, id, reason, witness));
  }

  async resume(request: PartnerRequest, id: string): Promise<string> {
    refuseMembers(request);
    await this.own.use(request.caller, id);
    return this.changed(await this.jobs.resume(request.caller.appId, id, this.trail.job(request, 'job.resumed')));
  }

  async remove(request: PartnerRequest, id: string): Promise<void> {
    const { caller } = request;
    await this.own.find(caller, id);
    if (!(await this.jobs.remove(caller.appId, id, this.trail.job(request, 'job.deleted')))) throw jobNotFound();
  }

  /** JSON text of the task that runs the job now, or that says why it did not. */
  async trigger(request: PartnerRequest, reply: FastifyReply, id: string): Promise<string> {
    const { caller, bodyText = '' } = request;
    const body = (request.body as Record<string, unknown> | undefined) ?? {};
    const paramsText = mayLoseNumbers(bodyText) ? paramsTextOf(bodyText) : undefined;
    const errors = checkTrigger(body, paramsText);
    if (errors.length > 0) throw AppError.fields(errors);
    const job = await this.own.use(caller, id);
    const clientRequestId = (body.clientRequestId as string | undefined) ?? null;
    const full = this.room.refusalOf({ id: job.groupId, key: this.groupKey(job) }, job.callbackUrl, caller);
    if (full && !(await this.room.isKnown(caller.appId, clientRequestId))) throw full;
    const made = await this.room.tasksMadeBy(caller.appId, [{ shards: job.policies.shards, clientRequestId }]);
    const taken = await this.quota.take(caller, made, reply);
    const outcome = await this.runs.run(caller.appId, id, {
      params: Object.hasOwn(body, 'params') ? (paramsText ?? JSON.stringify(body.params)) : null,
      force: body.force === true,
      clientRequestId,
      fingerprint: clientRequestId === null ? null : requestFingerprint(`jobs.trigger ${id}`, body, paramsText),
      actor: `app:${caller.appPublicId}`,
    });
    if (outcome.outcome !== 'accepted') await this.quota.giveBack(caller, taken, 1);
    if (outcome.outcome === 'not_found') throw jobNotFound();
    if (outcome.outcome === 'reused') {
      throw new AppError('idempotency_key_reused', 'the clientRequestId belongs to a task with other parameters', {
        members: { existingTaskId: outcome.existingTaskId },
      });
    }
    if (outcome.outcome === 'replayed') reply.header('idempotent-replayed', 'true');
    reply.header('location', `/openapi/v1/tasks/${outcome.taskId}`);
    return this.queries.view(await this.queries.own(caller, outcome.taskId));
  }

  async view(job: Job): Promise<string> {
    return jobViewText(job, this.groupKey(job), await this.jobs.warnings(job), this.groups.byId(job.groupId)?.policies);
  }

  private async changed(outcome: ChangeOutcome): Promise<string> {
    if (outcome.outcome !== 'changed') throw jobNotFound();
    return this.view(outcome.job);
  }

  private groupKey(job: Job): string {
    return this.groups.byId(job.groupId)?.key ?? '';
  }
}
