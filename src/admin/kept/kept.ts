import { Injectable } from '@nestjs/common';
import { AuditService } from '../../auth/audit.service.js';
import { RejectedRequests } from '../../auth/rejected-requests.js';
import { OldDeliveries } from '../../callbacks/old-deliveries.js';
import { DeletedJobStore } from '../../jobs/deleted-job.store.js';
import { Config } from '../../platform/config.js';
import { inBatches } from '../../platform/database/in-batches.js';
import { SqlDialect } from '../../ports.js';
import { OldTasks } from '../../tasks/old-tasks.js';
import type { RetentionKind } from '../contract/system.js';
import { EndpointRollupStore } from '../rollups/endpoint-rollup.store.js';
import { KeyRollupStore } from '../rollups/key-rollup.store.js';
import { MINUTE, TEN_MINUTES } from '../rollups/rollup.js';
import { TaskRollupStore } from '../rollups/task-rollup.store.js';
import { WorkerRollupStore } from '../rollups/worker-rollup.store.js';

const DAY = 86_400_000;
/** No chart looks further back by the minute. */
const MINUTES_KEPT_MS = 8 * DAY;
const ROWS = 500;

/** One kind of what is kept for a while. `remove` works in small transactions and yields after each how much it removed. */
export interface Kept {
  kind: RetentionKind;
  /** 0: for ever. */
  keptMs: number;
  /** `now`: epoch milliseconds. */
  remove: (now: number) => AsyncGenerator<number>;
}

/** What is kept, for how long, and how it is removed. */
@Injectable()
export class KeptKinds {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly config: Config,
    private readonly tasks: OldTasks,
    private readonly deliveries: OldDeliveries,
    private readonly audit: AuditService,
    private readonly rollups: TaskRollupStore,
    private readonly endpoints: EndpointRollupStore,
    private readonly keys: KeyRollupStore,
    private readonly rejected: RejectedRequests,
    private readonly workers: WorkerRollupStore,
    private readonly deletedJobs: DeletedJobStore,
  ) {}

  all(): Kept[] {
    const { tasksMs, logsMs, auditMs, figuresMs } = this.config.retention;
    return [
      { kind: 'tasks', keptMs: tasksMs, remove: (now) => this.removeTasks(now - tasksMs) },
      { kind: 'logs', keptMs: logsMs, remove: (now) => this.removeLogs(now - logsMs) },
      { kind: 'audit', keptMs: auditMs, remove: (now) => this.audit.removeBefore(now - auditMs) },
      { kind: 'figures', keptMs: figuresMs, remove: (now) => this.removeFigures(now, figuresMs) },
    ];
  }

  private async *removeTasks(before: number): AsyncGenerator<number> {
    yield* this.tasks.remove(before);
    yield* inBatches(ROWS, (most) => this.deletedJobs.removeBefore(this.dialect.root, before, most));
    yield* this.deliveries.removeOfNoTask(before);
    yield* this.deliveries.forgetIdleTargets(before);
    yield* this.deliveries.forgetChallenges(before);
  }

  private async *removeLogs(before: number): AsyncGenerator<number> {
    yield* this.tasks.removeLogs(before);
    yield* inBatches(ROWS, (most) => this.rejected.removeBefore(before, most));
  }

  private async *removeFigures(now: number, keptMs: number): AsyncGenerator<number> {
    const { root } = this.dialect;
    const spans = [
      [MINUTE, Math.min(keptMs, MINUTES_KEPT_MS)],
      [TEN_MINUTES, keptMs],
    ] as const;
    for (const [span, kept] of spans) yield* inBatches(ROWS, (most) => this.rollups.removeBefore(root, span, now - kept, most));
    const workers = now - Math.min(keptMs, MINUTES_KEPT_MS);
    yield* inBatches(ROWS, (most) => this.workers.removeBefore(root, workers, most));
    for (let id = await this.endpoints.next(root, ''); id !== undefined; id = await this.endpoints.next(root, id)) {
      const endpoint = id;
      yield* inBatches(ROWS, (most) => this.endpoints.removeBefore(root, endpoint, now - keptMs, most));
    }
    for (let key = await this.keys.next(root, ''); key !== undefined; key = await this.keys.next(root, key))
      yield this.keys.removeBefore(root, key, now - keptMs);
  }
}
