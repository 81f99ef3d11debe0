import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { waitingReason } from '../decisions/explain.js';
import { GroupsService } from '../jobs/groups.service.js';
import { SqlDialect } from '../ports.js';
import { WorkersService } from '../registry/workers.service.js';
import { ClaimStore } from '../tasks/claim.store.js';
import type { TaskRecord } from '../tasks/task.js';

/** Says in one code why a task is not running; computed when asked, so that waiting costs no writes. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly store: ClaimStore,
  ) {}

  /** For each task; a group's quota is counted once. */
  async waitingReasons(tasks: readonly TaskRecord[]): Promise<(ReasonCode | null)[]> {
    const waiting = tasks.filter(({ state }) => state === 'PENDING');
    const atQuota = new Map<number, boolean>();
    for (const id of new Set(waiting.map(({ groupId }) => groupId))) {
      const group = this.groups.byId(id);
      if (group) atQuota.set(id, (await this.store.countInFlight(this.dialect.root, id)) >= group.maxRunning);
    }
    return tasks.map((task) => this.reasonOf(task, atQuota.get(task.groupId) ?? false));
  }

  private reasonOf(task: TaskRecord, groupAtQuota: boolean): ReasonCode | null {
    const group = this.groups.byId(task.groupId);
    return waitingReason({
      state: task.state,
      reason: task.reason,
      cancelAsked: task.cancelAskedAt !== null,
      groupHeld: group !== undefined && this.groups.isHeld(group),
      handlerServed: group !== undefined && this.workers.anyServes(group.key, task.handler),
      workerHasRoom: group !== undefined && this.workers.handlersServed(group.key).includes(task.handler),
      groupAtQuota,
    });
  }
}
