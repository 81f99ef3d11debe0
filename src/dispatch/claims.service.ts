import type { Routing } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { type BalanceState, newBalanceState } from '../decisions/balance/candidate.js';
import { chooseWorkers } from '../decisions/balance/choose-workers.js';
import { laneOf } from '../decisions/partitioning.js';
import type { Group } from '../jobs/group.js';
import { Clock } from '../platform/clock.js';
import type { Sql } from '../ports.js';
import type { WorkerView } from '../registry/worker.js';
import { WorkersService } from '../registry/workers.service.js';
import { type Claim, type ClaimableRow, ClaimStore } from '../tasks/claim.store.js';
import type { ClaimedTask } from './orders.service.js';
import { PartitionsService } from './partitions.service.js';

/** At most this many tasks of a group per round, so that groups take turns. */
export const CLAIM_BATCH = 200;
const DEFAULT_ROUTING: Routing = 'equal_cost';

export interface ClaimedBatch {
  /** What each chosen worker is to be sent. */
  orders: { worker: WorkerView; tasks: ClaimedTask[] }[];
  /** The round was full: there may be more to claim at once. */
  more: boolean;
}
const NOTHING: ClaimedBatch = { orders: [], more: false };

/**
 * Claims a group's next tasks for workers that have room: counts the quota from the rows, takes the heads of the lanes some
 * worker can serve, chooses a worker for each, and writes the claim, all in one transaction on the partition's locked row. So
 * two nodes never claim at once, the quota is never exceeded by even one, and a claim that was written is always this holder's.
 * If the process dies after the commit, the rows are DISPATCHED and the next holder sends their orders.
 */
@Injectable()
export class ClaimsService {
  /** What the strategies remember, by group and handler. */
  private readonly balances = new Map<string, BalanceState>();

  constructor(
    private readonly partitions: PartitionsService,
    private readonly store: ClaimStore,
    private readonly workers: WorkersService,
    private readonly clock: Clock,
  ) {}

  async claim(group: Group): Promise<ClaimedBatch> {
    const handlers = this.workers.handlersServed(group.key);
    if (handlers.length === 0) return NOTHING;
    const reserved: Reservation[] = [];
    try {
      return await this.partitions.within(group.partition, async (tx) => {
        // The work of a transaction may run again after a deadlock: it starts from nothing each time.
        this.giveBack(reserved);
        const { running, rows } = await this.store.pick(tx, group.id, handlers.map(laneOf), CLAIM_BATCH);
        const startable = rows.slice(0, Math.max(0, group.maxRunning - running));
        const chosen = this.choose(group, startable, reserved);
        if (chosen.length === 0) return NOTHING;
        await this.write(tx, chosen);
        return { orders: byWorker(chosen), more: rows.length === CLAIM_BATCH && startable.length === rows.length };
      });
    } catch (error) {
      this.giveBack(reserved);
      throw error;
    }
  }

  /** A worker for each task while there is room, in the order the tasks must start; each choice counts for the next. */
  private choose(group: Group, rows: ClaimableRow[], reserved: Reservation[]): Chosen[] {
    const chosen: Chosen[] = [];
    for (const [key, tasks] of runsOf(rows, group)) {
      const [handler, routing] = JSON.parse(key) as [string, Routing];
      const balance = this.balanceOf(`${group.id}:${key}`);
      const picks = chooseWorkers(tasks.length, this.workers.candidates(group.key, handler), routing, balance, Math.random);
      picks.forEach((pick, i) => {
        if (!pick) return;
        const worker = this.workers.find(pick.workerId);
        if (worker?.incarnation !== pick.incarnation) return;
        chosen.push({ worker, task: tasks[i] as ClaimableRow });
      });
      for (const { worker } of chosen.slice(reserved.length)) {
        this.workers.noteOrdered(worker.workerId, worker.incarnation, 1);
        reserved.push({ workerId: worker.workerId, incarnation: worker.incarnation });
      }
    }
    return chosen;
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

interface Chosen {
  worker: WorkerView;
  task: ClaimableRow;
}
interface Reservation {
  workerId: string;
  incarnation: string;
}

/** The tasks by (handler, routing), each run in start order. */
function runsOf(rows: ClaimableRow[], group: Group): Map<string, ClaimableRow[]> {
  const runs = new Map<string, ClaimableRow[]>();
  for (const row of rows) {
    const stated = row.options_json ? (JSON.parse(row.options_json) as { routing?: Routing }).routing : undefined;
    const key = JSON.stringify([row.handler, stated ?? group.routing ?? DEFAULT_ROUTING]);
    const run = runs.get(key);
    if (run) run.push(row);
    else runs.set(key, [row]);
  }
  return runs;
}

function byWorker(chosen: Chosen[]): ClaimedBatch['orders'] {
  const orders = new Map<string, { worker: WorkerView; tasks: ClaimedTask[] }>();
  for (const { worker, task } of chosen) {
    const order = orders.get(worker.workerId) ?? { worker, tasks: [] };
    order.tasks.push({ ...task, lease: task.version + 1 });
    orders.set(worker.workerId, order);
  }
  return [...orders.values()];
}
