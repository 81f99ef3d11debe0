import { randomBytes } from 'node:crypto';
import type { OrderAnswer, ReasonCode, RunRequest, TaskOrder } from '@evenkeel/sdk/contract';
import { LIMITS } from '@evenkeel/sdk/contract';
import { Injectable, Logger } from '@nestjs/common';
import { GroupsService } from '../jobs/groups.service.js';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import type { WorkerView } from '../registry/worker.js';
import { WorkersService } from '../registry/workers.service.js';
import { type ClaimableRow, ClaimStore } from '../tasks/claim.store.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { ProgressStore } from '../tasks/progress.store.js';
import { storedOptions } from '../tasks/stored-json.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';
import { RunningBuffer } from './running-buffer.js';
import { WorkerClient } from './worker-client.js';

const ORDER_TIMEOUT_MS = 5_000;
const RESEND_FIRST_MS = 250;
const RESEND_MAX_MS = 2_000;
const ENVELOPE_BYTES = 512;
/** A trace id and a span id. */
const TRACE_BYTES = 24;

/** A claimed task and the lease it was claimed under. */
export interface ClaimedTask extends ClaimableRow {
  lease: number;
}
interface Order {
  partition: number;
  worker: WorkerView;
  tasks: ClaimedTask[];
  /** How often this order was sent before; the first send is the only one whose refused connection proves it never arrived. */
  sentBefore: number;
}

/**
 * Delivers claimed tasks to their workers and writes what the workers answer.
 *
 * An order whose fate is unknown goes to the same incarnation again until it answers, ends or another one replaces it; never to
 * another worker while the first may be alive. If the process dies after the claim and before the order, or between order and
 * answer, the task stays DISPATCHED and the partition's next holder sends it again; the worker answers the same as before.
 */
@Injectable()
export class OrdersService {
  private readonly log = new Logger(OrdersService.name);
  /** Leases of the orders being delivered, by task. */
  private readonly inFlight = new Map<string, number>();
  private stopped = false;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ClaimStore,
    private readonly lifecycle: LifecycleService,
    private readonly workers: WorkersService,
    private readonly partitions: PartitionsService,
    private readonly buffer: RunningBuffer,
    private readonly client: WorkerClient,
    private readonly clock: Clock,
    private readonly groups: GroupsService,
    private readonly progress: ProgressStore,
  ) {}

  isInFlight(taskId: string, lease: number): boolean {
    return this.inFlight.get(taskId) === lease;
  }

  /** Sends claimed tasks to the worker they were claimed for. The worker's in-flight count was raised by the caller. */
  send(partition: number, worker: WorkerView, tasks: ClaimedTask[]): void {
    for (const part of split(tasks)) this.dispatch({ partition, worker, tasks: part, sentBefore: 0 });
  }

  /** Sends DISPATCHED tasks again that no order is under way for, to the incarnation recorded on them. */
  async resend(partition: number, ids: readonly string[]): Promise<void> {
    const rows = await this.store.dispatched(this.dialect.root, ids);
    const byWorker = new Map<string, ClaimedTask[]>();
    for (const row of rows) {
      if (this.inFlight.has(row.id) || this.workers.standing(row.worker_id, row.worker_incarnation) !== 'current') continue;
      byWorker.set(row.worker_id, [...(byWorker.get(row.worker_id) ?? []), row]);
    }
    for (const [workerId, tasks] of byWorker) {
      const worker = this.workers.find(workerId);
      if (!worker) continue;
      this.workers.noteOrdered(workerId, worker.incarnation, tasks.length);
      for (const part of split(tasks)) this.dispatch({ partition, worker, tasks: part, sentBefore: 1 });
    }
  }

  /** Sends nothing more; what is under way is left to the next holder. */
  stop(): void {
    this.stopped = true;
  }

  private dispatch(order: Order): void {
    for (const { id, lease } of order.tasks) this.inFlight.set(id, lease);
    this.deliver(order).catch((error) => {
      if (!(error instanceof PartitionLostError)) {
        const { worker, tasks } = order;
        this.log.warn('order not settled, it is sent again', { worker: worker.workerId, tasks: tasks.length, err: error });
      }
      this.release(order);
    });
  }

  private release(order: Order): void {
    for (const { id, lease } of order.tasks) if (this.inFlight.get(id) === lease) this.inFlight.delete(id);
  }

  private async deliver(order: Order): Promise<void> {
    const { worker, partition, tasks } = order;
    const epoch = this.partitions.epochOf(partition);
    if (epoch === undefined || this.stopped) {
      this.workers.noteAnswered(worker.workerId, worker.incarnation, tasks.length);
      return this.release(order);
    }
    const checkpoints = await this.checkpointsOf(order);
    const reply = await this.client.run(
      worker,
      this.requestText(order, epoch, checkpoints),
      tasks.map(({ id, lease }) => ({ taskId: id, lease })),
      ORDER_TIMEOUT_MS,
    );
    switch (reply.kind) {
      case 'answered':
        this.workers.noteAnswered(worker.workerId, worker.incarnation, tasks.length, reply.answer);
        return this.settle(order, epoch, reply.answer.results);
      case 'clocks_apart':
      case 'refused_connection': {
        if (order.sentBefore > 0) return this.again(order);
        this.workers.noteAnswered(worker.workerId, worker.incarnation, tasks.length);
        this.workers.noteBusy(worker.workerId, worker.incarnation);
        const reason: ReasonCode = reply.kind === 'clocks_apart' ? 'unauthorised' : 'unreachable';
        return this.refuse(
          order,
          tasks.map(({ id, lease }) => ({ taskId: id, lease, reason })),
        );
      }
      case 'definite': {
        this.workers.noteAnswered(worker.workerId, worker.incarnation, tasks.length);
        this.workers.suspend(worker.workerId, worker.incarnation, `answered ${reply.status} to an order`);
        const reason: ReasonCode = reply.status === 413 ? 'order_too_large' : 'unauthorised';
        return this.refuse(
          order,
          tasks.map(({ id, lease }) => ({ taskId: id, lease, reason })),
        );
      }
      case 'ambiguous':
        this.log.warn('order with unknown fate, asking the same worker again', {
          worker: worker.workerId,
          tasks: tasks.length,
          cause: reply.cause,
        });
        return this.again(order);
    }
  }

  /** What attempts may go on from; most have nothing, and then nothing is asked. */
  private async checkpointsOf({ worker, tasks }: Order): Promise<Map<string, string>> {
    const ids = tasks.filter(({ checkpoint_at }) => checkpoint_at !== null).map(({ id }) => id);
    try {
      return await this.progress.checkpointsOf(this.dialect.root, ids);
    } catch (error) {
      this.workers.noteAnswered(worker.workerId, worker.incarnation, tasks.length);
      throw error;
    }
  }

  /** JSON text of the RunRequest. `params` and checkpoints go in as they are stored, so no number in them is rounded on the way. */
  private requestText({ partition, worker, tasks }: Order, epoch: number, checkpoints: ReadonlyMap<string, string>): string {
    const envelope: Omit<RunRequest, 'tasks'> = { partition, epoch, workerId: worker.workerId, incarnation: worker.incarnation };
    const random = randomBytes(TRACE_BYTES * tasks.length).toString('hex');
    const orders = tasks.map((task, i) => {
      const trace = random.slice(i * TRACE_BYTES * 2, (i + 1) * TRACE_BYTES * 2);
      return orderText(task, this.groups.byId(task.group_id)?.key, trace, checkpoints.get(task.id));
    });
    return `${JSON.stringify(envelope).slice(0, -1)},"tasks":[${orders.join(',')}]}`;
  }

  private async settle(order: Order, epoch: number, answers: OrderAnswer[]): Promise<void> {
    const { worker, partition } = order;
    const at = Math.round(this.clock.now());
    const confirmed = answers.filter(({ outcome }) => outcome === 'accepted' || outcome === 'duplicate');
    this.buffer.confirm(
      confirmed.map(({ taskId, lease }) => ({ taskId, lease, workerId: worker.workerId, incarnation: worker.incarnation, at })),
    );
    const refused = answers.filter(isRefusal);
    if (refused.length > 0) this.workers.noteBusy(worker.workerId, worker.incarnation);
    const stale = answers.find(({ outcome }) => outcome === 'stale_epoch');
    if (stale) await this.partitions.challenged(partition, epoch, stale.seenEpoch ?? epoch);
    if (refused.length > 0)
      await this.refuse(
        order,
        refused.map(({ taskId, lease, outcome }) => ({ taskId, lease, reason: outcome })),
      );
    this.release(order);
  }

  private async refuse(order: Order, refusals: { taskId: string; lease: number; reason: ReasonCode }[]): Promise<void> {
    const changes = await this.partitions.within(order.partition, (tx) =>
      this.lifecycle.refuse(tx, refusals, `node:${this.partitions.node}`),
    );
    this.release(order);
    this.lifecycle.announce(changes);
  }

  /** The same order to the same incarnation, until its fate is known here or it is no longer this node's to know. */
  private async again(order: Order): Promise<void> {
    const { worker, tasks } = order;
    const delay = Math.min(RESEND_FIRST_MS * 2 ** order.sentBefore, RESEND_MAX_MS);
    await new Promise((resolve) => setTimeout(resolve, delay).unref());
    let left: ClaimedTask[] = [];
    try {
      left = await this.stillToDeliver(order);
    } finally {
      // If the rows cannot be read the order is let go, and the room it took with it: recovery sends it again.
      this.workers.noteAnswered(worker.workerId, worker.incarnation, tasks.length - left.length);
      this.release(order);
    }
    if (left.length > 0)
      this.dispatch({
        ...order,
        worker: this.workers.find(worker.workerId) ?? worker,
        tasks: left,
        sentBefore: order.sentBefore + 1,
      });
  }

  /** Those of its tasks whose fate is still open and still this node's to learn. */
  private async stillToDeliver({ worker, tasks, partition }: Order): Promise<ClaimedTask[]> {
    const current = this.workers.standing(worker.workerId, worker.incarnation) === 'current';
    if (!current || this.stopped || this.partitions.epochOf(partition) === undefined) {
      this.log.log('order let go, it is for others to ask now', { worker: worker.workerId, tasks: tasks.length });
      return [];
    }
    const rows = await this.store.dispatched(
      this.dialect.root,
      tasks.map(({ id }) => id),
    );
    const leases = new Map(rows.map((row) => [row.id, row.lease]));
    return tasks.filter(({ id, lease }) => leases.get(id) === lease);
  }
}

const REFUSALS = new Set(['busy', 'draining', 'no_lease', 'unknown_handler']);
const isRefusal = (
  answer: OrderAnswer,
): answer is OrderAnswer & { outcome: 'busy' | 'draining' | 'no_lease' | 'unknown_handler' } => REFUSALS.has(answer.outcome);

function orderText(task: ClaimedTask, group: string | undefined, trace: string, checkpoint: string | undefined): string {
  const order: Omit<TaskOrder, 'params'> = {
    taskId: task.id,
    lease: task.lease,
    attempt: task.attempt,
    handler: task.handler,
    ...(task.shard_total === null ? {} : { shard: shardOf(task) }),
    ...(group === undefined ? {} : { group }),
    priority: task.priority,
    timeoutMs: Number(task.timeout_ms),
    scheduledAt: Number(task.scheduled_at),
    idempotencyKey: task.id,
    traceparent: `00-${trace.slice(0, 32)}-${trace.slice(32)}-01`,
  };
  const restored = checkpoint === undefined ? '' : `,"checkpoint":${checkpoint}`;
  return `${JSON.stringify(order).slice(0, -1)},"params":${task.params ?? 'null'}${restored}}`;
}

function shardOf({ shard_index, shard_total, options_json }: ClaimedTask): TaskOrder['shard'] {
  const { share } = storedOptions(options_json);
  return { index: shard_index as number, total: shard_total as number, ...(share ? { share } : {}) };
}

/** Parts that each fit one request. */
function split(tasks: ClaimedTask[]): ClaimedTask[][] {
  const parts: ClaimedTask[][] = [];
  let part: ClaimedTask[] = [];
  let bytes = 0;
  for (const task of tasks) {
    const size = ENVELOPE_BYTES + (task.params?.length ?? 0) * 3 + (task.checkpoint_at === null ? 0 : LIMITS.checkpointBytes);
    if (part.length > 0 && bytes + size > LIMITS.channelRequestBytes) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(task);
    bytes += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
