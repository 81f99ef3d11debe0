import type { Routing } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { type BalanceState, type Candidate, newBalanceState } from '../decisions/balance/candidate.js';
import { chooseWorkers } from '../decisions/balance/choose-workers.js';
import { nextStartInMs, type RateBucket, refilled, spent, startsAllowed } from '../decisions/dispatch-rate.js';
import { laneOf } from '../decisions/partitioning.js';
import { startRuns } from '../decisions/start-runs.js';
import { filterOf, filterText } from '../decisions/worker-filter.js';
import { type Group, isHeldAt } from '../jobs/group.js';
import { isInForce } from '../jobs/maintenance.js';
import { SystemSettingsService } from '../jobs/system-settings.service.js';
import { Clock } from '../platform/clock.js';
import type { Sql } from '../ports.js';
import type { WorkerView } from '../registry/worker.js';
import { WorkersService } from '../registry/workers.service.js';
import { type Claim, type ClaimableRow, ClaimStore } from '../tasks/claim.store.js';
import { LanesService } from '../tasks/lanes.service.js';
import { storedOptions } from '../tasks/stored-json.js';
import type { TaskOptions } from '../tasks/task.js';
import type { ClaimedTask } from './orders.service.js';
import { PartitionsService } from './partitions.service.js';
import { UnstoppedService } from './unstopped.service.js';

/** At most this many tasks of a group per round, so that groups take turns. */
export const CLAIM_BATCH = 200;
const BALANCES_KEPT = 5_000;

export interface ClaimedBatch {
  /** What each chosen worker is to be sent. */
  orders: { worker: WorkerView; tasks: ClaimedTask[] }[];
  /** The round was full: there may be more to claim at once. */
  more: boolean;
  /** The group's rate lets the next task start in so many milliseconds. */
  nextInMs?: number;
}
const NOTHING: ClaimedBatch = { orders: [], more: false };

/**
 * Claims a group's next tasks for workers that have room: counts the quota from the rows, takes the heads of the lanes some
 * worker can serve, chooses a worker for each, and writes the claim, all in one transaction on the partition's locked row. So
 * two nodes never claim at once, the quota is never exceeded by even one, and a claim that was written is always this holder's.
 * Quota, holds and cordons are read in that transaction: what was changed before it is obeyed by it. The starts per second of a group are
 * counted here, since one holder at a time starts its tasks, and anew by the next holder.
 * If the process dies after the commit, the rows are DISPATCHED and the next holder sends their orders.
 */
@Injectable()
export class ClaimsService {
  /** What the strategies remember, by group and handler. */
  private readonly balances = new Map<string, BalanceState>();
  /** Starts of groups that have a rate, by group. */
  private readonly rates = new Map<number, RateBucket>();

  constructor(
    private readonly partitions: PartitionsService,
    private readonly store: ClaimStore,
    private readonly workers: WorkersService,
    private readonly clock: Clock,
    private readonly lanes: LanesService,
    private readonly settings: SystemSettingsService,
    private readonly unstopped: UnstoppedService,
  ) {}

  async claim(group: Group): Promise<ClaimedBatch> {
    const lanes = this.lanesServed(group);
    if (lanes.length === 0) return NOTHING;
    const most = Math.min(CLAIM_BATCH, this.allowed(group));
    if (most === 0) return { ...NOTHING, ...this.turnOf(group) };
    const reserved: Reservation[] = [];
    try {
      const batch = await this.partitions.within(group.partition, async (tx) => {
        // The work of a transaction may run again after a deadlock: it starts from nothing each time.
        this.giveBack(reserved);
        const unstopped = await this.unstopped.tasksOf(tx, group);
        // So many more, since some of those may be pending again and must wait for their own earlier attempt.
        const picked = await this.store.pick(tx, group.id, lanes, most + unstopped.size, {
          handlers: this.workers.handlersServed(group.key),
          full: this.workers.full(group.key),
        });
        const now = this.clock.now();
        if (isHeldAt(picked, now) || (picked.maintenance && isInForce(picked.maintenance, now))) return NOTHING;
        const { rows, cordoned } = picked;
        const ready = (unstopped.size === 0 ? rows : rows.filter(({ id }) => !unstopped.has(id))).slice(0, most);
        const startable = ready.slice(0, Math.max(0, picked.maxRunning - picked.running - unstopped.size));
        if (startable.length === 0) return NOTHING;
        // Only where a worker gives the group slots of its own are its attempts counted by worker.
        const taken = this.workers.hasGroupSlots(group.key) ? await this.store.inFlightByWorker(tx, group.id) : null;
        const chosen = this.choose(group, startable, reserved, { taken, cordoned });
        if (chosen.length === 0) return NOTHING;
        await this.write(tx, chosen);
        return { orders: byWorker(chosen), more: ready.length === most && startable.length === ready.length };
      });
      this.spend(group, reserved.length);
      return batch.more ? { ...batch, ...this.turnOf(group) } : batch;
    } catch (error) {
      this.giveBack(reserved);
      throw error;
    }
  }

  /** How many tasks of the group may start now by its rate. */
  private allowed({ id, partition, maxDispatchRate }: Group): number {
    if (maxDispatchRate === null) return CLAIM_BATCH;
    const bucket = refilled(this.rates.get(id), maxDispatchRate, this.partitions.epochOf(partition) ?? 0, this.clock.monotonic());
    this.rates.set(id, bucket);
    return startsAllowed(bucket);
  }

  private spend({ id }: Group, starts: number): void {
    const bucket = this.rates.get(id);
    if (bucket) this.rates.set(id, spent(bucket, starts));
  }

  /** When a group that has a rate may go on; it does not take another turn before. */
  private turnOf({ id, maxDispatchRate }: Group): { more?: false; nextInMs?: number } {
    const bucket = this.rates.get(id);
    if (maxDispatchRate === null || !bucket) return {};
    return { more: false, nextInMs: nextStartInMs(bucket, maxDispatchRate) };
  }

  /** Lanes some worker can take a task of now. */
  private lanesServed(group: Group): number[] {
    const lanes = this.workers.handlersServed(group.key).map((handler) => laneOf(handler));
    for (const { handler, filter, lane } of this.lanes.ofGroup(group.id))
      if (this.workers.hasRoom(group.key, handler, filterOf(filter))) lanes.push(lane);
    return lanes;
  }

  /** A worker for each task while there is room, in the order the tasks must start; each choice counts for the next. */
  private choose(group: Group, rows: ClaimableRow[], reserved: Reservation[], limits: WorkerLimits): Chosen[] {
    const chosen: Chosen[] = [];
    const usual = group.routing ?? this.settings.routing;
    const full = new Set<string>();
    const roomOf = (key: string) => this.among(group, key, limits).reduce((room, { available }) => room + available, 0);
    for (const { key, tasks } of startRuns(rows, (row) => keyOf(row, usual), roomOf)) {
      if (full.has(key)) continue;
      const [handler, routing, filter, zone, pinned] = partsOf(key);
      const among = this.among(group, key, limits);
      const own = pinned !== null && among[0]?.workerId === pinned;
      const balance = own ? newBalanceState() : this.balanceOf(`${group.id}:${handler}:${routing}:${filter}:${zone}`);
      const keys = routing === 'consistent_hash' ? tasks.map(hashKeyOf) : [];
      const picks = chooseWorkers(tasks.length, among, routing, balance, Math.random, { zone: zone ?? undefined, keys });
      if (picks.includes(null)) full.add(key);
      picks.forEach((pick, i) => {
        if (!pick) return;
        const worker = this.workers.find(pick.workerId);
        if (worker?.incarnation !== pick.incarnation) return;
        chosen.push({ worker, task: tasks[i] as ClaimableRow });
      });
      for (const { worker } of chosen.slice(reserved.length)) {
        this.workers.noteOrdered(worker.workerId, worker.incarnation, 1);
        limits.taken?.set(worker.workerId, (limits.taken.get(worker.workerId) ?? 0) + 1);
        reserved.push({ workerId: worker.workerId, incarnation: worker.incarnation });
      }
    }
    return chosen;
  }

  /** A shard made for one worker waits for it, and goes to another only when that one takes no orders any more. */
  private among(group: Group, key: string, { taken, cordoned }: WorkerLimits): Candidate[] {
    const [handler, , filter, , pinned] = partsOf(key);
    const eligible = this.workers
      .candidates(group.key, handler, filterOf(filter))
      .filter(({ workerId }) => !cordoned.has(workerId));
    const candidates = taken ? eligible.map((candidate) => withinGroupSlots(candidate, taken)) : eligible;
    const own = pinned === null ? undefined : candidates.find(({ workerId }) => workerId === pinned);
    return own ? [own] : candidates;
  }

  private async write(tx: Sql, chosen: Chosen[]): Promise<void> {
    const at = Math.round(this.clock.now());
    const claims = chosen.map(({ worker, task }): Claim => {
      const { id, version, attempt } = task;
      const step = {
        seq: version + 1,
        from: 'PENDING',
        to: 'DISPATCHED',
        at,
        actor: `node:${this.partitions.node}`,
        attempt,
        worker: worker.workerId,
      } as const;
      return { id, version, workerId: worker.workerId, incarnation: worker.incarnation, step };
    });
    const won = await this.store.claim(tx, claims, at);
    // One of them was cancelled meanwhile. Nothing of this round is sent; the next one picks without it.
    if (won !== claims.length) throw new ClaimRaceError(claims.length - won);
  }

  private balanceOf(key: string): BalanceState {
    // Zones are any text partners state: what is remembered is worth little and must not grow without end.
    if (this.balances.size > BALANCES_KEPT) this.balances.clear();
    const balance = this.balances.get(key) ?? newBalanceState();
    this.balances.set(key, balance);
    return balance;
  }

  private giveBack(reserved: Reservation[]): void {
    for (const { workerId, incarnation } of reserved.splice(0)) this.workers.noteAnswered(workerId, incarnation, 1);
  }
}

/** Somebody changed tasks between the pick and the claim; everything is rolled back and picked anew. */
export class ClaimRaceError extends Error {
  constructor(readonly lost: number) {
    super(`${lost} picked tasks were changed before they were claimed`);
    this.name = 'ClaimRaceError';
  }
}

/** What of workers a claim reads from the rows. */
interface WorkerLimits {
  /** The group's attempts on each, where slots are given by group. */
  taken: Map<string, number> | null;
  cordoned: ReadonlySet<string>;
}
interface Chosen {
  worker: WorkerView;
  task: ClaimableRow;
}
interface Reservation {
  workerId: string;
  incarnation: string;
}

/** Beyond its slots for the group a worker is given nothing of it, whatever room others' slots leave. */
const withinGroupSlots = (candidate: Candidate, taken: ReadonlyMap<string, number>): Candidate => ({
  ...candidate,
  available: Math.max(0, Math.min(candidate.available, candidate.slots - (taken.get(candidate.workerId) ?? 0))),
});

const optionsOf = ({ options_json }: ClaimableRow): TaskOptions => storedOptions(options_json);
/** What decides which workers may take it and how one is chosen: handler, routing, filter, preferred zone, the worker a shard was made for. */
type KeyParts = [handler: string, routing: Routing, filter: string, zone: string | null, pinned: string | null];
const partsOf = (key: string): KeyParts => JSON.parse(key);
function keyOf(row: ClaimableRow, usual: Routing): string {
  const options = optionsOf(row);
  const { routing = usual, preferZone = null } = options;
  return JSON.stringify([row.handler, routing, filterText(options), preferZone, row.pinned_worker_id] satisfies KeyParts);
}
const hashKeyOf = (row: ClaimableRow): string => optionsOf(row).routingKey ?? row.job_id ?? row.id;

function byWorker(chosen: Chosen[]): ClaimedBatch['orders'] {
  const orders = new Map<string, { worker: WorkerView; tasks: ClaimedTask[] }>();
  for (const { worker, task } of chosen) {
    const order = orders.get(worker.workerId) ?? { worker, tasks: [] };
    order.tasks.push({ ...task, lease: task.version + 1 });
    orders.set(worker.workerId, order);
  }
  return [...orders.values()];
}
