import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { waitingReason } from '../decisions/explain.js';
import { GroupsService } from '../jobs/groups.service.js';
import { SystemSettingsService } from '../jobs/system-settings.service.js';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import { WorkersService } from '../registry/workers.service.js';
import { ClaimStore } from '../tasks/claim.store.js';
import { FlowStore } from '../tasks/flow.store.js';
import { hasShards, type TaskRecord } from '../tasks/task.js';

const STOP_GRACE_MS = 2_000;

/** What the reason of a task is told from. */
export type AskedAbout = Pick<
  TaskRecord,
  | 'id'
  | 'state'
  | 'reason'
  | 'groupId'
  | 'handler'
  | 'options'
  | 'pinnedWorkerId'
  | 'cancelAskedAt'
  | 'startedAt'
  | 'timeoutMs'
  | 'parentId'
  | 'shardTotal'
>;

/** Says in one code why a task is not running; computed when asked, so that waiting costs no writes. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly store: ClaimStore,
    private readonly flows: FlowStore,
    private readonly clock: Clock,
    private readonly settings: SystemSettingsService,
  ) {}

  /** For each task. Two statements at most, however many tasks and groups there are. */
  async waitingReasons(tasks: readonly AskedAbout[]): Promise<(ReasonCode | null)[]> {
    const waiting = tasks.filter(({ state }) => state === 'PENDING');
    const groupIds = [...new Set(waiting.map(({ groupId }) => groupId))];
    const inFlight = await this.store.countInFlight(this.dialect.root, groupIds);
    const isAtQuota = (id: number) => (inFlight.get(id) ?? 0) >= (this.groups.byId(id)?.maxRunning ?? Number.POSITIVE_INFINITY);
    const atQuota = new Set(groupIds.filter(isAtQuota));
    const blocked = tasks.filter(({ state }) => state === 'BLOCKED').map(({ id }) => id);
    const waitingForUpstream = await this.flows.waitingAmong(this.dialect.root, blocked);
    return tasks.map((task) => this.reasonOf(task, atQuota.has(task.groupId), waitingForUpstream.has(task.id)));
  }

  private reasonOf(task: AskedAbout, groupAtQuota: boolean, waitsForUpstream: boolean): ReasonCode | null {
    const group = this.groups.byId(task.groupId);
    return waitingReason({
      state: task.state,
      reason: task.reason,
      cancelAsked: task.cancelAskedAt !== null,
      stopOverdue: this.isStopOverdue(task),
      maintenance: this.settings.maintenance !== null,
      groupHeld: group !== undefined && this.groups.isHeld(group),
      handlerServed: group !== undefined && this.isServed(task, group.key),
      workerHasRoom: group !== undefined && this.hasRoom(task, group.key),
      groupAtQuota,
      groupHasRate: group !== undefined && group.maxDispatchRate !== null,
      waitsForUpstream,
      divided: hasShards(task),
    });
  }

  /** A task divided into a fixed number needs nobody for it; a broadcast needs somebody it can go to. */
  private isServed(task: AskedAbout, groupKey: string): boolean {
    if (!hasShards(task)) return this.workers.anyServes(groupKey, task.handler, task.options);
    return task.shardTotal !== 0 || this.workers.eligible(groupKey, task.handler, task.options).length > 0;
  }

  private hasRoom({ handler, options, pinnedWorkerId }: AskedAbout, groupKey: string): boolean {
    const own = this.workers.eligible(groupKey, handler, options).find(({ workerId }) => workerId === pinnedWorkerId);
    return own ? this.workers.available(own) > 0 : this.workers.hasRoom(groupKey, handler, options);
  }

  /** A moment after it should have: a worker that obeys needs none of it. */
  private isStopOverdue({ state, startedAt, timeoutMs, cancelAskedAt }: AskedAbout): boolean {
    if (state !== 'RUNNING') return false;
    const until = this.clock.now() - STOP_GRACE_MS;
    const limitAt = timeoutMs === 0 || startedAt === null ? Number.POSITIVE_INFINITY : startedAt + timeoutMs;
    return Math.min(limitAt, cancelAskedAt ?? Number.POSITIVE_INFINITY) < until;
  }
}
