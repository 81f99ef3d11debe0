import type { TaskState } from '@evenkeel/sdk/contract';
import type { Instant } from './page.js';

export type WorkerStateName = 'online' | 'suspect' | 'draining' | 'drained' | 'cordoned' | 'offline' | 'suspended';
export interface WorkerSummary {
  id: string;
  incarnation: string;
  state: WorkerStateName;
  /** An operator asked for it; it outlives a restart of the worker. */
  drainAsked: boolean;
  /** Kept from new orders until that is lifted, over restarts of the worker; what it has goes on. */
  cordoned: boolean;
  suspendedFor: string | null;
  /** Those the caller may see, and how many more it serves. */
  groups: string[];
  hiddenGroups: number;
  handlers: string[];
  /** For all groups together, or by group; together too where some groups are hidden. */
  slots: number | Record<string, number>;
  zone: string | null;
  tags: string[];
  sdk: string;
  active: number;
  queued: number;
  freeSlots: number;
  /** Orders sent and not answered yet. */
  inFlight: number;
  avgCostMs: number;
  cpuIdlePercent: number;
  memoryBytes: number | null;
  clockSkewMs: number | null;
  registeredAt: Instant;
  lastBeatAt: Instant;
  /** By the equal_cost formula among the workers of its first group; null while it takes no orders. */
  load: number | null;
}
export interface WorkerList {
  items: WorkerSummary[];
}
export interface WorkerDetail extends WorkerSummary {
  urls: string[];
  /** Null while no drain is asked for, and for one without details. */
  drain: { reason: string | null; by: string | null; at: Instant; deadlineAt: Instant | null } | null;
  cordon: { reason: string | null; by: string | null; at: Instant } | null;
  lastRefusedBeat: { at: Instant; errors: { pointer: string; code: string; message: string }[] } | null;
  permissions: string[];
}
/** Body of `POST /api/workers/{id}/drain`. What still runs at `deadlineAt` is stopped and given to others. */
export interface DrainWorker {
  reason?: string;
  deadlineAt?: Instant;
}
/** Answer of `POST /api/workers/{id}/drain` and `/cordon`. `warnings`: due work that no other worker takes. */
export interface DrainedWorker extends WorkerDetail {
  warnings: { group: string; handlers: string[] }[];
}
/** Terms of the score; `load` is their sum. */
export interface LoadTerms {
  /** Reported running, + ordered since that report, − answered since. */
  active: number;
  queued: number;
  /** Points each attempt weighs here: 10, scaled by the mean slots over this worker's, more while it warms up. */
  attemptPoints: number;
  /** (active + queued) · attemptPoints */
  attempts: number;
  /** min(avgCostMs / 1000, 100) */
  cost: number;
  /** (100 − cpuIdlePercent) / 10 */
  cpu: number;
  load: number;
  avgCostMs: number;
  cpuIdlePercent: number;
  slots: number;
  meanSlots: number;
  warmth: number;
  available: number;
}
/** Answer of `GET /api/workers/{id}/load?group=`. */
export interface WorkerLoad {
  group: string;
  formula: string;
  worker: { id: string; terms: LoadTerms } | null;
  /** Every worker of the group that takes orders, this one included, smallest load first. */
  candidates: { id: string; terms: LoadTerms }[];
  imbalance: { meanLoad: number; maxMinusMin: number; variation: number };
  verdict: { code: 'balanced' | 'above_mean' | 'below_mean' | 'alone' | 'not_eligible'; percentOfMean: number | null };
  /**
   * Attempts of all workers of the group that take orders, over their slots: now, and if this one took no more and its attempts ran
   * elsewhere. `fullnessThen` is null if nobody would be left. Null for a worker that takes no orders now.
   */
  ifDrained: { busy: number; slots: number; slotsLeft: number; fullness: number; fullnessThen: number | null } | null;
}
/** What of one job, or of tasks of one handler that belong to none, a worker has now. */
export interface WorkerWork {
  group: string;
  job: { id: string; key: string } | null;
  handler: string;
  count: number;
}
/** Answer of `GET /api/workers/{id}/work`, most first; of ten thousand attempts at most. */
export interface WorkerWorkList {
  items: WorkerWork[];
}
/** Answer of `GET /api/workers/{id}/history`: a day of its load in spans of five minutes. Spans without a sample are absent. */
export interface WorkerHistory {
  from: Instant;
  to: Instant;
  spanMs: number;
  /** `load`: mean of samples every fifteen seconds while it took orders; `active`: the most it had at once. */
  spans: { at: Instant; load: number | null; loadMost: number | null; active: number }[];
}
/** Answer of `GET /api/workers/{id}/lost`: attempts that were recovered from it, newest first, and where their tasks are now. */
export interface LostAttempts {
  items: {
    taskId: string;
    handler: string | null;
    group: string | null;
    lostAt: Instant;
    /** Null: the task is not kept any more. */
    state: TaskState | null;
    /** Who has or had it since; null while nobody. */
    worker: string | null;
  }[];
}
/** Answer of `GET /api/groups/{key}/balance`. */
export interface GroupBalance {
  group: string;
  /** Who takes orders of it, smallest load first. */
  workers: { id: string; load: number; percentOfMean: number }[];
  imbalance: WorkerLoad['imbalance'];
  /** `worker` stands out, by that much of the mean: above it if positive. */
  verdict: {
    code: 'balanced' | 'uneven' | 'alone' | 'no_worker';
    worker: string | null;
    percentFromMean: number | null;
  };
  /** What that worker has most of, if it stands above. */
  work: WorkerWork | null;
}
