import { Injectable } from '@nestjs/common';
import { laneOf } from '../decisions/partitioning.js';
import { GroupsService } from '../jobs/groups.service.js';
import { Clock } from '../platform/clock.js';
import type { Witness } from '../platform/witness.js';
import { Signals, SqlDialect } from '../ports.js';
import { CHANGED_TOPIC } from '../registry/figures-share.js';
import type { Cordon, Drain, StoredWorker } from '../registry/worker.js';
import { WorkerStore } from '../registry/worker.store.js';
import { ClaimStore } from '../tasks/claim.store.js';

/** Due work of a group that nobody takes any more: these handlers have no other worker. */
export interface DrainWarning {
  group: string;
  handlers: string[];
}
/** What a witness is told of a worker that is taken out of service or back. */
export interface Drained {
  workerId: string;
  drainAsked: boolean;
  /** Epoch milliseconds. */
  deadlineAt: number | null;
}
/** What a witness is told of a worker that is set aside or lifted. */
export interface Cordoned {
  workerId: string;
  cordoned: boolean;
}
/** What a witness is told of a worker that is forgotten. */
export type Forgotten = Pick<StoredWorker, 'workerId' | 'incarnation' | 'state' | 'lastBeatAt'>;
export type ForgetOutcome = 'forgotten' | 'not_found' | 'not_lost';
export type DrainOutcome = { found: false } | { found: true; warnings: DrainWarning[] };

const LANES_AT_ONCE = 100;

/**
 * Takes workers out of service and back, for operators: from a node or from a command beside the nodes. The worker's row is the
 * authority; every node reads it at once by signal and within a second without, and orders nothing more, whatever the worker itself
 * makes of it. Of a drain it learns with its next beat, and leaves when it is empty if it was told to stop; of a cordon it is never
 * told, and each claim reads it from the row, so that none that begins after it gives the worker anything.
 */
@Injectable()
export class DrainsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly workers: WorkerStore,
    private readonly groups: GroupsService,
    private readonly claims: ClaimStore,
    private readonly clock: Clock,
    private readonly signals: Signals,
  ) {}

  /** As on record: what nodes have heard since may be newer. */
  list(): Promise<StoredWorker[]> {
    return this.workers.all();
  }

  async drain(
    workerId: string,
    { reason = null, by = null, deadlineAt = null }: Partial<Drain> = {},
    witness?: Witness<Drained>,
  ): Promise<DrainOutcome> {
    const at = Math.round(this.clock.now());
    if (!(await this.set(workerId, { reason, by, deadlineAt, at }, witness))) return { found: false };
    return { found: true, warnings: await this.orphans(workerId) };
  }

  /** False if no such worker is on record. */
  undrain(workerId: string, witness?: Witness<Drained>): Promise<boolean> {
    return this.set(workerId, null, witness);
  }

  /** No new orders until `uncordon`, for later incarnations too; what it has goes on, and the worker is not told. */
  async cordon(
    workerId: string,
    { reason = null, by = null }: { reason?: string | null; by?: string | null } = {},
    witness?: Witness<Cordoned>,
  ): Promise<DrainOutcome> {
    const at = Math.round(this.clock.now());
    if (!(await this.setCordon(workerId, { reason, by, at }, witness))) return { found: false };
    return { found: true, warnings: await this.orphans(workerId) };
  }

  /** False if no such worker is on record. */
  uncordon(workerId: string, witness?: Witness<Cordoned>): Promise<boolean> {
    return this.setCordon(workerId, null, witness);
  }

  /**
   * Takes a worker that is lost or has left off the record, with what was asked of it. What it may still have of attempts is recovered
   * like those of any worker nobody knows. A beat that came meanwhile wins.
   */
  async forget(workerId: string, witness?: Witness<Forgotten>): Promise<ForgetOutcome> {
    const outcome = await this.dialect.transaction(async (tx): Promise<ForgetOutcome> => {
      const worker = await this.workers.lock(tx, workerId);
      if (!worker) return 'not_found';
      if (!(await this.workers.forget(tx, workerId))) return 'not_lost';
      await witness?.(tx, worker, null);
      return 'forgotten';
    });
    if (outcome === 'forgotten') this.tell(workerId);
    return outcome;
  }

  private async setCordon(workerId: string, cordon: Cordon | null, witness?: Witness<Cordoned>): Promise<boolean> {
    const found = await this.dialect.transaction(async (tx) => {
      const before = await this.workers.lockCordon(tx, workerId);
      if (before === undefined) return false;
      await this.workers.setCordon(tx, workerId, cordon);
      await witness?.(tx, { workerId, cordoned: before }, { workerId, cordoned: cordon !== null });
      return true;
    });
    if (found) this.tell(workerId);
    return found;
  }

  private async set(workerId: string, drain: Drain | null, witness?: Witness<Drained>): Promise<boolean> {
    const found = await this.dialect.transaction(async (tx) => {
      const before = await this.workers.lockDrain(tx, workerId);
      if (before === null) return false;
      await this.workers.setDrain(workerId, drain, tx);
      const after = { workerId, drainAsked: drain !== null, deadlineAt: drain?.deadlineAt ?? null };
      await witness?.(tx, { workerId, drainAsked: before, deadlineAt: null }, after);
      return true;
    });
    if (found) this.tell(workerId);
    return found;
  }

  private tell(workerId: string): void {
    this.signals.publish(CHANGED_TOPIC, { origin: 'drains', workerIds: [workerId] });
  }

  /** Groups with due work that only this worker took. */
  private async orphans(workerId: string): Promise<DrainWarning[]> {
    const all = await this.workers.all();
    const drained = all.find((worker) => worker.workerId === workerId);
    const others = all.filter((worker) => worker.workerId !== workerId && takesOrders(worker));
    const warnings: DrainWarning[] = [];
    for (const key of drained?.offer.groups ?? []) {
      const group = this.groups.byKey(key);
      if (!group) continue;
      const served = new Set(others.filter(({ offer }) => offer.groups.includes(key)).flatMap(({ offer }) => namesOf(offer)));
      const alone = namesOf(drained?.offer ?? { handlers: [] }).filter((handler) => !served.has(handler));
      const handlers = await this.dueOf(group.id, alone);
      if (handlers.length > 0) warnings.push({ group: key, handlers });
    }
    return warnings;
  }

  private async dueOf(groupId: number, handlers: readonly string[]): Promise<string[]> {
    const due = new Set<string>();
    for (let i = 0; i < handlers.length; i += LANES_AT_ONCE) {
      const lanes = handlers.slice(i, i + LANES_AT_ONCE).map((handler) => laneOf(handler));
      const { rows } = await this.claims.pick(this.dialect.root, groupId, lanes, LANES_AT_ONCE);
      for (const { handler } of rows) due.add(handler);
    }
    return [...due].sort();
  }
}

const takesOrders = ({ state, drainAsked, cordon, offer }: StoredWorker): boolean =>
  state === 'ready' && !drainAsked && cordon === null && offer.suspended === undefined;
const namesOf = ({ handlers }: Pick<StoredWorker['offer'], 'handlers'>): string[] => handlers.map(({ name }) => name);
