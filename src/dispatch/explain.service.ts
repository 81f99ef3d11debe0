import { Injectable } from '@nestjs/common';
import type { ReasonCode } from '@evenkeel/sdk/contract';
import { waitingReason } from '../decisions/explain.js';
import { GroupsService } from '../jobs/groups.service.js';
import { SqlDialect } from '../ports.js';
import { WorkersService } from '../registry/workers.service.js';
import type { TaskRecord } from '../tasks/task.js';
import { TaskStore } from '../tasks/task.store.js';

/** Says in one code why a task is not running; computed when asked, so that waiting costs no writes. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly store: TaskStore,
  ) {}

  async waitingReason(task: TaskRecord): Promise<ReasonCode | null> {
    const group = this.groups.byId(task.groupId);
    const pending = task.state === 'PENDING' && group !== undefined;
    return waitingReason({
      state: task.state,
      reason: task.reason,
      cancelAsked: task.cancelAskedAt !== null,
      groupHeld: group !== undefined && this.groups.isHeld(group),
      handlerServed: group !== undefined && this.workers.anyServes(group.key, task.handler),
      workerHasRoom: group !== undefined && this.workers.handlersServed(group.key).includes(task.handler),
      groupAtQuota: pending && (await this.store.countInFlight(this.dialect.root, group.id)) >= group.maxRunning,
    });
  }
}
