import type { Json } from './json.js';

/**
 * The worker channel. Instants are integer epoch milliseconds, durations milliseconds. A number field never accepts a string.
 * Unknown fields are ignored by both sides (forward compatible).
 */
export interface HandlerOffer {
  name: string;
  version?: string;
  /** At most this many attempts of the handler at once on this worker. */
  concurrency?: number;
  /** JSON Schema the console may show; not enforced by the centre. */
  paramsSchema?: Json;
}

/**
 * `POST /worker/v1/register`. 403 `insufficient_scope`: the key may not serve a group. 409 `worker_id_in_use`: another incarnation is
 * registered and its process still answers `GET /health`, or the id belongs to another key; try again later or with another id.
 * The same incarnation may register again at any time.
 */
export interface RegisterRequest {
  workerId: string;
  /** One life of the process; a later life sorts after an earlier one (26 Crockford base32 characters of a UUIDv7). */
  incarnation: string;
  groups: string[];
  /** Where the centre reaches this worker, best first. */
  urls: string[];
  handlers: HandlerOffer[];
  slots: number | Record<string, number>;
  weight?: number;
  tags?: string[];
  zone?: string;
  sdk: string;
  /** Results of earlier lives that were never acknowledged; applied before anything of theirs is recovered. */
  unreported: AttemptResult[];
}
export interface RegisterAnswer {
  heartbeatMs: number;
  leaseMs: number;
  serverTime: number;
  /** Highest epoch the centre knows of each partition, by number. */
  epochs: Record<string, number>;
  acks: ResultAck[];
}

export type AttemptPhase = 'queued' | 'running' | 'reporting';
export interface AttemptReport {
  taskId: string;
  lease: number;
  phase: AttemptPhase;
  /** 0 to 1. */
  progress?: number;
  checkpoint?: Json;
}
/**
 * `POST /worker/v1/heartbeat`. 400 `validation_failed` names the field; the worker stays online. 404 `not_found`: the centre has no
 * such worker of this key, register again. 409 `worker_id_in_use`: another incarnation is registered in its place; registering again
 * is answered like any registration, so two live processes never take the id from each other.
 */
export interface HeartbeatRequest {
  workerId: string;
  incarnation: string;
  /** Counts this incarnation's reports of its figures, in beats and in answers to orders alike. */
  seq: number;
  sentAt: number;
  state: 'ready' | 'draining';
  active: number;
  queued: number;
  /** 0 while the handlers keep the worker from reading orders. */
  freeSlots: number;
  /** As in WorkerFigures. */
  full?: string[];
  avgCostMs: number;
  cpuIdlePercent: number;
  memory?: number;
  attempts: AttemptReport[];
}
export interface HeartbeatAnswer {
  serverTime: number;
  leaseMs: number;
  epochs: Record<string, number>;
  cancel: CancelOrder[];
  /** Attempts the centre no longer counts: stop and forget them. */
  abandon: { taskId: string; lease: number }[];
}

export interface TaskOrder {
  taskId: string;
  lease: number;
  attempt: number;
  handler: string;
  params: Json;
  /** The group of the task: a worker with slots per group holds to them by it. */
  group?: string;
  /** `share` is this shard's part of 0..1 when the parts are not equal (one shard per worker, by weight). */
  shard?: { index: number; total: number; share?: { from: number; to: number } };
  priority: number;
  timeoutMs: number;
  scheduledAt: number;
  idempotencyKey: string;
  checkpoint?: Json;
  traceparent: string;
}
export interface RunRequest {
  partition: number;
  epoch: number;
  workerId: string;
  incarnation: string;
  tasks: TaskOrder[];
}
export const ORDER_OUTCOMES = [
  'accepted',
  'duplicate',
  'busy',
  'draining',
  'no_lease',
  'unknown_handler',
  'stale_epoch',
  'stale_incarnation',
] as const;
export type OrderOutcome = (typeof ORDER_OUTCOMES)[number];
export interface OrderAnswer {
  taskId: string;
  lease: number;
  outcome: OrderOutcome;
  seenEpoch?: number;
}
/** A worker's own count at one moment; the one with the highest `seq` is the truth about an incarnation. */
export interface WorkerFigures {
  seq: number;
  active: number;
  queued: number;
  /** How many more orders it takes right now. */
  freeSlots: number;
  /** Handlers of which it takes none right now although it has free slots: their pool or their own limit is full. */
  full?: string[];
}
export interface RunAnswer extends WorkerFigures {
  results: OrderAnswer[];
}

export type CancelReason = 'cancelled' | 'timed_out' | 'replaced' | 'lease_lost' | 'draining';
export interface CancelOrder {
  taskId: string;
  lease: number;
  reason: CancelReason;
}
export interface CancelRequest {
  tasks: CancelOrder[];
}
export interface CancelAnswer {
  results: { taskId: string; lease: number; outcome: 'stopping' | 'unknown' | 'finished' }[];
}

export interface HealthAnswer {
  workerId: string;
  incarnation: string;
  state: 'ready' | 'draining';
  attempts: { taskId: string; lease: number; phase: AttemptPhase }[];
}

export const RESULT_OUTCOMES = ['succeeded', 'failed', 'timed_out', 'cancelled', 'drained'] as const;
export type ResultOutcome = (typeof RESULT_OUTCOMES)[number];
export interface ReportedError {
  name: string;
  message: string;
  stack?: string;
  /** false: do not retry, whatever the policy says. */
  retryable?: boolean;
  retryAfterMs?: number;
}
export interface AttemptResult {
  taskId: string;
  lease: number;
  outcome: ResultOutcome;
  result?: Json;
  error?: ReportedError;
  startedAt: number;
  endedAt: number;
}
export interface ResultsRequest {
  workerId: string;
  incarnation: string;
  results: AttemptResult[];
  /** Fresh figures, so that freed slots are known without waiting for a beat. */
  figures?: WorkerFigures;
}
export type ResultVerdict = 'applied' | 'duplicate' | 'late' | 'unknown';
export interface ResultAck {
  taskId: string;
  lease: number;
  verdict: ResultVerdict;
}
export interface ResultsAnswer {
  acks: ResultAck[];
}

export interface DeregisterRequest {
  workerId: string;
  incarnation: string;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** One line a handler wrote. `(taskId, attempt, seq)` names it: sent twice, it is kept once. */
export interface LogLine {
  taskId: string;
  lease: number;
  attempt: number;
  /** Counts the lines of this attempt from 1, without gaps. */
  seq: number;
  at: number;
  level: LogLevel;
  message: string;
  fields?: { [name: string]: Json };
}
/** `POST /worker/v1/logs`: lines of any attempts, ascending `seq` per attempt. */
export interface LogsRequest {
  workerId: string;
  incarnation: string;
  lines: LogLine[];
}
/** Attempts whose lines are not kept: nobody's, or over `LIMITS.attemptLogBytes`. Everything else was kept; never send it again. */
export interface LogsAnswer {
  refused: { taskId: string; lease: number; reason: 'unknown' | 'too_much' }[];
}
