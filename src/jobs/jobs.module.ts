import { Module } from '@nestjs/common';
import { BackfillsService } from './backfills.service.js';
import { ConfigurationService } from './configuration.service.js';
import { DeletedJobStore } from './deleted-job.store.js';
import { GroupStore } from './group.store.js';
import { GroupsService } from './groups.service.js';
import { HouseJobStore } from './house-job.store.js';
import { JobStore } from './job.store.js';
import { JobBackfillStore } from './job-backfill.store.js';
import { JobEdgeStore } from './job-edge.store.js';
import { JobNews } from './job-news.js';
import { JobUpstreams } from './job-upstreams.js';
import { JobsService } from './jobs.service.js';
import { OpenGroups } from './open-groups.js';
import { SystemSettingStore } from './system-setting.store.js';
import { SystemSettingsService } from './system-settings.service.js';

/** Groups and the job definitions they own. */
@Module({
  providers: [
    GroupStore,
    GroupsService,
    OpenGroups,
    SystemSettingStore,
    SystemSettingsService,
    JobStore,
    DeletedJobStore,
    JobEdgeStore,
    JobNews,
    JobUpstreams,
    JobsService,
    JobBackfillStore,
    BackfillsService,
    HouseJobStore,
    ConfigurationService,
  ],
  exports: [
    GroupsService,
    OpenGroups,
    SystemSettingsService,
    JobStore,
    DeletedJobStore,
    JobEdgeStore,
    JobNews,
    JobsService,
    JobBackfillStore,
    BackfillsService,
    ConfigurationService,
  ],
})
export class JobsModule {}
