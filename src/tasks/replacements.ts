import { Injectable } from '@nestjs/common';
import { superseded } from '../decisions/overlap.js';
import type { Job } from '../jobs/job.js';
import { SqlDialect } from '../ports.js';
import { JobTaskStore } from './job-task.store.js';
import { TasksService } from './tasks.service.js';

/**
 * Cancels what a newer task of a job with the overlap `replace` takes the place of. Runs after the commit that made the newer one
 * wait; if the process dies in between, the sweep finds the waiting task and does it again. The newer one starts when the older
 * has really stopped (JobSlots).
 */
@Injectable()
export class Replacements {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly jobTasks: JobTaskStore,
    private readonly tasks: TasksService,
  ) {}

  async cancelReplaced(jobs: readonly Pick<Job, 'id' | 'overlap'>[], actor: string): Promise<void> {
    const replacing = jobs.filter(({ overlap }) => overlap === 'replace').map(({ id }) => id);
    const occupants = await this.jobTasks.occupants(this.dialect.root, replacing);
    for (const going of occupants.values())
      for (const id of superseded('replace', going)) await this.tasks.cancelReplaced(id, actor);
  }
}
