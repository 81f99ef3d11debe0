import { Injectable } from '@nestjs/common';
import { previousFire } from '../decisions/schedule/previous-fire.js';
import type { Sql } from '../ports.js';
import { Consequences } from './consequences.js';
import { FlowStore } from './flow.store.js';
import { Flows } from './flows.js';
import type { NewJobTask } from './job-task.store.js';
import { PeriodStore } from './period.store.js';
import type { TaskChange } from './task.store.js';

/**
 * What a fire of a job with upstreams waits for: every task its upstreams fire in the period from the fire before it, by the
 * schedule, up to itself; and those still to come while an upstream's next fire lies in it. The planner holds the locks of the jobs
 * and their upstreams, so an upstream fires either before this looks, or after its wait is written.
 */
@Injectable()
export class PeriodFires {
  constructor(
    private readonly store: FlowStore,
    private readonly periods: PeriodStore,
    private readonly flows: Flows,
    private readonly consequences: Consequences,
  ) {}

  /** `tasks`: those just inserted, of jobs with and without upstreams; the jobs have moved on already. */
  async settle(tx: Sql, tasks: readonly NewJobTask[], now: number, actor: string): Promise<TaskChange[]> {
    const waiting = tasks.filter(({ state, job, fireAt }) => state === 'BLOCKED' && fireAt !== null && job.upstreams?.length);
    await this.store.addWaits(
      tx,
      waiting.map(({ id, job }) => ({ id, partition: job.partition })),
    );
    await this.periods.add(
      tx,
      waiting.flatMap(({ id, job, fireAt }) => {
        const untilAt = fireAt as number;
        const afterAt = previousFire(job.schedule, untilAt) ?? Math.min(job.createdAt, untilAt - 1);
        return (job.upstreams ?? []).map((upstreamId) => ({ taskId: id, upstreamId, afterAt, untilAt }));
      }),
    );
    const fires = tasks.flatMap(({ job, fireAt }) => (fireAt === null ? [] : [{ jobId: job.id, fireAt }]));
    const { changes } = await this.flows.reviewFires(
      tx,
      fires,
      waiting.map(({ id }) => id),
      now,
      actor,
    );
    return this.consequences.follow(tx, changes, now, actor);
  }
}
