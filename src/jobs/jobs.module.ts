import { Module } from '@nestjs/common';
import { GroupStore } from './group.store.js';
import { GroupsService } from './groups.service.js';

/** Groups and, in time, the job definitions they own. */
@Module({ providers: [GroupStore, GroupsService], exports: [GroupsService] })
export class JobsModule {}
