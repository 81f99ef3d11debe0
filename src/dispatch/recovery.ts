import type { CancelOrder } from '@evenkeel/sdk/contract';
import { Injectable, Logger } from '@nestjs/common';
import { GroupsService } from '../jobs/groups.service.js';
import { Clock } from '../platform/clock.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { WorkersService } from '../registry/workers.service.js';
import { ClaimStore } from '../tasks/claim.store.js';
import { type EndedAttempt, LifecycleService } from '../tasks/lifecycle.service.js';
import type { TaskRecord } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { OrdersService } from './orders.service.js';
import { PartitionLostError, PartitionsService } from './partitions.service.js';
import { RunningBuffer } from './running-buffer.js';
import { UnstoppedService } from './unstopped.service.js';
import { WorkerClient } from './worker-client.js';

const SWEEP_MS = 5_000;
/** A worker nobody has heard of is given this long to appear in this node's view. */
const UNKNOWN_GRACE_MS = 20_000;
const TIMEOUT_GRACE_MS = 10_000;
const STOP_GRACE_MS = 30_000;
const BATCH = 200;

/**
 * Finds attempts that will not end by themselves, in the partitions this node holds: their worker is gone or replaced, it no
 * longer names them, they run past their limit, or an order was never delivered. Looks every five seconds and at once when a
 * worker changes; every look starts from the rows, so a node that dies in the middle leaves nothing half done.
 */
@Injectable()
export class Recovery {
  private readonly log = new Logger(Recovery.name);
  /** When (monotonic) an attempt was first seen without its worker known here, by `task:lease`. */
  private readonly strangers = new Map<string, number>();
  /** The beat (seq) after which two more must leave an attempt out for it to count as lost, by `task:lease`. */
  private readonly unnamedSince = new Map<string, number>();
  /** When (monotonic) an attempt started, its cancel was asked for, and one past its limit was told to stop, by `task:lease`. */
  private readonly startedAt = new Map<string, number>();
  private readonly cancelAskedAt = new Map<string, number>();
  private readonly stopAskedAt = new Map<string, number>();
  private readonly loop = new Ticker(() => this.sweep(), {
    everyMs: SWEEP_MS,
    onError: (error) => this.log.warn('recovery not finished, trying again', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly partitions: PartitionsService,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly store: ClaimStore,
    private readonly lifecycle: LifecycleService,
    private readonly orders: OrdersService,
    private readonly buffer: RunningBuffer,
    private readonly client: WorkerClient,
    private readonly clock: Clock,
    private readonly unstopped: UnstoppedService,
    tasks: TasksService,
  ) {
    tasks.onCancelAsked((task) => void this.tellToStop(task, 'cancelled'));
    partitions.onTaken(() => this.loop.wake());
  }

  start(): void {
    this.workers.onChange(({ kind }) => {
      if (kind === 'offline' || kind === 'superseded') this.loop.wake();
    });
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
  }

  private async sweep(): Promise<void> {
    const held = new Set(this.partitions.held());
    const groupIds = this.groups
      .all()
      .filter((group) => held.has(group.partition))
      .map((group) => group.id);
    const attempts = await this.store.inFlight(this.dialect.root, groupIds);
    this.forgetOthers(attempts);
    const undelivered = new Map<number, string[]>();
    const ended = new Map<number, EndedAttempt[]>();
    for (const attempt of attempts) {
      const end = this.verdict(attempt);
      if (end) ended.set(attempt.partition, [...(ended.get(attempt.partition) ?? []), end]);
      else if (this.isUndelivered(attempt))
        undelivered.set(attempt.partition, [...(undelivered.get(attempt.partition) ?? []), attempt.id]);
    }
    for (const [partition, ends] of ended) await this.end(partition, ends);
    await this.unstopped.sweep();
    for (const [partition, ids] of undelivered)
      for (let i = 0; i < ids.length; i += BATCH) await this.orders.resend(partition, ids.slice(i, i + BATCH));
  }

  private async end(partition: number, ends: EndedAttempt[]): Promise<void> {
    for (let i = 0; i < ends.length; i += BATCH) {
      const batch = ends.slice(i, i + BATCH);
      try {
        const changes = await this.partitions.within(partition, (tx) =>
          this.lifecycle.end(tx, batch, `node:${this.partitions.node}`),
        );
        if (changes.length > 0) this.log.log('attempts recovered', { partition, tasks: changes.length });
        const unstopped = batch.filter(({ end }) => end.outcome === 'did_not_stop').map(({ taskId }) => taskId);
        if (unstopped.length > 0) {
          this.unstopped.changed(partition);
          this.log.error('attempts did not stop: their tasks were ended, their places stay taken', { tasks: unstopped });
        }
        this.lifecycle.announce(changes);
      } catch (error) {
        if (error instanceof PartitionLostError) return;
        throw error;
      }
    }
  }

  /** How the attempt ended, if it must be ended from here. */
  private verdict(attempt: TaskRecord): EndedAttempt | null {
    const ended = (end: EndedAttempt['end']): EndedAttempt => ({ taskId: attempt.id, lease: attempt.lease as number, end });
    switch (this.workers.standing(attempt.workerId as string, attempt.workerIncarnation as string)) {
      case 'superseded':
      case 'offline':
        return ended({ outcome: 'lost' });
      case 'unknown':
        return this.isStrangerTooLong(attempt) ? ended({ outcome: 'lost' }) : null;
      case 'current':
        this.strangers.delete(keyOf(attempt));
    }
    if (attempt.state === 'RUNNING' && this.isNoLongerNamed(attempt)) return ended({ outcome: 'lost' });
    return this.overdueStop(attempt, ended);
  }

  private isStrangerTooLong(attempt: TaskRecord): boolean {
    const now = this.clock.monotonic();
    const since = this.strangers.get(keyOf(attempt));
    if (since === undefined) this.strangers.set(keyOf(attempt), now);
    return since !== undefined && now - since > UNKNOWN_GRACE_MS;
  }

  /** Two beats in a row, both later than the first look at it, leave a running attempt out. */
  private isNoLongerNamed(attempt: TaskRecord): boolean {
    const key = keyOf(attempt);
    const beats = this.workers.lastBeats(attempt.workerId as string);
    const latest = beats[beats.length - 1];
    if (!latest || this.buffer.has(attempt.id, attempt.lease as number)) return false;
    if (latest.attempts.has(key)) {
      this.unnamedSince.delete(key);
      return false;
    }
    const since = this.unnamedSince.get(key);
    if (since === undefined) this.unnamedSince.set(key, latest.seq);
    return since !== undefined && beats.length >= 2 && beats.every((beat) => beat.seq > since && !beat.attempts.has(key));
  }

  /** Told to stop (limit or cancel) and still there after the grace. */
  private overdueStop(attempt: TaskRecord, ended: (end: EndedAttempt['end']) => EndedAttempt): EndedAttempt | null {
    const key = keyOf(attempt);
    const startedAt = attempt.startedAt ?? attempt.claimedAt;
    const hasLimit = attempt.state === 'RUNNING' && attempt.timeoutMs > 0 && startedAt !== null;
    const runsMs = hasLimit ? this.ageOf(this.startedAt, key, startedAt) : null;
    if (attempt.cancelAskedAt !== null) {
      if (this.ageOf(this.cancelAskedAt, key, attempt.cancelAskedAt) > STOP_GRACE_MS)
        return ended({ outcome: 'did_not_stop', because: 'cancelled' });
      void this.tellToStop(attempt, 'cancelled');
      return null;
    }
    const deadlineAt = this.workers.find(attempt.workerId ?? '')?.drain?.deadlineAt ?? null;
    if (deadlineAt !== null && this.clock.now() > deadlineAt) void this.tellToStop(attempt, 'draining');
    if (runsMs === null || runsMs < attempt.timeoutMs + TIMEOUT_GRACE_MS) return null;
    if (this.ageOf(this.stopAskedAt, key, this.clock.now()) > STOP_GRACE_MS)
      return ended({ outcome: 'did_not_stop', because: 'timed_out' });
    void this.tellToStop(attempt, 'timed_out');
    return null;
  }

  /**
   * Milliseconds since the instant `at` of the shared clock: told by that clock when it is first asked, from then on by the monotonic
   * one, so that a jump of the time cuts nothing off and lets nothing run on.
   */
  private ageOf(memory: Map<string, number>, key: string, at: number): number {
    const now = this.clock.monotonic();
    const since = memory.get(key) ?? now - (this.clock.now() - at);
    memory.set(key, since);
    return now - since;
  }

  private isUndelivered({ state, id, lease }: TaskRecord): boolean {
    return state === 'DISPATCHED' && !this.orders.isInFlight(id, lease as number) && !this.buffer.has(id, lease as number);
  }

  private async tellToStop(attempt: TaskRecord, reason: CancelOrder['reason']): Promise<void> {
    const worker = this.workers.find(attempt.workerId ?? '');
    if (!worker || worker.incarnation !== attempt.workerIncarnation) return;
    await this.client.cancel(worker, [{ taskId: attempt.id, lease: attempt.lease as number, reason }]);
  }

  private forgetOthers(attempts: TaskRecord[]): void {
    const current = new Set(attempts.map(keyOf));
    for (const memory of [this.strangers, this.unnamedSince, this.startedAt, this.cancelAskedAt, this.stopAskedAt])
      for (const key of memory.keys()) if (!current.has(key)) memory.delete(key);
  }
}

const keyOf = (attempt: TaskRecord): string => `${attempt.id}:${attempt.lease}`;
