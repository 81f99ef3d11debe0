import { isTerminal, type ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { firstIdAt } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { advance } from './advance.js';
import { AttemptStore } from './attempt.store.js';
import { LifecycleService } from './lifecycle.service.js';
import { SubmissionsService } from './submissions.service.js';
import type { AttemptRecord, CancelOutcome, NewTask, SubmitOutcome, TaskFilter, TaskRecord } from './task.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';
import { attemptOf } from './task-row.js';

const POLL_MS = 2_000;
const CANCEL_TRIES = 5;

/** What partners and operators do with tasks: submit, look, wait, cancel. */
@Injectable()
export class TasksService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly attempts: AttemptStore,
    private readonly submissions: SubmissionsService,
    private readonly clock: Clock,
    private readonly news: TaskNews,
    private readonly lifecycle: LifecycleService,
  ) {}

  /** Outcomes in the order of the tasks, each given after its commit. */
  submit(tasks: readonly NewTask[]): Promise<SubmitOutcome[]> {
    return this.submissions.submit(tasks);
  }

  /** The app's task; another app's is as absent as one that never was. */
  async find(appId: number, id: string): Promise<TaskRecord | null> {
    const task = await this.store.find(this.dialect.root, id);
    return task && task.appId === appId ? task : null;
  }

  async attemptsOf(id: string): Promise<AttemptRecord[]> {
    return (await this.attempts.attemptsOf(this.dialect.root, id)).map(attemptOf);
  }

  /** Newest first. */
  list(filter: TaskFilter): Promise<TaskRecord[]> {
    const from = filter.createdAfter === undefined ? null : firstIdAt('task', filter.createdAfter);
    const to = filter.createdBefore === undefined ? null : firstIdAt('task', filter.createdBefore);
    return this.store.list(this.dialect.root, filter, from, to);
  }

  /** Resolves when the task has ended, the time is over or the caller has gone; holds a timer and nothing else meanwhile. */
  async waitForEnd(id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const deadline = this.clock.monotonic() + timeoutMs;
    let wake: () => void = () => {};
    let told = false;
    const unsubscribe = this.news.onEnd(id, () => {
      told = true;
      wake();
    });
    const abort = () => wake();
    signal.addEventListener('abort', abort);
    try {
      for (;;) {
        const task = await this.store.find(this.dialect.root, id);
        const left = deadline - this.clock.monotonic();
        if (!task || isTerminal(task.state) || left <= 0 || signal.aborted || told) return;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(POLL_MS, left));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', abort);
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
  cancelByOperator(
    id: string,
    actor: string,
    also: (tx: Sql, before: TaskRecord, after: TaskRecord) => Promise<void>,
  ): Promise<CancelOutcome> {
    return this.cancel(() => this.store.find(this.dialect.root, id), actor, 'cancelled_by_operator', also);
  }

  /** Whosever it is. */
  look(id: string): Promise<TaskRecord | null> {
    return this.store.find(this.dialect.root, id);
  }

  private async cancel(
    find: () => Promise<TaskRecord | null>,
    actor: string,
    reason: ReasonCode,
    also?: (tx: Sql, before: TaskRecord, after: TaskRecord) => Promise<void>,
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
      if (inFlight) for (const listener of this.cancelListeners) listener(after);
      return { outcome: inFlight ? 'requested' : 'cancelled', task: after };
    }
    const task = await find();
    return task ? { outcome: 'requested', task } : { outcome: 'not_found' };
  }

  private readonly cancelListeners: ((task: TaskRecord) => void)[] = [];

  /** Called after a cancel of a possibly running attempt was recorded; the beat and the recovery loop tell the worker too. */
  onCancelAsked(listener: (task: TaskRecord) => void): void {
    this.cancelListeners.push(listener);
  }
}
