import type { WorkerFigures } from '@evenkeel/sdk/contract';
import type { Candidate } from '../decisions/balance/candidate.js';
import { type LoadTerms, loadTerms, meanSlotsOf } from '../decisions/balance/equal-cost.js';
import { shownTerms } from '../decisions/balance/shown-terms.js';
import { ANY_WORKER, meetsFilter, type WorkerFilter } from '../decisions/worker-filter.js';
import type { Clock } from '../platform/clock.js';
import { candidatesOf } from './candidates.js';
import { KnownWorker } from './known-worker.js';
import { type Standing, Standings } from './standings.js';
import {
  type NamedAttempts,
  type StoredWorker,
  slotsFor,
  type WorkerChange,
  type WorkerChangeKind,
  type WorkerView,
} from './worker.js';

export interface WorkerLoad {
  workerId: string;
  terms: LoadTerms;
}

/**
 * Every worker as this node knows it, in memory: what dispatch reads and notes, thousands of times a second, without any I/O.
 * It is a belief, at most about a second behind the `workers` table; whoever acts on it must still win in the database.
 */
export abstract class WorkersView {
  private readonly workers = new Map<string, KnownWorker>();
  /** Who serves what; emptied whenever an offer comes, goes or changes. */
  private readonly serving = new Map<string, KnownWorker[]>();
  private readonly listeners = new Set<(change: WorkerChange) => void>();
  private readonly standings: Standings;

  constructor(protected readonly clock: Clock) {
    this.standings = new Standings(clock);
  }

  all(): WorkerView[] {
    return [...this.workers.values()];
  }

  find(workerId: string): KnownWorker | undefined {
    return this.workers.get(workerId);
  }

  /** Online, not draining, not suspended, serves the group, has the handler and meets the filter; with room or without. */
  eligible(groupKey: string, handler: string, filter: WorkerFilter = ANY_WORKER): KnownWorker[] {
    return this.serversOf(groupKey, handler).filter((worker) => worker.takesOrders && meetsFilter(worker.offer, filter));
  }

  /** Workers that take orders of the group, but have no room now. */
  full(groupKey: string): string[] {
    return this.takingOrders(groupKey)
      .filter(({ available }) => available === 0)
      .map(({ workerId }) => workerId);
  }

  /** Handlers that some worker of the group takes orders for, with room or without. */
  handlersOf(groupKey: string): string[] {
    return [...new Set(this.takingOrders(groupKey).flatMap(({ offer }) => offer.handlers.map(({ name }) => name)))];
  }

  /** Handlers that some worker can take now. */
  handlersServed(groupKey: string): string[] {
    const handlers = new Set<string>();
    for (const worker of this.workers.values()) {
      if (worker.available === 0 || slotsFor(worker.offer, groupKey) === 0 || !worker.offer.groups.includes(groupKey)) continue;
      for (const { name } of worker.offer.handlers) if (worker.roomFor(name) > 0) handlers.add(name);
    }
    return [...handlers];
  }

  /** Whether some worker can take a task of the handler and filter now. */
  hasRoom(groupKey: string, handler: string, filter: WorkerFilter): boolean {
    return this.eligible(groupKey, handler, filter).some((worker) => worker.roomFor(handler) > 0);
  }

  /** Whether any worker that is online at all has the handler and meets the filter, room or not. */
  anyServes(groupKey: string, handler: string, filter: WorkerFilter = ANY_WORKER): boolean {
    return this.serversOf(groupKey, handler).some((worker) => worker.state === 'online' && meetsFilter(worker.offer, filter));
  }

  /** Some worker gives the group slots of its own, which whoever claims must count. */
  hasGroupSlots(groupKey: string): boolean {
    for (const { offer } of this.workers.values())
      if (typeof offer.slots !== 'number' && offer.groups.includes(groupKey)) return true;
    return false;
  }

  /** How many more orders it may be given now. */
  available(worker: WorkerView): number {
    return this.current(worker.workerId, worker.incarnation)?.available ?? 0;
  }

  candidates(groupKey: string, handler: string, filter: WorkerFilter = ANY_WORKER): Candidate[] {
    return candidatesOf(this.eligible(groupKey, handler, filter), groupKey, handler, this.clock.now());
  }

  /** How every worker of the group that takes orders stands in the choice by equal cost, smallest load first. */
  loadsOf(groupKey: string): WorkerLoad[] {
    const workers = [...this.workers.values()].filter(
      (worker) => worker.takesOrders && worker.offer.groups.includes(groupKey) && slotsFor(worker.offer, groupKey) > 0,
    );
    const candidates = candidatesOf(workers, groupKey, null, this.clock.now());
    const meanSlots = meanSlotsOf(candidates);
    return candidates
      .map((candidate) => ({ workerId: candidate.workerId, terms: loadTerms(candidate, meanSlots) }))
      .sort((a, b) => a.terms.load - b.terms.load)
      .map(({ workerId, terms }) => ({ workerId, terms: shownTerms(terms) }));
  }

  /** The terms of one worker's load among the workers of that group, its first one by default; null while it takes no orders there. */
  load(workerId: string, groupKey = this.workers.get(workerId)?.offer.groups[0]): WorkerLoad | null {
    if (groupKey === undefined) return null;
    return this.loadsOf(groupKey).find((load) => load.workerId === workerId) ?? null;
  }

  /** `count` orders are about to be sent; they use up room until they are answered. */
  noteOrdered(workerId: string, incarnation: string, count: number): void {
    this.change(this.current(workerId, incarnation), (worker) => worker.noteOrders(count));
  }

  /**
   * They were answered, or never sent after all. A refusal as `busy` is noted after this. Only figures are news of room: orders
   * given back because something failed must not hurry the next try.
   */
  noteAnswered(workerId: string, incarnation: string, count: number, figures?: WorkerFigures): void {
    const known = this.current(workerId, incarnation);
    if (figures) {
      this.change(known, (worker) => {
        worker.noteOrders(-count);
        worker.noteFigures(figures);
      });
    } else if (known) {
      known.noteOrders(-count);
      this.touched(known);
    }
  }

  noteFigures(workerId: string, incarnation: string, figures: WorkerFigures): void {
    this.change(this.current(workerId, incarnation), (worker) => worker.noteFigures(figures));
  }

  /** It refused an order for want of room or permission: nothing more until it reports again. */
  noteBusy(workerId: string, incarnation: string): void {
    this.change(this.current(workerId, incarnation), (worker) => worker.noteBusy());
  }

  /** The last two beats of the current incarnation, oldest first. */
  lastBeats(workerId: string): NamedAttempts[] {
    return this.workers.get(workerId)?.lastBeats ?? [];
  }

  /**
   * What became of an incarnation. Anything but `current` means its attempts are to be recovered, so it is only said when the table
   * was read after the first time of asking; until then, and while the database is away, the answer is `current`.
   * `unknown`: no worker of this id is on record any more.
   */
  standing(workerId: string, incarnation: string): Standing {
    const worker = this.workers.get(workerId);
    const standing = this.standings.of(workerId, incarnation, worker);
    if (this.standings.wantsRead) this.wantFullRead();
    return standing;
  }

  /** Listeners are called after the view changed, in the same turn. */
  onChange(listener: (change: WorkerChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Asks for a read of the whole table soon. */
  protected abstract wantFullRead(): void;
  /** Something was noted that other nodes should know. */
  protected abstract touched(worker: KnownWorker): void;
  protected abstract onListenerError(error: unknown): void;

  /** Every worker, with what only this module may change. */
  known(): Iterable<KnownWorker> {
    return this.workers.values();
  }

  protected current(workerId: string, incarnation: string): KnownWorker | undefined {
    const worker = this.workers.get(workerId);
    return worker?.incarnation === incarnation ? worker : undefined;
  }

  /** Changes a worker and tells the listeners what that means to them. */
  protected change(worker: KnownWorker | undefined, apply: (worker: KnownWorker) => void, share = true): void {
    if (!worker) return;
    const { full } = worker.figures;
    const before = { state: worker.state, draining: worker.draining, available: worker.available };
    apply(worker);
    if (share) this.touched(worker);
    if (worker.state === 'offline' && before.state !== 'offline') this.emit('offline', worker);
    if (worker.state === 'online' && before.state !== 'online') this.emit('online', worker);
    if (worker.draining && !before.draining) this.emit('draining', worker);
    const freed = full?.some((handler) => worker.roomFor(handler) > 0) ?? false;
    if (worker.available > before.available || freed) this.emit('free', worker);
  }

  /** Takes over rows of one read that started at `startedAt` (monotonic); a row already known from a later read is left alone. */
  protected adopt(rows: readonly StoredWorker[], startedAt: number): void {
    for (const row of rows) {
      const known = this.workers.get(row.workerId);
      if (known && known.readAt > startedAt) continue;
      const age = Math.max(0, this.clock.now() - row.lastBeatAt);
      if (known?.incarnation === row.incarnation) {
        if (known.offer !== row.offer) this.serving.clear();
        this.change(known, (worker) => worker.adopt(row, age, startedAt), false);
      } else this.enter(new KnownWorker(row, age, () => this.clock.monotonic(), startedAt), known);
    }
  }

  /** As `adopt` for a read of the whole table: whoever is not in it is forgotten. */
  protected adoptAll(rows: readonly StoredWorker[], startedAt: number): void {
    this.adopt(rows, startedAt);
    this.dropAbsent([...this.workers.keys()], rows, startedAt);
    this.standings.verified(startedAt);
  }

  /** As `adopt` for a read of these workers alone: whoever of them has no row any more is forgotten. */
  protected adoptThese(workerIds: readonly string[], rows: readonly StoredWorker[], startedAt: number): void {
    this.adopt(rows, startedAt);
    this.dropAbsent(workerIds, rows, startedAt);
  }

  private dropAbsent(among: readonly string[], rows: readonly StoredWorker[], startedAt: number): void {
    const present = new Set(rows.map((row) => row.workerId));
    for (const workerId of among) {
      const worker = this.workers.get(workerId);
      if (!worker || present.has(workerId) || worker.readAt > startedAt) continue;
      this.workers.delete(workerId);
      this.serving.clear();
      if (worker.state !== 'offline') this.emit('offline', worker);
    }
  }

  private enter(worker: KnownWorker, former: KnownWorker | undefined): void {
    this.workers.set(worker.workerId, worker);
    this.serving.clear();
    if (former) {
      this.standings.replaced(former.workerId, former.incarnation);
      this.emit('superseded', former);
    }
    this.emit('registered', worker);
  }

  private takingOrders(groupKey: string): KnownWorker[] {
    return [...this.workers.values()].filter(
      ({ takesOrders, offer }) => takesOrders && offer.groups.includes(groupKey) && slotsFor(offer, groupKey) > 0,
    );
  }

  private serversOf(groupKey: string, handler: string): KnownWorker[] {
    const key = `${groupKey} ${handler}`;
    let servers = this.serving.get(key);
    if (!servers) {
      servers = [...this.workers.values()].filter(
        (worker) => worker.serves(groupKey, handler) && slotsFor(worker.offer, groupKey) > 0,
      );
      this.serving.set(key, servers);
    }
    return servers;
  }

  private emit(kind: WorkerChangeKind, worker: KnownWorker): void {
    for (const listener of this.listeners) {
      try {
        listener({ kind, worker });
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }
}
