import { Module } from '@nestjs/common';
import { GroupStore } from './group.store.js';
import { GroupsService } from './groups.service.js';
import { JobStore } from './job.store.js';
import { JobNews } from './job-news.js';
import { JobsService } from './jobs.service.js';
import { SystemSettingStore } from './system-setting.store.js';
import { SystemSettingsService } from './system-settings.service.js';

/** Groups and the job definitions they own. */
@Module({
  providers: [GroupStore, GroupsService, JobStore, JobNews, JobsService, SystemSettingStore, SystemSettingsService],
  exports: [GroupsService, SystemSettingsService, JobStore, JobNews, JobsService],
})
export class JobsModule {}
