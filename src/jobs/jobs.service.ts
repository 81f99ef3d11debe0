import { isDeepStrictEqual } from 'node:util';
import type { JobWarning } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { JobDefinition } from '../decisions/job-definition.js';
import { editedFire, firstFire, NO_TASK, resumedFire } from '../decisions/plan-fires.js';
import { previewFires } from '../decisions/schedule/next-fire.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import type { Witness } from '../platform/witness.js';
import { type Sql, SqlDialect } from '../ports.js';
import { DeletedJobStore } from './deleted-job.store.js';
import {
  belongsTo,
  type ChangeOutcome,
  type CreateOutcome,
  type Job,
  type JobFilter,
  type JobVersion,
  MoveOutcome,
  type NewJob,
  type Whose,
} from './job.js';
import { JobStore } from './job.store.js';
import { dueOf, JobNews } from './job-news.js';
import { definitionOf } from './job-row.js';
import { JobUpstreams } from './job-upstreams.js';
import { OpenGroups } from './open-groups.js';

/** Undoes a creation whose clientRequestId turns out, behind its unique key, to be that of a job deleted a moment ago. */
class UndoneCreation extends Error {
  constructor(readonly outcome: CreateOutcome) {
    super('the job was created before');
  }
}

const PAUSED = { state: 'paused', nextFireAt: null, pausedFireAt: null, fireFailures: 0 } as const;

/**
 * Job definitions: create, change, pause, resume, delete, look. Each change is one transaction on the job's locked row, the lock
 * the planner takes as well; so an edit comes wholly before or wholly after a fire. `whose` says whose job it must be.
 */
@Injectable()
export class JobsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: JobStore,
    private readonly clock: Clock,
    private readonly news: JobNews,
    private readonly upstreams: JobUpstreams,
    private readonly openGroups: OpenGroups,
    private readonly deleted: DeletedJobStore,
  ) {}

  /** One job per (app, clientRequestId), deleted or not, and per (group, key): the unique keys decide. One that is made paused fires only once it is resumed. Throws AppError of an archived group. */
  async create(stated: NewJob, described: JobDefinition, witness?: Witness<Job>): Promise<CreateOutcome> {
    const earlier = await this.createdBefore(stated);
    if (earlier) return earlier;
    const now = this.now();
    const id = newId('job');
    try {
      await this.dialect.transaction(async (tx) => {
        await this.openGroups.lock(tx, stated.groupId);
        const definition = await this.upstreams.resolve(tx, { ...stated, id }, described);
        const next = stated.paused ? null : firstFire(definition.schedule, now, NO_TASK);
        await this.store.insert(tx, id, stated, definition, next, now);
        // Behind the unique key: who deleted the job that held it has committed.
        const earlier = await this.deletedBefore(tx, stated);
        if (earlier) throw new UndoneCreation(earlier);
        if (stated.paused) await this.store.plan(tx, id, { ...PAUSED, pauseReason: stated.pauseReason ?? null });
        await this.store.keepVersion(tx, id, 1, definition, stated.by, now);
        await this.upstreams.save(tx, id, [], definition.upstreams ?? []);
        if (witness) await witness(tx, null, await this.store.find(tx, id));
      });
    } catch (error) {
      if (error instanceof UndoneCreation) return error.outcome;
      if (this.dialect.isUniqueViolation(error)) return (await this.createdBefore(stated)) ?? { outcome: 'key_taken' };
      if (this.dialect.isContention(error) && (await this.isBeingCreated(stated))) return { outcome: 'in_progress' };
      throw error;
    }
    const job = (await this.store.find(this.dialect.root, id)) as Job;
    this.news.planned(dueOf(job));
    return { outcome: 'created', job };
  }

  async find(whose: Whose, id: string): Promise<Job | null> {
    const job = await this.store.find(this.dialect.root, id);
    return job && belongsTo(job, whose) ? job : null;
  }

  list(filter: JobFilter): Promise<Job[]> {
    return this.store.list(this.dialect.root, filter);
  }

  /** A definition made from another version than the current one is refused with both. Another schedule counts from now (`editedFire`). */
  async update(
    whose: Whose,
    id: string,
    version: number,
    described: JobDefinition,
    by: string,
    witness?: Witness<Job>,
  ): Promise<ChangeOutcome> {
    return this.change(whose, id, witness, (tx, job, now) => this.redefine(tx, job, version, described, by, now));
  }

  /** The same of a job that is then paused: nothing is fired by the definition before somebody resumes it. */
  async updatePaused(
    whose: Whose,
    id: string,
    version: number,
    described: JobDefinition,
    by: string,
    reason: string,
    witness?: Witness<Job>,
  ): Promise<ChangeOutcome> {
    return this.change(whose, id, witness, async (tx, job, now) => {
      if (job.version !== version) return 'conflict';
      const paused = pausedFor(reason, job);
      await this.store.plan(tx, id, paused);
      return this.redefine(tx, paused, version, described, by, now);
    });
  }

  /** What was planned is kept, so that resuming knows what was missed. Pausing again changes the reason. */
  pause(whose: Whose, id: string, reason: string | null, witness?: Witness<Job>): Promise<ChangeOutcome> {
    return this.change(whose, id, witness, async (tx, job) => {
      await this.store.plan(tx, id, pausedFor(reason, job));
      return 'changed';
    });
  }

  /** By the misfire rule: of what was missed at most the latest is made up for. */
  resume(whose: Whose, id: string, witness?: Witness<Job>): Promise<ChangeOutcome> {
    return this.change(whose, id, witness, async (tx, job, now) => {
      if (job.state === 'active') return 'changed';
      const next = job.corrupt === null ? resumedFire(job, job.pausedFireAt, now, await this.store.latestTask(tx, id)) : now;
      await this.store.plan(tx, id, {
        state: 'active',
        pauseReason: null,
        nextFireAt: next,
        pausedFireAt: null,
        fireFailures: 0,
      });
      return 'changed';
    });
  }

  /**
   * Into another group, where its next tasks are made. Those it has made stay in the group they were made in, under its quota and in its
   * order, and keep their places in the job's overlap rule; a backfill makes the rest of its tasks in the new group. The definition and its
   * version stay as they are. The unique key (group, key) decides whether the group can take it.
   * Throws AppError of an archived group.
   */
  async move(whose: Whose, id: string, to: { id: number; partition: number }, witness?: Witness<Job>): Promise<MoveOutcome> {
    try {
      return await this.change(
        whose,
        id,
        witness,
        async (tx, _, now) => {
          await this.store.move(tx, id, to.id, to.partition, now);
          return 'changed';
        },
        (tx) => this.openGroups.lock(tx, to.id),
      );
    } catch (error) {
      if (this.dialect.isUniqueViolation(error, 'uk_jobs_group_key')) return { outcome: 'key_taken' };
      throw error;
    }
  }

  /** The same definition with another owner, as its next version. */
  setOwner(whose: Whose, id: string, owner: string | null, by: string, witness?: Witness<Job>): Promise<ChangeOutcome> {
    return this.change(whose, id, witness, async (tx, job, now) => {
      if (job.corrupt !== null) return 'conflict';
      return this.redefine(tx, job, job.version, { ...definitionOf(job), owner }, by, now);
    });
  }

  /** The job and its history go, and its clientRequestId creates no other for as long as tasks are kept; its tasks stay and keep its id, and those that wait for their turn still get it. Throws AppError while others wait for it. */
  async remove(whose: Whose, id: string, witness?: Witness<Job>): Promise<boolean> {
    return this.dialect.transaction(async (tx) => {
      const [job] = await this.store.lock(tx, [id]);
      if (!job || !belongsTo(job, whose)) return false;
      await this.upstreams.drop(tx, id);
      await this.store.remove(tx, id);
      await this.deleted.remember(tx, job, this.now());
      await witness?.(tx, job, null);
      return true;
    });
  }

  /** The next fires of the job as it is now, by the function that fires them. Of `after` only one can be known. */
  nextFires(job: Job, count: number): number[] {
    if (job.corrupt !== null) return [];
    if (job.nextFireAt === null) return job.schedule.kind === 'after' ? [] : previewFires(job.schedule, this.now(), count);
    if (job.schedule.kind === 'after') return [job.nextFireAt];
    return previewFires(job.schedule, job.nextFireAt - 1, count);
  }

  /** What its dependencies cannot bring about; none for nearly every job. */
  async warnings(job: Job): Promise<JobWarning[]> {
    return job.corrupt === null ? this.upstreams.warnings(this.dialect.root, job) : [];
  }

  /** Ids of the paused and disabled jobs above it because of which it does not run as its dependencies say. */
  async stoppedUpstreams(job: Job): Promise<string[]> {
    return job.corrupt === null ? this.upstreams.stopped(this.dialect.root, job) : [];
  }

  /** Every definition the job has had, newest first; one that cannot be read is left out and hides no other. */
  versions(id: string): Promise<JobVersion[]> {
    return this.store.versions(this.dialect.root, id);
  }

  /** One definition the job has had; null if it never had such a version. */
  definition(id: string, version: number): Promise<JobDefinition | null> {
    return this.store.definition(this.dialect.root, id, version);
  }

  /** An earlier definition becomes the next version. `version` is the current one, as for any edit. */
  async restore(
    whose: Whose,
    id: string,
    version: number,
    earlier: number,
    by: string,
    witness?: Witness<Job>,
  ): Promise<ChangeOutcome> {
    const definition = await this.definition(id, earlier);
    return definition ? this.update(whose, id, version, definition, by, witness) : { outcome: 'not_found' };
  }

  /**
   * A job of another key (and perhaps group) with the definition this one has now. It is paused, so that nothing runs twice because
   * somebody tried something out. Null if there is no such job to copy.
   */
  async copy(whose: Whose, id: string, stated: NewJob, witness?: Witness<Job>): Promise<CreateOutcome | null> {
    const job = await this.store.find(this.dialect.root, id);
    if (!job || !belongsTo(job, whose) || job.corrupt !== null) return null;
    return this.create({ ...stated, paused: true, pauseReason: 'copied' }, definitionOf(job), witness);
  }

  private async isBeingCreated({ appId, clientRequestId }: NewJob): Promise<boolean> {
    if (appId === null || clientRequestId === null) return false;
    return (await this.store.findByRequest(this.dialect.uncommitted, appId, clientRequestId)) !== null;
  }

  /** What the same clientRequestId has created, or null. */
  async createdBefore(stated: NewJob): Promise<CreateOutcome | null> {
    const { appId, clientRequestId, fingerprint } = stated;
    if (appId === null || clientRequestId === null) return null;
    const job = await this.store.findByRequest(this.dialect.root, appId, clientRequestId);
    // In this order: a deletion in between is found by the second.
    if (!job) return this.deletedBefore(this.dialect.root, stated);
    return job.fingerprint === fingerprint ? { outcome: 'replayed', job } : { outcome: 'reused', existingJobId: job.id };
  }

  private async deletedBefore(sql: Sql, { appId, clientRequestId, fingerprint }: NewJob): Promise<CreateOutcome | null> {
    if (appId === null || clientRequestId === null) return null;
    const job = await this.deleted.findByRequest(sql, appId, clientRequestId);
    if (!job) return null;
    return job.fingerprint === fingerprint
      ? { outcome: 'deleted', deletedJobId: job.id }
      : { outcome: 'reused', existingJobId: job.id };
  }

  private async redefine(
    tx: Sql,
    job: Job,
    version: number,
    described: JobDefinition,
    by: string,
    now: number,
  ): Promise<'changed' | 'conflict'> {
    const { id } = job;
    if (job.version !== version) return 'conflict';
    const definition = await this.upstreams.resolve(tx, job, described);
    // What edges a row has that cannot be read nobody knows: they are written in any case.
    const before = job.corrupt === null ? (job.upstreams ?? []) : null;
    await this.upstreams.save(tx, id, before, definition.upstreams ?? []);
    await this.store.redefine(tx, job, definition, now);
    await this.store.keepVersion(tx, id, version + 1, definition, by, now);
    const same = job.corrupt === null && isDeepStrictEqual(job.schedule, definition.schedule);
    if (same) return 'changed';
    const former = job.corrupt === null ? job.schedule : null;
    const latest = await this.store.latestTask(tx, id);
    const next = job.state === 'active' ? editedFire(definition.schedule, former, job.nextFireAt, now, latest) : null;
    await this.store.plan(tx, id, { ...job, nextFireAt: next, pausedFireAt: null, fireFailures: 0 });
    return 'changed';
  }

  private async change(
    whose: Whose,
    id: string,
    witness: Witness<Job> | undefined,
    write: (tx: Sql, job: Job, now: number) => Promise<'changed' | 'conflict'>,
    before?: (tx: Sql) => Promise<void>,
  ): Promise<ChangeOutcome> {
    const outcome = await this.dialect.transaction(async (tx): Promise<ChangeOutcome> => {
      await before?.(tx);
      const [job] = await this.store.lock(tx, [id]);
      if (!job || !belongsTo(job, whose)) return { outcome: 'not_found' };
      if ((await write(tx, job, this.now())) === 'conflict') return { outcome: 'conflict', current: job };
      const after = (await this.store.find(tx, id)) as Job;
      await witness?.(tx, job, after);
      return { outcome: 'changed', job: after };
    });
    if (outcome.outcome === 'changed') {
      this.news.planned(dueOf(outcome.job));
      this.news.changed(outcome.job);
    }
    return outcome;
  }

  private now(): number {
    return Math.floor(this.clock.now());
  }
}

const pausedFor = (pauseReason: string | null, job: Job): Job => ({
  ...job,
  state: 'paused',
  pauseReason,
  nextFireAt: null,
  pausedFireAt: job.state === 'active' ? job.nextFireAt : job.pausedFireAt,
});
