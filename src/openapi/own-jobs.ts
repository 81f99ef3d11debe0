import { Injectable } from '@nestjs/common';
import type { Job } from '../jobs/job.js';
import { JobsService } from '../jobs/jobs.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import { isId } from '../platform/ids.js';
import { GrantedGroups } from './granted-groups.js';

/** Jobs as the caller's key may see and use them. */
@Injectable()
export class OwnJobs {
  constructor(
    private readonly jobs: JobsService,
    private readonly granted: GrantedGroups,
  ) {}

  /** Throws AppError `not_found`, the same for ids that are malformed, unknown, another app's or of a group the key was not granted. */
  async find(caller: PartnerCaller, id: string): Promise<Job> {
    const job = await this.shown(caller, id);
    if (!job) throw jobNotFound();
    return job;
  }

  /** The job, if there is one for this caller. */
  async shown(caller: PartnerCaller, id: string): Promise<Job | null> {
    const job = isId('job', id) ? await this.jobs.find(caller.appId, id) : null;
    return job && this.granted.shows(job.groupId, caller) ? job : null;
  }

  /** To start it or to change what it runs. Throws AppError as `find`, and `insufficient_scope` where the app may use its group no more. */
  async use(caller: PartnerCaller, id: string): Promise<Job> {
    const job = await this.find(caller, id);
    this.granted.mustUse(job.groupId, caller);
    return job;
  }
}

export const jobNotFound = (): AppError => new AppError('not_found', 'this app has no job with that id');
