import type { FieldError, HandlerOffer, RegisterRequest, WorkerFigures } from '@evenkeel/sdk/contract';

export const BEAT_MS = 5000;
/** Three beats missed: no new orders. The worker fences itself no later than this. */
export const SUSPECT_AFTER_MS = 3 * BEAT_MS;

/** What a worker stated when it registered, and what the centre decided about this incarnation since. */
export interface WorkerOffer {
  groups: string[];
  urls: string[];
  handlers: HandlerOffer[];
  slots: number | Record<string, number>;
  weight?: number;
  tags?: string[];
  zone?: string;
  sdk: string;
  /** Set when an order showed that this incarnation cannot be used; a new registration lifts it. */
  suspended?: { reason: string; at: number };
}

/** The figures of the last beat and of later answers to orders. */
export interface ReportedFigures extends WorkerFigures {
  /** `seq` of the last beat; −1 before the first. */
  beatSeq: number;
  avgCostMs: number;
  cpuIdlePercent: number;
  memory?: number;
  /** The worker's clock minus the centre's at the last beat, travel time included. */
  skewMs?: number;
}

/** The last beat whose fields broke a rule. */
export interface RefusedBeat {
  at: number;
  /** `code`: of a field or, if the beat could not be read, of the problem. */
  errors: readonly (Pick<FieldError, 'pointer' | 'message'> & { code: string })[];
}

/** Somebody asked for a drain. Instants are epoch milliseconds. */
export interface Drain {
  reason: string | null;
  by: string | null;
  at: number;
  /** What still runs then is stopped and given to others; null for never. */
  deadlineAt: number | null;
}

/** Somebody set it aside: no new orders, and what it has goes on. The worker itself is not told. `at`: epoch milliseconds. */
export interface Cordon {
  reason: string | null;
  by: string | null;
  at: number;
}

/** `gone`: it said good-bye. `offline`: declared lost, and back as soon as it beats again. */
export type StoredState = 'ready' | 'draining' | 'offline' | 'gone';

/** A row of `workers`. Instants are epoch milliseconds by the database's clock. */
export interface StoredWorker {
  workerId: string;
  incarnation: string;
  accessKey: string;
  offer: WorkerOffer;
  state: StoredState;
  drainAsked: boolean;
  /** Why and by whom; null while no drain is asked for, and for one asked for by a node of an earlier version. */
  drain: Drain | null;
  cordon: Cordon | null;
  figures: ReportedFigures;
  lastRefused: RefusedBeat | null;
  registeredAt: number;
  lastBeatAt: number;
  changedAt: number;
}

/** `suspect`: three beats missed; gets no orders until it is heard again. */
export type WorkerState = 'online' | 'suspect' | 'offline';

/** One worker as this node knows it at this moment. The object follows the worker until another incarnation replaces it. */
export interface WorkerView {
  readonly workerId: string;
  readonly incarnation: string;
  readonly accessKey: string;
  readonly offer: Readonly<WorkerOffer>;
  readonly state: WorkerState;
  /** It said so itself, or an operator asked for it. */
  readonly draining: boolean;
  readonly drainAsked: boolean;
  readonly drain: Drain | null;
  /** How long this node has known it to drain, in milliseconds; null while it does not. */
  readonly drainingForMs: number | null;
  readonly cordon: Cordon | null;
  /** Online, and nothing keeps orders from it but perhaps its room. */
  readonly takesOrders: boolean;
  readonly suspended: { reason: string; at: number } | null;
  readonly figures: Readonly<ReportedFigures>;
  /** Orders sent and not yet answered, from all nodes. */
  readonly inFlight: number;
  readonly lastRefused: RefusedBeat | null;
  readonly registeredAt: number;
  readonly lastBeatAt: number;
}

/** What a worker is for the people who look at it: its state, and what it was told to do. */
export type ShownWorkerState = WorkerState | 'draining' | 'drained' | 'cordoned' | 'suspended';

export function shownStateOf({ state, draining, suspended, cordon, figures, inFlight }: WorkerView): ShownWorkerState {
  if (state !== 'online') return state;
  if (suspended) return 'suspended';
  if (!draining) return cordon ? 'cordoned' : 'online';
  return figures.active + figures.queued + inFlight === 0 ? 'drained' : 'draining';
}

export type WorkerChangeKind = 'registered' | 'superseded' | 'offline' | 'free' | 'online' | 'draining';
export interface WorkerChange {
  kind: WorkerChangeKind;
  worker: WorkerView;
}

/**
 * What a beat said about attempts. A report numbered below `seq` was made before it. The answer to a health probe is no numbered
 * report; its number is a fraction above the highest one known when the probe was sent.
 */
export interface NamedAttempts {
  seq: number;
  /** `taskId:lease` of every attempt the worker named. */
  attempts: ReadonlySet<string>;
}

export const attemptName = (attempt: { taskId: string; lease: number }): string => `${attempt.taskId}:${attempt.lease}`;

export function offerOf({ groups, urls, handlers, slots, weight, tags, zone, sdk }: RegisterRequest): WorkerOffer {
  return { groups, urls: urls.map((url) => url.replace(/\/+$/, '')), handlers, slots, weight, tags, zone, sdk };
}

/** How many attempts it runs at once for the group. */
export function slotsFor(offer: WorkerOffer, groupKey: string): number {
  return typeof offer.slots === 'number' ? offer.slots : (offer.slots[groupKey] ?? 0);
}

/** Before its first report a worker is taken to be empty. */
export function emptyFigures(offer: WorkerOffer): ReportedFigures {
  const slots = typeof offer.slots === 'number' ? offer.slots : Object.values(offer.slots).reduce((sum, count) => sum + count, 0);
  return { seq: -1, beatSeq: -1, active: 0, queued: 0, freeSlots: slots, avgCostMs: 0, cpuIdlePercent: 100 };
}
