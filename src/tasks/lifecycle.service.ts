import type { AttemptResult, ReasonCode, ResultAck, ResultVerdict } from '@evenkeel/sdk/contract';
import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { jsonTextOf } from '../decisions/json-text.js';
import type { AttemptEnd } from '../decisions/settlement.js';
import { type JobDue, JobNews } from '../jobs/job-news.js';
import { Clock } from '../platform/clock.js';
import { type Sql, SqlDialect } from '../ports.js';
import { advance, annotate } from './advance.js';
import { AttemptStore, type EndedAttemptRow } from './attempt.store.js';
import {
  afterAcceptance,
  afterEnd,
  clamp,
  endedByCentre,
  errorOf,
  isBetween,
  isSameAttempt,
  NO_ATTEMPT,
} from './attempt-moves.js';
import { Consequences } from './consequences.js';
import { NOTHING_RELEASED } from './job-slots.js';
import { ProgressStore } from './progress.store.js';
import { type AlsoWritten, hasShards, type TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';
import { type ParentNews, TaskNews } from './task-news.js';
import { UnstoppedStore } from './unstopped.store.js';

export interface Acceptance {
  taskId: string;
  lease: number;
  workerId: string;
  incarnation: string;
  /** Epoch milliseconds of the worker's answer. */
  at: number;
}
export interface EndedAttempt {
  taskId: string;
  lease: number;
  end: AttemptEnd;
}

const DUE_SOON_MS = 10_000;
/**
 * Moves tasks through their states: locks the rows, asks the pure table, writes what it says. Each method is one transaction or
 * runs inside the caller's; if the process dies inside it nothing happened, if it dies after it the work is found by looking.
 * Methods that take a `tx` are the holder's own and run inside `PartitionsService.within`, which checks the epoch first; the
 * others are worker-driven and match (id, lease, worker, incarnation) instead.
 */
@Injectable()
export class LifecycleService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly attempts: AttemptStore,
    private readonly clock: Clock,
    private readonly news: TaskNews,
    private readonly consequences: Consequences,
    private readonly jobNews: JobNews,
    private readonly progress: ProgressStore,
    private readonly unstopped: UnstoppedStore,
  ) {}

  /** DISPATCHED → RUNNING for those the workers confirmed; those already further stay as they are. */
  async accept(acceptances: readonly Acceptance[]): Promise<void> {
    const written = await this.dialect.transaction(async (tx) => {
      const byId = new Map(acceptances.map((acceptance) => [acceptance.taskId, acceptance]));
      const changes: TaskChange[] = [];
      for (const before of await this.store.lock(tx, [...byId.keys()])) {
        const acceptance = byId.get(before.id) as Acceptance;
        if (!isSameAttempt(before, acceptance.lease, acceptance.workerId, acceptance.incarnation)) continue;
        const after = afterAcceptance(before, acceptance.at);
        if (after) changes.push({ before, after });
      }
      await this.store.save(tx, changes);
      return changes;
    });
    this.tell(written);
  }

  /** Applies what workers say of their attempts. The acks are in the order of the results. */
  async settle(workerId: string, results: readonly AttemptResult[]): Promise<ResultAck[]> {
    const now = this.clock.now();
    const { verdicts, written } = await this.dialect.transaction(async (tx) => {
      const locked = new Map(
        (await this.store.lock(tx, [...new Set(results.map((result) => result.taskId))])).map((task) => [task.id, task]),
      );
      const changes = new Map<string, TaskChange>();
      const archived: EndedAttemptRow[] = [];
      const verdicts: ResultVerdict[] = [];
      for (const result of results) {
        const before = locked.get(result.taskId);
        if (!before) {
          verdicts.push('unknown');
          continue;
        }
        const current = changes.get(before.id)?.after ?? before;
        if (!isSameAttempt(current, result.lease, workerId) || isTerminal(current.state) || isBetween(current)) {
          verdicts.push(await this.lateVerdict(tx, current, workerId, result, changes, before));
          continue;
        }
        const startedAt = clamp(result.startedAt, current.claimedAt ?? current.createdAt, now);
        const endedAt = clamp(result.endedAt, startedAt, now);
        const started = current.state === 'DISPATCHED' ? (afterAcceptance(current, startedAt) ?? current) : current;
        const after = afterEnd(
          { ...started, startedAt },
          result,
          now,
          endedAt,
          `worker:${workerId}`,
          errorOf(result),
          result.result,
        );
        if (!after) {
          verdicts.push('late');
          continue;
        }
        if (after.attempt > before.attempt)
          archived.push({ task: before, outcome: result.outcome, startedAt, endedAt, error: after.error });
        changes.set(before.id, { before, after });
        verdicts.push('applied');
      }
      const written = [...changes.values()];
      await this.store.save(tx, written);
      await this.attempts.archive(tx, archived);
      const done = written.filter(({ after }) => after.state === 'SUCCEEDED' && after.checkpointAt !== null);
      await this.progress.forgetCheckpoints(
        tx,
        done.map(({ after }) => after.id),
      );
      return { verdicts, written: await this.consequences.follow(tx, written, now, `worker:${workerId}`) };
    });
    this.announce(written);
    return results.map(({ taskId, lease }, i) => ({ taskId, lease, verdict: verdicts[i] as ResultVerdict }));
  }

  /** DISPATCHED → PENDING for orders a worker definitely did not take; CANCELLED if a cancel was asked for. */
  async refuse(
    tx: Sql,
    refusals: readonly { taskId: string; lease: number; reason: ReasonCode }[],
    actor: string,
  ): Promise<TaskChange[]> {
    const now = this.clock.now();
    const byId = new Map(refusals.map((refusal) => [refusal.taskId, refusal]));
    const changes: TaskChange[] = [];
    for (const before of await this.store.lock(tx, [...byId.keys()])) {
      const refusal = byId.get(before.id);
      if (!refusal || before.lease !== refusal.lease || before.state !== 'DISPATCHED') continue;
      const step = { at: now, actor, worker: before.workerId, attempt: before.attempt };
      const after =
        before.cancelAskedAt !== null
          ? advance(before, 'stopped', { ...step, reason: 'cancel_requested' })
          : advance(before, 'refused', { ...step, reason: refusal.reason });
      if (after) changes.push({ before, after: { ...after, ...NO_ATTEMPT, endedAt: isTerminal(after.state) ? now : null } });
    }
    await this.store.save(tx, changes);
    return this.consequences.follow(tx, changes, now, actor);
  }

  /** Ends attempts that the centre found lost or that did not stop. */
  async end(tx: Sql, attempts: readonly EndedAttempt[], actor: string): Promise<TaskChange[]> {
    const now = this.clock.now();
    const byId = new Map(attempts.map((attempt) => [attempt.taskId, attempt]));
    const changes: TaskChange[] = [];
    const archived: EndedAttemptRow[] = [];
    for (const before of await this.store.lock(tx, [...byId.keys()])) {
      const ended = byId.get(before.id);
      if (!ended || before.lease !== ended.lease || (before.state !== 'DISPATCHED' && before.state !== 'RUNNING')) continue;
      const error = {
        name: 'AttemptLost',
        message: `The attempt on worker ${before.workerId} ended without a result (${ended.end.outcome}).`,
      };
      const after = afterEnd(before, ended.end, now, now, actor, error);
      if (!after) continue;
      if (after.attempt > before.attempt)
        archived.push({ task: before, outcome: 'lost', startedAt: before.startedAt, endedAt: now, error });
      changes.push({ before, after });
    }
    await this.store.save(tx, changes);
    await this.attempts.archive(tx, archived);
    const running = changes.filter(({ after }) => byId.get(after.id)?.end.outcome === 'did_not_stop');
    await this.unstopped.add(
      tx,
      running.map(({ after }) => after),
      Math.round(now),
    );
    return this.consequences.follow(tx, changes, now, actor);
  }

  /**
   * Ends a task whose cancel was asked for and whose worker does not stop it, on the word of a person; or, if it has ended so, frees
   * the place its attempt still takes. The attempt may run on: what depends on the place no longer waits for it.
   */
  async force(id: string, actor: string, also?: AlsoWritten): Promise<TaskRecord | null> {
    const now = this.clock.now();
    const { after, changes, planned } = await this.dialect.transaction(async (tx) => {
      const [before] = await this.store.lock(tx, [id]);
      if (!before) return { after: null, ...NOTHING_RELEASED };
      const step = { at: now, actor, reason: 'did_not_stop' as const, attempt: before.attempt, worker: before.workerId };
      const error = {
        name: 'AttemptAbandoned',
        message: `The attempt on worker ${before.workerId} did not stop; ${actor} gave it up.`,
      };
      const after =
        isTerminal(before.state) || before.cancelAskedAt === null
          ? before.reason === 'did_not_stop' && annotate(before, step)
          : afterEnd(before, { outcome: 'did_not_stop', because: 'cancelled' }, now, now, actor, error);
      if (!after) return { after: null, ...NOTHING_RELEASED };
      const changes = [{ before, after: { ...after, reason: 'did_not_stop' as const } }];
      await this.store.save(tx, changes);
      const jobIds = await this.unstopped.release(tx, [id]);
      await also?.(tx, before, changes[0]?.after as TaskRecord);
      const followed = await this.consequences.follow(tx, changes, now, actor);
      const freed = isTerminal(before.state) ? await this.consequences.freePlaces(tx, jobIds, now, actor) : NOTHING_RELEASED;
      const planned = [...followed.flatMap((change) => change.planned ?? []), ...freed.planned];
      return { after: changes[0]?.after ?? null, changes: [...followed, ...freed.changes], planned };
    });
    this.announce(changes, planned);
    return after;
  }

  /** SCHEDULED and RETRYING → PENDING for those whose time has come. */
  async promote(tx: Sql, ids: readonly string[], actor: string): Promise<TaskChange[]> {
    const now = this.clock.now();
    const changes: TaskChange[] = [];
    for (const before of await this.store.lock(tx, ids)) {
      if (before.dueAt > now) continue;
      const after = advance(before, 'due', { at: now, actor });
      if (after) changes.push({ before, after });
    }
    await this.store.save(tx, changes);
    return changes;
  }

  /**
   * Writes one change somebody decided outside the loops, and in the same transaction what `also` writes; false if the task was
   * written meanwhile. What has ended is told.
   */
  async saveOne(change: TaskChange, actor: string, also?: (tx: Sql) => Promise<void>): Promise<boolean> {
    const { state } = change.after;
    if (!also && (!isTerminal(state) || !this.consequences.concern(change.after))) {
      if ((await this.store.save(this.dialect.root, [change])) === 0) return false;
      if (isTerminal(state)) this.news.ended([change.after.id]);
      this.tell([change]);
      return true;
    }
    const written = await this.dialect.transaction(async (tx) => {
      if ((await this.store.save(tx, [change])) === 0) return [];
      await also?.(tx);
      return this.consequences.follow(tx, [change], this.clock.now(), actor);
    });
    this.announce(written);
    return written.length > 0;
  }

  private readonly endListeners: ((tasks: readonly TaskRecord[]) => void)[] = [];

  /** Called by `announce` with the tasks that ended. A listener must not throw. */
  onEnded(listener: (tasks: readonly TaskRecord[]) => void): void {
    this.endListeners.push(listener);
  }

  /** Tells the nodes what committed changes make possible. Call it after the commit. */
  announce(changes: readonly TaskChange[], planned: readonly JobDue[] = changes.flatMap((change) => change.planned ?? [])): void {
    const ended: TaskRecord[] = [];
    const groups = new Set<number>();
    const due = [];
    const parents: ParentNews[] = [];
    const soon = this.clock.now() + DUE_SOON_MS;
    this.jobNews.planned(planned);
    for (const { after, stops } of changes) {
      if (isTerminal(after.state)) ended.push(after);
      if (stops) parents.push(stops);
      if (after.state === 'PENDING' && hasShards(after)) parents.push(after);
      if ((after.state === 'RETRYING' || after.state === 'SCHEDULED') && after.dueAt < soon)
        due.push({ id: after.id, partition: after.partition, dueAt: after.dueAt });
      groups.add(after.groupId);
    }
    if (groups.size > 0) this.news.work(groups);
    this.news.dueSoon(due);
    this.news.parents([...new Map(parents.map((parent) => [parent.id, parent])).values()]);
    this.news.ended(ended.map(({ id }) => id));
    if (ended.length > 0) for (const listener of this.endListeners) listener(ended);
    this.tell(changes);
  }

  private readonly listeners: ((changes: readonly TaskChange[]) => void)[] = [];

  /**
   * Called on this node after a commit, with what it changed: for figures and for people who watch. Not told are claims, inserts
   * (of what is made SKIPPED, `TaskNews.onSkipped`) and what a process dies over. A listener must be quick and must not throw.
   */
  onChanged(listener: (changes: readonly TaskChange[]) => void): void {
    this.listeners.push(listener);
  }

  private tell(changes: readonly TaskChange[]): void {
    if (changes.length > 0) for (const listener of this.listeners) listener(changes);
  }

  /** A result for an attempt that is no longer the task's: already applied, or too late. */
  private async lateVerdict(
    tx: Sql,
    task: TaskRecord,
    workerId: string,
    result: AttemptResult,
    changes: Map<string, TaskChange>,
    before: TaskRecord,
  ): Promise<ResultVerdict> {
    const attempts = await this.attempts.attemptsOf(tx, task.id);
    const archived = attempts.find((attempt) => attempt.lease === result.lease && attempt.worker_id === workerId);
    const isCurrent = isSameAttempt(task, result.lease, workerId);
    if (archived ? archived.outcome !== 'lost' : isCurrent && !endedByCentre(task)) return 'duplicate';
    if (!archived && !isCurrent) return 'unknown';
    const now = this.clock.now();
    const told = JSON.stringify({ at: now, outcome: result.outcome, error: result.error ?? null });
    const note = `${told.slice(0, -1)},"result":${jsonTextOf(result.result)}}`;
    if (!(await this.attempts.keepLateResult(tx, task.id, result.lease, note))) {
      await this.attempts.archive(tx, [
        { task, outcome: 'lost', startedAt: task.startedAt, endedAt: task.endedAt ?? now, error: task.error },
      ]);
      if (!(await this.attempts.keepLateResult(tx, task.id, result.lease, note))) return 'late';
    }
    const attempt = archived?.attempt ?? task.attempt;
    const after = annotate(task, { at: now, actor: `worker:${workerId}`, reason: 'late_result', worker: workerId, attempt });
    changes.set(task.id, { before, after });
    return 'late';
  }
}
