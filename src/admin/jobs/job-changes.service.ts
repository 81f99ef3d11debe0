import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ConsoleCaller, type ConsoleRequest, demand } from '../../auth/console-caller.js';
import { CallbackPolicy } from '../../callbacks/callback-policy.js';
import { checkChangedJob, checkNewJob, checkTrigger, JOB_BOUNDS } from '../../decisions/check-job.js';
import { GROUP_KEY } from '../../decisions/check-submission.js';
import { anyText, flag, integer, rules, text } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import type { JobDefinition } from '../../decisions/job-definition.js';
import { may } from '../../decisions/permissions.js';
import { definitionView } from '../../decisions/stated-job.js';
import type { Group } from '../../jobs/group.js';
import { GroupsService } from '../../jobs/groups.service.js';
import type { ChangeOutcome, CreateOutcome, Job, MoveOutcome, NewJob } from '../../jobs/job.js';
import { jobDeed } from '../../jobs/job-deed.js';
import { DependencyCircle } from '../../jobs/job-upstreams.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { Clock } from '../../platform/clock.js';
import { Config } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { isId } from '../../platform/ids.js';
import type { Witness } from '../../platform/witness.js';
import { RunsService } from '../../tasks/runs.service.js';
import type { CopyJob, JobConflict, JobDetail, RestoreJob, TriggerConsoleJob } from '../contract/jobs.js';
import { bodyOf, notFound, queryOf, REASON_QUERY, reasonRule } from '../request-parts.js';
import { type Author, authorOf, Trail } from '../trail.js';
import { ConsoleJobsService } from './console-jobs.service.js';
import { admitted, definitionBody, parsedParams, renamed } from './job-body.js';

const OWN_MEMBERS = rules({ reason: reasonRule, paused: flag });
const PAUSE = rules({ reason: anyText(JOB_BOUNDS.reasonLength) });
const COPY = rules({
  key: text(64, GROUP_KEY, 'must start with a letter or digit and hold only letters, digits and . _ -'),
  group: anyText(64),
});
const RESTORE = rules({ version: integer(1, 2_147_483_647), reason: reasonRule });
const TRIGGER = rules({ paramsText: () => {}, force: flag, reason: reasonRule });

/** Operators define jobs, stop them and run them by hand. What a change is refused for stores nothing. */
@Injectable()
export class JobChangesService {
  constructor(
    private readonly looks: ConsoleJobsService,
    private readonly jobs: JobsService,
    private readonly runs: RunsService,
    private readonly groups: GroupsService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly trail: Trail,
    private readonly callbacks: CallbackPolicy,
  ) {}

  async create(request: ConsoleRequest, reply: FastifyReply): Promise<JobDetail> {
    const { caller } = request;
    const { definition, body, own } = this.definition(request, ['reason', 'paused'], checkNewJob);
    const group = this.editable(caller, body.group);
    await this.checkUpstreams(caller, definition);
    this.checkCallback(null, definition);
    const author = authorOf(caller, reply, own.reason);
    const job = await this.insert(body.key as string, group, definition, own.paused === true, author, 'job.created');
    return this.looks.detail(job, caller);
  }

  async change(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<JobDetail> {
    const { caller } = request;
    const job = await this.looks.found(caller, id, 'jobs.edit');
    const { definition, body, own } = this.definition(request, ['reason'], checkChangedJob, job.schedule);
    await this.checkUpstreams(caller, definition, job.upstreams);
    if (definition.callbackUrl !== job.callbackUrl) this.checkCallback(job.appId, definition);
    const author = authorOf(caller, reply, own.reason);
    const version = body.version as number;
    const witness = this.witness(author, 'job.changed');
    const update = this.jobs.update('anybody', id, version, definition, author.actor, witness);
    return this.changed(caller, version, await update.catch((error) => this.circleFor(caller, error)));
  }

  async restore(request: ConsoleRequest, reply: FastifyReply, id: string, earlier: string): Promise<JobDetail> {
    const { caller } = request;
    const { version, reason } = bodyOf<RestoreJob>(request, RESTORE, ['version']);
    const job = await this.looks.found(caller, id, 'jobs.edit');
    if (!/^\d{1,9}$/.test(earlier)) throw notFound('version');
    const definition = await this.jobs.definition(id, Number(earlier));
    if (definition) await this.checkUpstreams(caller, definition, job.upstreams);
    const author = authorOf(caller, reply, reason);
    const witness = this.witness(author, 'job.restored');
    const restore = this.jobs.restore('anybody', id, version, Number(earlier), author.actor, witness);
    return this.changed(caller, version, await restore.catch((error) => this.circleFor(caller, error)));
  }

  async copy(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<JobDetail> {
    const { caller } = request;
    const stated = bodyOf<CopyJob>(request, COPY, ['key']);
    const job = await this.looks.found(caller, id);
    const group = this.editable(caller, stated.group ?? this.looks.groupKey(job));
    if (job.corrupt !== null) throw AppError.because('state_conflict', 'job_unreadable');
    await this.checkUpstreams(caller, job);
    const author = authorOf(caller, reply, `copy of ${job.key}`);
    const outcome = await this.jobs.copy(
      'anybody',
      id,
      this.named(stated.key, group, author),
      this.witness(author, 'job.copied'),
    );
    if (!outcome) throw notFound('job');
    return this.looks.detail(created(outcome), caller);
  }

  async remove(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<void> {
    const { reason } = queryOf(request, REASON_QUERY);
    const { caller } = request;
    await this.looks.found(caller, id, 'jobs.edit');
    const witness = this.witness(authorOf(caller, reply, reason), 'job.deleted');
    const removed = await this.jobs.remove('anybody', id, witness).catch((error) => this.refusalFor(caller, id, error));
    if (!removed) throw notFound('job');
  }

  async pause(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<JobDetail> {
    const { reason } = bodyOf<{ reason?: string }>(request, PAUSE);
    const { caller } = request;
    await this.looks.found(caller, id, 'jobs.pause');
    return this.changed(caller, 0, await this.pauseAs(id, authorOf(caller, reply, reason)));
  }

  async resume(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<JobDetail> {
    const { reason } = bodyOf<{ reason?: string }>(request, PAUSE);
    const { caller } = request;
    await this.looks.found(caller, id, 'jobs.pause');
    return this.changed(caller, 0, await this.resumeAs(id, authorOf(caller, reply, reason)));
  }

  async trigger(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<{ taskId: string }> {
    const { paramsText, force = false, reason } = bodyOf<TriggerConsoleJob>(request, TRIGGER);
    const params = paramsText === undefined ? undefined : parsedParams(paramsText);
    const errors = paramsText === undefined ? [] : checkTrigger({ params }, paramsText);
    if (errors.length > 0) throw AppError.fields(renamed(errors));
    await this.looks.found(request.caller, id, 'jobs.run');
    return { taskId: await this.triggerAs(id, authorOf(request.caller, reply, reason), paramsText ?? null, force) };
  }

  /** These are for whoever has been let through: the routes above and bulk operations. */
  moveAs(id: string, group: Group, author: Author): Promise<MoveOutcome> {
    return this.jobs.move('anybody', id, group, this.witness(author, 'job.moved'));
  }

  setOwnerAs(id: string, owner: string | null, author: Author): Promise<ChangeOutcome> {
    return this.jobs.setOwner('anybody', id, owner, author.actor, this.witness(author, 'job.owner_set'));
  }

  pauseAs(id: string, author: Author): Promise<ChangeOutcome> {
    return this.jobs.pause('anybody', id, author.reason, this.witness(author, 'job.paused'));
  }

  resumeAs(id: string, author: Author): Promise<ChangeOutcome> {
    return this.jobs.resume('anybody', id, this.witness(author, 'job.resumed'));
  }

  /** The id of the task. Throws AppError `not_found`. */
  async triggerAs(id: string, author: Author, params: string | null, force: boolean): Promise<string> {
    const outcome = await this.runs.run('anybody', id, {
      params,
      force,
      clientRequestId: null,
      fingerprint: null,
      actor: author.actor,
      also: (tx, taskId, job) =>
        this.trail.write(tx, author, {
          action: 'job.triggered',
          object: { type: 'job', id: job.id },
          group: this.looks.groupKey(job),
          after: { key: job.key, taskId, force, ownParams: params === null },
        }),
    });
    if (outcome.outcome !== 'accepted') throw notFound('job that can be read');
    return outcome.taskId;
  }

  private async insert(
    key: string,
    group: Group,
    definition: JobDefinition,
    paused: boolean,
    author: Author,
    action: string,
  ): Promise<Job> {
    const stated = { ...this.named(key, group, author), paused };
    return created(await this.jobs.create(stated, definition, this.witness(author, action)));
  }

  private named(key: string, group: Group, { actor }: Author): NewJob {
    const { id: groupId, partition } = group;
    return { key, groupId, partition, appId: null, clientRequestId: null, fingerprint: null, by: actor };
  }

  /**
   * A job the caller may not see is not told apart from one there is not. Those that this job waits for already may stay; a copy waits for
   * none yet, and what an earlier version waited for is new again. Throws AppError.
   */
  private async checkUpstreams(
    caller: ConsoleCaller,
    { upstreams = [] }: JobDefinition,
    already: readonly string[] = [],
  ): Promise<void> {
    const added = upstreams.filter((name) => isId('job', name) && !already.includes(name));
    const unseen = await this.looks.unseen(caller, added);
    if (unseen.length === 0) return;
    const broken = upstreams.flatMap((name, i) => (unseen.includes(name) ? [i] : []));
    throw AppError.fields(broken.map((i) => ({ pointer: `/upstreams/${i}`, code: 'unknown_job', ...said('no_job') })));
  }

  /** Of the jobs that wait for one, only those the caller may see are named. Throws the error, always. */
  private async refusalFor(caller: ConsoleCaller, id: string, error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.code !== 'job_has_dependants') throw error;
    const { downstreamJobs } = await this.looks.detail(await this.looks.found(caller, id), caller);
    const dependants = downstreamJobs.flatMap(({ key }) => key ?? []).sort();
    const hidden = downstreamJobs.length - dependants.length;
    const reason = hidden === 0 ? 'job_awaited' : dependants.length === 0 ? 'job_awaited_unseen' : 'job_awaited_also_unseen';
    const params = { dependants: dependants.slice(0, 10).join(', '), hidden };
    throw AppError.because('job_has_dependants', reason, params, { members: { dependants: dependants.slice(0, 100) } });
  }

  /** Of the jobs on a circle, only those the caller may see are named. Throws the error, always. */
  private async circleFor(caller: ConsoleCaller, error: unknown): Promise<never> {
    if (!(error instanceof DependencyCircle)) throw error;
    const keys = error.extras.members?.path as string[];
    const unseen = await this.looks.unseen(caller, error.circle);
    if (unseen.length === 0) throw error;
    const path: string[] = [];
    let hidden = 0;
    for (const [i, id] of error.circle.entries()) {
      if (unseen.includes(id)) hidden += 1;
      else {
        if (hidden > 0) path.push(`${hidden} in groups you may not see`);
        path.push(keys[i] ?? id);
        hidden = 0;
      }
    }
    throw new DependencyCircle(error.circle, path);
  }

  /** Throws AppError for a URL that the app of the job may not use; the house's own jobs have nobody to tell. */
  private checkCallback(appId: number | null, { callbackUrl }: JobDefinition): void {
    if (callbackUrl === null) return;
    const code = appId === null ? 'not_allowed' : this.callbacks.refusalOf(appId, callbackUrl);
    if (code === null) return;
    const words = said(appId === null ? 'no_callbacks' : 'not_its_url');
    throw AppError.fields([{ pointer: '/callbackUrl', code, ...words }]);
  }

  /** The checked definition, and what the console says beside it. */
  private definition(
    request: ConsoleRequest,
    own: readonly ('reason' | 'paused')[],
    check: typeof checkNewJob,
    current?: JobDefinition['schedule'],
  ) {
    const body = { ...((request.body as Record<string, unknown> | undefined) ?? {}) };
    const beside = Object.fromEntries(own.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]]));
    const checked = bodyOf<{ reason?: string; paused?: boolean }>({ body: beside }, OWN_MEMBERS);
    const { stated, paramsText } = definitionBody(body, own);
    stated.timeZone ??= this.config.defaultTimezone;
    if (Object.hasOwn(stated, 'clientRequestId'))
      throw AppError.fields([{ pointer: '/clientRequestId', code: 'unknown_field', ...said('unknown_field') }]);
    const definition = admitted(check(stated, { nowMs: Math.floor(this.clock.now()), paramsText, current }));
    return { definition, body: stated, own: checked };
  }

  /** A group the caller may not see is not told apart from one there is not. */
  private editable(caller: ConsoleCaller, key: unknown): Group {
    const group = typeof key === 'string' ? this.groups.byKey(key) : undefined;
    if (!group || !may(caller.rights, 'groups.view', group.key))
      throw AppError.fields([
        { pointer: '/group', code: key === undefined ? 'required' : 'not_allowed', ...said('not_a_group') },
      ]);
    demand(caller, 'jobs.edit', group.key);
    return group;
  }

  private async changed(caller: ConsoleCaller, stated: number, outcome: ChangeOutcome): Promise<JobDetail> {
    if (outcome.outcome === 'not_found') throw notFound('job or version');
    if (outcome.outcome === 'changed') return this.looks.detail(outcome.job, caller);
    const { current } = outcome;
    const base = await this.jobs.definition(current.id, stated);
    const members: JobConflict = {
      statedVersion: stated,
      currentVersion: current.version,
      base: base ? definitionView(base) : null,
      current: definitionView(current),
    };
    throw AppError.because('version_conflict', 'job_edited', { stated, current: current.version }, { members: { ...members } });
  }

  private witness(author: Author, action: string): Witness<Job> {
    return this.trail.of(author, jobDeed(action, this.groups));
  }
}

function created(outcome: CreateOutcome): Job {
  if (outcome.outcome === 'created') return outcome.job;
  if (outcome.outcome === 'key_taken') throw AppError.fields([{ pointer: '/key', code: 'not_unique', ...said('job_key_taken') }]);
  throw new Error(`a job without a request id was ${outcome.outcome}`);
}
