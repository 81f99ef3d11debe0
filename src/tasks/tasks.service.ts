import type { ReasonCode } from '@evenkeel/sdk/contract';
import type { AttemptRecord, CancelOutcome, NewTask, SubmitOutcome, TaskFilter, TaskRecord } from './task.js';

/** The record of tasks, as its callers see it. */
export abstract class TasksService {
  /** Resolves after the commit, one outcome per task in order. */
  abstract submit(tasks: NewTask[]): Promise<SubmitOutcome[]>;
  abstract find(appId: number, id: string): Promise<TaskRecord | null>;
  abstract attemptsOf(id: string): Promise<AttemptRecord[]>;
  /** Newest first. */
  abstract list(filter: TaskFilter): Promise<TaskRecord[]>;
  /** Resolves when the task has ended, the time is over or the signal fires. */
  abstract waitForEnd(id: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
  abstract requestCancel(appId: number, id: string, actor: string): Promise<CancelOutcome>;
  abstract waitingReason(task: TaskRecord): ReasonCode | null;
}
