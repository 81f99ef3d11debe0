import { Injectable, Logger } from '@nestjs/common';
import { AuditService } from '../auth/audit.service.js';
import type { Occupation } from '../decisions/overlap.js';
import { type PlannedFire, planFires } from '../decisions/plan-fires.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { Job } from '../jobs/job.js';
import { type FireAdvance, JobStore } from '../jobs/job.store.js';
import { jobDeed } from '../jobs/job-deed.js';
import { type JobEdge, JobEdgeStore } from '../jobs/job-edge.store.js';
import { dueOf, type JobDue } from '../jobs/job-news.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { deedEntry } from '../platform/witness.js';
import { type Sql, SqlDialect } from '../ports.js';
import { JobTaskStore, type NewJobTask, skippedAmong } from '../tasks/job-task.store.js';
import { PeriodFires } from '../tasks/period-fires.js';
import type { TaskChange } from '../tasks/task.store.js';
import type { DueSoon, ParentNews, SkippedTask } from '../tasks/task-news.js';
import { CatchUp } from './catch-up.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';

/** A job that could not be fired so many times in a row is disabled. */
export const FAILURES_TOLERATED = 10;
/**
 * A round ends early once it makes so many tasks, with so much to hand on, or has thought so long about what was missed: it holds locks
 * meanwhile, and nothing else happens in this process while it thinks. What it leaves out is due still and comes in the next one.
 */
const ROUND_TASKS = 1_000;
const ROUND_CHARACTERS = 4 * 1024 * 1024;
const ROUND_THINKING_MS = 250;

/** What a committed round made. */
export interface Fired {
  /** Groups with something to start. */
  groups: Set<number>;
  /** Tasks to be divided into shards. */
  parents: ParentNews[];
  due: DueSoon[];
  /** When the jobs fire next; at once those this round left out. */
  next: JobDue[];
  /** Jobs with a task that now waits for its turn. */
  waiting: Job[];
  /** Tasks that ended as they were made. */
  skipped: SkippedTask[];
  /** What became of tasks that waited for these fires, those just made included. */
  changes: TaskChange[];
}

interface Round {
  tasks: NewJobTask[];
  /** Of their params. */
  characters: number;
  advances: FireAdvance[];
  /** Jobs that are not fired in it. */
  left: Job[];
}

/**
 * Fires due jobs of one partition in one transaction: locks their rows, looks at what of them is still going anywhere, inserts one
 * task per fire and moves each job on from exactly the fire it was planned for. The transaction runs in `within`, so only the
 * partition's holder fires; the row's lock and the compare-and-set hold even if two believed to be it; and were all of that to fail, the
 * unique key (job, fire, shard, backfill) would refuse the second task.
 *
 * If the process dies before the commit, nothing has happened: the jobs are still due, and the next holder fires them. After the
 * commit the tasks exist and the jobs have moved on: whoever looks finds them, although nobody was told.
 *
 * A job that cannot be fired harms no other: the batch is tried again one by one, and what fails alone is counted on the job.
 */
@Injectable()
export class FiresService {
  private readonly log = new Logger(FiresService.name);
  private readonly catchUp = new CatchUp();

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly edges: JobEdgeStore,
    private readonly periods: PeriodFires,
    private readonly clock: Clock,
    private readonly audit: AuditService,
    private readonly groups: GroupsService,
  ) {}

  async fire(partition: number, ids: readonly string[]): Promise<Fired[]> {
    try {
      return [await this.partitions.within(partition, (tx) => this.round(tx, ids))];
    } catch (error) {
      if (error instanceof PartitionLostError || this.dialect.isUnavailable(error)) throw error;
      const fired: Fired[] = [];
      for (const id of ids) fired.push(...(await this.fireAlone(partition, id)));
      return fired;
    }
  }

  private async fireAlone(partition: number, id: string): Promise<Fired[]> {
    try {
      return [await this.partitions.within(partition, (tx) => this.round(tx, [id], true))];
    } catch (error) {
      if (error instanceof PartitionLostError || this.dialect.isUnavailable(error)) throw error;
      if (this.dialect.isContention(error)) {
        // Others held its row, or one it needs: nothing is wrong with the job, and it is read again.
        this.log.warn('job not fired, others were in the way, trying again', { job: id, err: error });
        return [];
      }
      await this.partitions.within(partition, async (tx) => {
        for (const job of await this.jobs.lock(tx, [id])) await this.countFailure(tx, job, error);
      });
      return [];
    }
  }

  private async round(tx: Sql, ids: readonly string[], again = false): Promise<Fired> {
    const now = Math.floor(this.clock.now());
    const edges = await this.edges.touching(tx, ids);
    const jobs = (await this.jobs.lock(tx, withNeighbours(ids, edges))).filter(
      (job) => ids.includes(job.id) && job.state === 'active' && job.nextFireAt !== null,
    );
    const { tasks, advances, left } = await this.plan(tx, jobs, now, again);
    await this.jobTasks.insert(tx, tasks);
    const won = await this.jobs.advance(tx, advances);
    if (won !== advances.length) throw new FireRaceError(advances.length - won);
    const inGraph = edges.length > 0 || tasks.some(({ job }) => job.upstreams?.length);
    const changes = inGraph ? await this.periods.settle(tx, tasks, now, `node:${this.partitions.node}`) : [];
    return { ...firedBy(tasks), next: [...left.flatMap(dueOf), ...nextOf(advances, jobs)], changes };
  }

  /** `again`: leaves out fires that have a task already, which only a row set back by hand or from a dump can have. */
  private async plan(tx: Sql, jobs: readonly Job[], now: number, again: boolean): Promise<Round> {
    const isDue = ({ nextFireAt }: Job) => (nextFireAt as number) <= now;
    const due = jobs.filter(isDue);
    const occupation = await this.jobTasks.occupation(
      tx,
      due.map(({ id }) => id),
    );
    const until = this.clock.monotonic() + ROUND_THINKING_MS;
    // One that was taken a moment early is looked at again when it is due.
    const round: Round = { tasks: [], characters: 0, advances: [], left: jobs.filter((job) => !isDue(job)) };
    for (const job of due) {
      const isFull = round.tasks.length >= ROUND_TASKS || round.characters >= ROUND_CHARACTERS;
      if (round.advances.length > 0 && (isFull || this.clock.monotonic() > until)) {
        round.left.push(job);
        continue;
      }
      try {
        if (job.corrupt !== null) throw new Error(job.corrupt);
        const from = job.nextFireAt as number;
        const plan = planFires(job, from, now, occupation.get(job.id) as Occupation, Math.random);
        const fires = again ? await this.withoutKnown(tx, job, plan.fires) : plan.fires;
        round.tasks.push(...fires.map((fire) => this.taskOf(job, fire, now)));
        round.characters += fires.length * job.params.length;
        const lastFireAt = Math.max(...plan.fires.map(({ fireAt }) => fireAt), Number.NEGATIVE_INFINITY);
        round.advances.push({ id: job.id, from, next: plan.next, lastFireAt: Number.isFinite(lastFireAt) ? lastFireAt : null });
      } catch (error) {
        await this.countFailure(tx, job, error);
      }
    }
    return round;
  }

  private taskOf(job: Job, fire: PlannedFire, now: number): NewJobTask {
    const common = { id: newId('task'), job, fireAt: fire.fireAt, params: job.params, clientRequestId: null, fingerprint: null };
    const made = { ...common, actor: `job:${job.key}`, now };
    if (fire.becomes === 'overlap') return { ...made, state: 'SKIPPED', reason: 'overlap', dueAt: fire.fireAt, result: null };
    if (fire.becomes === 'misfire_window') {
      const { count, atLeast, first, last } = fire.span;
      const iso = (at: number) => new Date(at).toISOString();
      const result = JSON.stringify({ missed: count, atLeast, first: iso(first), last: iso(last) });
      return { ...made, state: 'SKIPPED', reason: 'misfire_window', dueAt: fire.fireAt, result };
    }
    const dueAt = fire.late ? this.catchUp.turn(now) : fire.dueAt;
    const waits = fire.becomes === 'wait' || (job.upstreams ?? []).length > 0;
    const state = waits ? 'BLOCKED' : dueAt > now ? 'SCHEDULED' : 'PENDING';
    return { ...made, state, reason: null, dueAt, result: null };
  }

  private async withoutKnown(tx: Sql, job: Job, fires: PlannedFire[]): Promise<PlannedFire[]> {
    const known = await this.jobTasks.firesOf(
      tx,
      job.id,
      fires.map(({ fireAt }) => fireAt),
    );
    return fires.filter(({ fireAt }) => !known.has(fireAt));
  }

  private async countFailure(tx: Sql, job: Job, error: unknown): Promise<void> {
    const fireFailures = job.fireFailures + 1;
    const fields = { job: job.id, key: job.key, failures: fireFailures, err: error };
    if (fireFailures < FAILURES_TOLERATED) {
      this.log.warn('job not fired, trying again', fields);
      await this.jobs.plan(tx, job.id, { ...job, fireFailures });
      return;
    }
    this.log.error('job disabled: it could not be fired', fields);
    const pauseReason = `could not be fired: ${(error as Error).message}`.slice(0, 255);
    const pausedFireAt = job.nextFireAt;
    const after: Job = { ...job, state: 'disabled', pauseReason, nextFireAt: null, pausedFireAt, fireFailures };
    await this.jobs.plan(tx, job.id, after);
    const entry = deedEntry(jobDeed('job.disabled', this.groups), job, after);
    await this.audit.write(tx, { actor: 'system', ...entry, reason: pauseReason });
  }
}

/** A job was moved on by somebody else although its row was locked; everything is rolled back and looked at anew. */
export class FireRaceError extends Error {
  constructor(readonly lost: number) {
    super(`${lost} due jobs were moved on by somebody else`);
    this.name = 'FireRaceError';
  }
}

/**
 * The jobs, those they wait for and those that wait for them, to be locked together and in one order: so an upstream fires wholly
 * before or after its downstream.
 */
function withNeighbours(ids: readonly string[], edges: readonly JobEdge[]): string[] {
  return [...new Set([...ids, ...edges.flatMap(({ downstreamId, upstreamId }) => [downstreamId, upstreamId])])];
}

function firedBy(tasks: readonly NewJobTask[]): Omit<Fired, 'next' | 'changes'> {
  const now = tasks.filter(({ state }) => state === 'PENDING');
  const soon = tasks.filter(({ state }) => state === 'SCHEDULED');
  return {
    groups: new Set(now.filter(({ job }) => job.policies.shards === undefined).map(({ job }) => job.groupId)),
    parents: now.filter(({ job }) => job.policies.shards !== undefined).map(({ id, job }) => ({ id, partition: job.partition })),
    due: soon.map(({ id, job, dueAt }) => ({ id, partition: job.partition, dueAt })),
    waiting: tasks.filter(({ state }) => state === 'BLOCKED').map(({ job }) => job),
    skipped: skippedAmong(tasks),
  };
}

function nextOf(advances: readonly FireAdvance[], jobs: readonly Job[]): JobDue[] {
  const partitionOf = new Map(jobs.map(({ id, partition }) => [id, partition]));
  return advances.flatMap(({ id, next }) =>
    next === null ? [] : [{ id, partition: partitionOf.get(id) as number, dueAt: next }],
  );
}
