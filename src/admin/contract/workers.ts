import type { Instant } from './page.js';

export type WorkerStateName = 'online' | 'suspect' | 'draining' | 'drained' | 'offline' | 'suspended';
export interface WorkerSummary {
  id: string;
  incarnation: string;
  state: WorkerStateName;
  /** An operator asked for it; it outlives a restart of the worker. */
  drainAsked: boolean;
  suspendedFor: string | null;
  groups: string[];
  handlers: string[];
  /** For all groups together, or by group. */
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
  lastRefusedBeat: { at: Instant; errors: { pointer: string; message: string }[] } | null;
  permissions: string[];
}
/** Body of `POST /api/workers/{id}/drain`. What still runs at `deadlineAt` is stopped and given to others. */
export interface DrainWorker {
  reason?: string;
  deadlineAt?: Instant;
}
/** Answer of it. `warnings`: due work that no other worker takes. */
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
}
