import { Module } from '@nestjs/common';
import { BackfillsService } from './backfills.service.js';
import { GroupStore } from './group.store.js';
import { GroupsService } from './groups.service.js';
import { JobStore } from './job.store.js';
import { JobBackfillStore } from './job-backfill.store.js';
import { JobEdgeStore } from './job-edge.store.js';
import { JobNews } from './job-news.js';
import { JobUpstreams } from './job-upstreams.js';
import { JobsService } from './jobs.service.js';

/** Groups and the job definitions they own. */
@Module({
  providers: [
    GroupStore,
    GroupsService,
    JobStore,
    JobEdgeStore,
    JobNews,
    JobUpstreams,
    JobsService,
    JobBackfillStore,
    BackfillsService,
  ],
  exports: [GroupsService, JobStore, JobEdgeStore, JobNews, JobsService, JobBackfillStore, BackfillsService],
})
export class JobsModule {}
