import type { AttemptView, ReasonCode, TaskError, TaskState, TimelineEntry } from '@evenkeel/sdk/contract';
import type { CheckName } from '../../decisions/explain-task.js';
import type { CappedCount, Instant, Page } from './page.js';

export type TriggerName = 'schedule' | 'manual' | 'api';
export interface TaskSummary {
  id: string;
  state: TaskState;
  /** Due and not started for more than five seconds. */
  late: boolean;
  group: string;
  handler: string;
  job: { id: string; key: string | null } | null;
  app: { id: string; name: string } | null;
  clientRequestId: string | null;
  trigger: TriggerName;
  priority: number;
  createdAt: Instant;
  scheduledAt: Instant;
  dueAt: Instant;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  attempt: number;
  worker: string | null;
  reason: ReasonCode | null;
  cancelRequested: boolean;
  error: TaskError | null;
  version: number;
}
/** `searchedTo`: the search stopped there to stay quick; go on with `nextCursor`. */
export interface ConsoleTaskList extends Page<TaskSummary> {
  searchedTo: Instant | null;
}
/** Answer of `GET /api/tasks/counts`: by state, obeying every filter but `state`. `capped`: of the newest ones only. */
export interface TaskCounts {
  states: Record<TaskState, number>;
  capped: boolean;
  /** Of the states asked for. */
  total: CappedCount;
}
export interface TaskDetail extends TaskSummary {
  timeoutMs: number;
  /** JSON exactly as it is stored. */
  paramsText: string;
  /** null: there is none (yet). */
  resultText: string | null;
  metadata: Record<string, string>;
  timeline: TimelineEntry[];
  /** Oldest first; the last one is the current one. */
  attempts: AttemptView[];
  retries: number;
  crashes: number;
  actor: string | null;
  permissions: string[];
}
/** Body of `POST /api/tasks/{id}/cancel` and `…/retry`; answers TaskDetail. 202: its worker was asked to stop. */
export interface TaskAction {
  reason?: string;
}

export type { CheckName };
export interface ExplainCheck {
  check: CheckName;
  /** `passed` does not hold it up; `blocks` does; `unknown` could not be told; `not_applicable`. */
  result: 'passed' | 'blocks' | 'unknown' | 'not_applicable';
  reason: ReasonCode | null;
  /** Numbers and names behind the result, by check: see docs/admin-api.md. */
  evidence: Record<string, string | number | boolean | null>;
}
/** Answer of `GET /api/tasks/{id}/explain`. */
export interface TaskExplanation {
  taskId: string;
  state: TaskState;
  at: Instant;
  checks: ExplainCheck[];
  verdict: {
    /** `nothing_to_do`: it runs, or ended well. */
    kind: 'resolves_itself' | 'needs_you' | 'nothing_to_do';
    check: CheckName | null;
    reason: ReasonCode | null;
  };
  /** online → serves the group → has the handler → not draining → free room. */
  funnel: { online: number; group: number; handler: number; accepting: number; free: number };
  /** For a task that runs or ran: who could have had it, with the figures of now. */
  candidates: { worker: string; load: number; chosen: boolean }[];
}
