import { isTerminal, type ReasonCode, type ShardProgress, type ShardsResult } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { resultTextOf } from '../decisions/params-text.js';
import { type ShardCounts, shardProgress } from '../decisions/shards.js';
import { Clock } from '../platform/clock.js';
import { firstIdAt } from '../platform/ids.js';
import { SqlDialect } from '../ports.js';
import { advance } from './advance.js';
import { AttemptStore } from './attempt.store.js';
import { DependentSubmissions } from './dependent-submissions.js';
import { EndWatch } from './end-watch.js';
import { KEY_PATIENCE_MS } from './key-watch.js';
import { LifecycleService } from './lifecycle.service.js';
import { RetriesService } from './retries.service.js';
import { ShardStore } from './shard.store.js';
import { ShardStops } from './shard-stops.js';
import { objectOf } from './stored-json.js';
import { SubmissionsService } from './submissions.service.js';
import {
  type AlsoWritten,
  type AttemptRecord,
  type CancelOutcome,
  type ForceOutcome,
  hasShards,
  type LateResult,
  type NewTask,
  type RetryOutcome,
  type SubmitOutcome,
  type TaskFilter,
  type TaskRecord,
} from './task.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';
import { attemptOf } from './task-row.js';

const CANCEL_TRIES = 5;
/** A worker that was told to stop a task is given this long before anybody may give the attempt up. */
export const FORCE_AFTER_MS = 5_000;

/** What partners and operators do with tasks: submit, look, wait, cancel. */
@Injectable()
export class TasksService {
  private readonly ends: EndWatch;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly attempts: AttemptStore,
    private readonly submissions: SubmissionsService,
    private readonly clock: Clock,
    private readonly news: TaskNews,
    private readonly lifecycle: LifecycleService,
    private readonly dependents: DependentSubmissions,
    private readonly retries: RetriesService,
    private readonly shards: ShardStore,
    private readonly shardStops: ShardStops,
  ) {
    this.ends = new EndWatch(store, dialect.root);
  }

  /**
   * Outcomes in the order of the tasks, each given after its commit. One whose clientRequestId another transaction is writing is given
   * `keyPatienceMs` for that to end.
   */
  async submit(tasks: readonly NewTask[], keyPatienceMs = KEY_PATIENCE_MS): Promise<SubmitOutcome[]> {
    const dependent = tasks.filter(isDependent);
    if (dependent.length === 0) return this.submissions.submit(tasks, keyPatienceMs);
    const free = tasks.filter((task) => !isDependent(task));
    const [ofFree, ofDependent] = await Promise.all([
      this.submissions.submit(free, keyPatienceMs),
      this.dependents.submit(dependent, keyPatienceMs),
    ]);
    return tasks.map((task) => (isDependent(task) ? ofDependent.shift() : ofFree.shift()) as SubmitOutcome);
  }

  /** Another attempt of a task that ended without success. `appId` says whose it must be; null for an operator. */
  retry(appId: number | null, id: string, actor: string, also?: AlsoWritten): Promise<RetryOutcome> {
    return this.retries.retry(appId, id, actor, also);
  }

  /** The app's task; another app's is as absent as one that never was. */
  async find(appId: number, id: string): Promise<TaskRecord | null> {
    const task = await this.store.find(this.dialect.root, id);
    return task && task.appId === appId ? task : null;
  }

  /** Those of these ids that tasks of the app bear already. */
  async knownRequestIds(appId: number, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (requestIds.length === 0) return new Set();
    const rows = await this.store.withRequestIds(this.dialect.root, appId, requestIds);
    return new Set(rows.map((row) => row.client_request_id as string));
  }

  async attemptsOf(id: string): Promise<AttemptRecord[]> {
    return (await this.attempts.attemptsOf(this.dialect.root, id)).map(attemptOf);
  }

  /** Those that can be read. */
  async lateResultsOf(id: string): Promise<LateResult[]> {
    const rows = await this.attempts.lateResultsOf(this.dialect.root, id);
    return rows.flatMap(({ attempt, late_json }) => {
      const kept = objectOf<Omit<LateResult, 'attempt' | 'result'>>(late_json);
      if (!kept) return [];
      const { at, outcome, error } = kept;
      return [{ attempt, at, outcome, error, result: resultTextOf(late_json) ?? null }];
    });
  }

  /** Newest first. */
  list(filter: TaskFilter): Promise<TaskRecord[]> {
    const from = filter.createdAfter === undefined ? null : firstIdAt('task', filter.createdAfter);
    const to = filter.createdBefore === undefined ? null : firstIdAt('task', filter.createdBefore);
    return this.store.list(this.dialect.root, filter, from, to);
  }

  /** Resolves when the task has ended, the time is over or the caller has gone; holds a timer and nothing else meanwhile. */
  async waitForEnd(id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const watch = this.ends.watch(id);
    let unsubscribe: () => void = () => {};
    let timer: NodeJS.Timeout | undefined;
    let leave: () => void = () => {};
    try {
      const left = new Promise<void>((resolve) => {
        leave = resolve;
        if (signal.aborted) resolve();
        unsubscribe = this.news.onEnd(id, resolve);
        timer = setTimeout(resolve, timeoutMs);
        signal.addEventListener('abort', leave);
      });
      await Promise.race([watch.ended, left]);
    } finally {
      watch.forget();
      unsubscribe();
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  /**
   * Cancels at once what no worker can be running; asks for it otherwise (`onAsked` listeners tell the worker). Racing a result
   * ends in exactly one terminal state: both are conditional on the version.
   */
  requestCancel(appId: number, id: string, actor: string): Promise<CancelOutcome> {
    return this.cancel(() => this.find(appId, id), actor, 'cancelled_by_partner');
  }

  /** The same for a task that a newer one of its job replaces. */
  cancelReplaced(id: string, actor: string): Promise<CancelOutcome> {
    return this.cancel(() => this.store.find(this.dialect.root, id), actor, 'replaced');
  }

  /** The same for an operator, whosever the task is; `also` is written with it. */
  cancelByOperator(id: string, actor: string, also: AlsoWritten): Promise<CancelOutcome> {
    return this.cancel(() => this.store.find(this.dialect.root, id), actor, 'cancelled_by_operator', also);
  }

  /** Whosever it is. */
  look(id: string): Promise<TaskRecord | null> {
    return this.store.find(this.dialect.root, id);
  }

  /**
   * For a task that was cancelled and does not stop: it ends CANCELLED `did_not_stop` although a worker still names it, and nothing
   * waits for that attempt any longer. Only once the worker had a moment to stop it. The timeline tells who forced it.
   */
  async forceCancel(id: string, actor: string, also?: AlsoWritten): Promise<ForceOutcome> {
    const task = await this.store.find(this.dialect.root, id);
    if (!task) return { outcome: 'not_found' };
    if (isTerminal(task.state) && task.reason !== 'did_not_stop') return { outcome: 'already_terminal', state: task.state };
    if (task.cancelAskedAt === null && !isTerminal(task.state)) return { outcome: 'not_asked' };
    const waitMs = isTerminal(task.state) ? 0 : (task.cancelAskedAt ?? 0) + FORCE_AFTER_MS - this.clock.now();
    if (waitMs > 0) return { outcome: 'too_early', waitMs };
    const after = await this.lifecycle.force(id, actor, also);
    if (after) return { outcome: 'forced', task: after };
    const now = await this.store.find(this.dialect.root, id);
    return now && isTerminal(now.state) ? { outcome: 'already_terminal', state: now.state } : { outcome: 'not_asked' };
  }

  private async cancel(
    find: () => Promise<TaskRecord | null>,
    actor: string,
    reason: ReasonCode,
    also?: AlsoWritten,
  ): Promise<CancelOutcome> {
    for (let attempt = 0; attempt < CANCEL_TRIES; attempt++) {
      const before = await find();
      if (!before) return { outcome: 'not_found' };
      if (before.state === 'CANCELLED') return { outcome: 'cancelled', task: before };
      if (isTerminal(before.state)) return { outcome: 'already_terminal', state: before.state };
      const inFlight = before.state === 'DISPATCHED' || before.state === 'RUNNING';
      if (inFlight && before.cancelAskedAt !== null) return { outcome: 'requested', task: before };
      const now = this.clock.now();
      const asked = reason === 'replaced' ? reason : 'cancel_requested';
      const step = { at: now, actor, reason: inFlight ? asked : reason };
      const moved = advance(before, inFlight ? 'cancel_requested' : 'cancelled', step);
      if (!moved) continue;
      const after: TaskRecord = inFlight ? { ...moved, cancelAskedAt: now } : { ...moved, endedAt: now, cancelAskedAt: now };
      if (!(await this.lifecycle.saveOne({ before, after }, actor, also && ((tx) => also(tx, before, after))))) continue;
      if (inFlight && hasShards(after)) return this.cancelShards(after, actor);
      if (inFlight) for (const listener of this.cancelListeners) listener(after);
      return { outcome: inFlight ? 'requested' : 'cancelled', task: after };
    }
    const task = await find();
    return task ? { outcome: 'requested', task } : { outcome: 'not_found' };
  }

  /** Cancels the shards no worker runs and asks the others to stop; their parent ends with the last of them. */
  async stopShards(parentId: string, reason: ReasonCode, actor: string): Promise<void> {
    for (const shard of await this.shardStops.stop(parentId, reason, actor))
      for (const listener of this.cancelListeners) listener(shard);
  }

  private async cancelShards(asked: TaskRecord, actor: string): Promise<CancelOutcome> {
    await this.stopShards(asked.id, 'cancel_requested', actor);
    const task = await this.store.find(this.dialect.root, asked.id);
    return { outcome: task?.state === 'CANCELLED' ? 'cancelled' : 'requested', task: task ?? asked };
  }

  /** How far the shards of each are, by id; tasks without shards are left out. */
  async shardProgressOf(tasks: readonly Divided[]): Promise<Map<string, ShardProgress>> {
    const parents = tasks.filter(hasShards);
    const going = parents.filter(({ state }) => !isTerminal(state)).map(({ id }) => id);
    const counted = going.length > 0 ? await this.shards.countsOf(this.dialect.root, going) : new Map<string, ShardCounts>();
    return new Map(
      parents.map((task) => [task.id, shardProgress(task.state, task.shardTotal ?? 0, counted.get(task.id) ?? countsIn(task))]),
    );
  }

  /** Called after the commit with tasks that ended, of those this node wrote the end of. A listener must not throw. */
  onEnded(listener: (tasks: readonly TaskRecord[]) => void): void {
    this.lifecycle.onEnded(listener);
  }

  private readonly cancelListeners: ((task: TaskRecord) => void)[] = [];

  /** Called after a cancel of a possibly running attempt was recorded; the beat and the recovery loop tell the worker too. */
  onCancelAsked(listener: (task: TaskRecord) => void): void {
    this.cancelListeners.push(listener);
  }
}

/** What the progress of shards is told from. */
export type Divided = Pick<TaskRecord, 'id' | 'state' | 'parentId' | 'shardTotal' | 'result'>;
const isDependent = ({ dependsOn }: NewTask): boolean => dependsOn !== undefined && dependsOn.length > 0;
/** A divided task that has ended says in its result how its shards did. */
function countsIn({ result }: Divided): ShardCounts {
  if (result === null) return {};
  const { succeeded, failed, timedOut, cancelled } = JSON.parse(result) as ShardsResult;
  return { SUCCEEDED: succeeded, FAILED: failed, TIMED_OUT: timedOut, CANCELLED: cancelled };
}
