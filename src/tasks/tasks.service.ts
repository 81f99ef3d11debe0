import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { firstIdAt } from '../platform/ids.js';
import { SqlDialect } from '../ports.js';
import { advance } from './advance.js';
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
    private readonly submissions: SubmissionsService,
    private readonly clock: Clock,
    private readonly news: TaskNews,
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
    return (await this.store.attemptsOf(this.dialect.root, id)).map(attemptOf);
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
  async requestCancel(appId: number, id: string, actor: string): Promise<CancelOutcome> {
    for (let attempt = 0; attempt < CANCEL_TRIES; attempt++) {
      const before = await this.find(appId, id);
      if (!before) return { outcome: 'not_found' };
      if (before.state === 'CANCELLED') return { outcome: 'cancelled', task: before };
      if (isTerminal(before.state)) return { outcome: 'already_terminal', state: before.state };
      const inFlight = before.state === 'DISPATCHED' || before.state === 'RUNNING';
      if (inFlight && before.cancelAskedAt !== null) return { outcome: 'requested', task: before };
      const now = this.clock.now();
      const step = { at: now, actor, reason: inFlight ? 'cancel_requested' : 'cancelled_by_partner' } as const;
      const moved = advance(before, inFlight ? 'cancel_requested' : 'cancelled', step);
      if (!moved) continue;
      const after: TaskRecord = inFlight ? { ...moved, cancelAskedAt: now } : { ...moved, endedAt: now, cancelAskedAt: now };
      if ((await this.store.save(this.dialect.root, [{ before, after }])) === 0) continue;
      if (inFlight) for (const listener of this.cancelListeners) listener(after);
      else this.news.ended([id]);
      return { outcome: inFlight ? 'requested' : 'cancelled', task: after };
    }
    const task = await this.find(appId, id);
    return task ? { outcome: 'requested', task } : { outcome: 'not_found' };
  }

  private readonly cancelListeners: ((task: TaskRecord) => void)[] = [];

  /** Called after a cancel of a possibly running attempt was recorded; the beat and the recovery loop tell the worker too. */
  onCancelAsked(listener: (task: TaskRecord) => void): void {
    this.cancelListeners.push(listener);
  }
}
