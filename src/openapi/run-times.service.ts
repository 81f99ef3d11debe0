import { Injectable } from '@nestjs/common';
import { RecentRunTimes } from '../decisions/recent-run-times.js';
import { Clock } from '../platform/clock.js';
import { TasksService } from '../tasks/tasks.service.js';

/** How long the handlers take of late, fed by the tasks this node sees end. Costs the hot path no query. */
@Injectable()
export class RunTimesService {
  private readonly recent = new RecentRunTimes();

  constructor(
    tasks: TasksService,
    private readonly clock: Clock,
  ) {
    tasks.onEnded((ended) => {
      for (const { state, groupId, handler, startedAt, endedAt } of ended) {
        if (state === 'CANCELLED' || state === 'SKIPPED' || startedAt === null || endedAt === null) continue;
        this.recent.add(groupId, handler, endedAt - startedAt, clock.monotonic());
      }
    });
  }

  /** Milliseconds, or null while too few ends were seen. */
  p95(groupId: number, handler: string): number | null {
    return this.recent.p95(groupId, handler, this.clock.monotonic());
  }
}
