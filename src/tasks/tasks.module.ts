import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { JobSlots } from './job-slots.js';
import { JobTaskStore } from './job-task.store.js';
import { LifecycleService } from './lifecycle.service.js';
import { Replacements } from './replacements.js';
import { RunsService } from './runs.service.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';
import { TasksService } from './tasks.service.js';

/** The record of a task: the only writer of its state. */
@Module({
  imports: [JobsModule],
  providers: [
    TaskStore,
    TaskNews,
    SubmissionsService,
    JobTaskStore,
    JobSlots,
    LifecycleService,
    TasksService,
    Replacements,
    RunsService,
  ],
  exports: [TaskStore, TaskNews, JobTaskStore, JobSlots, LifecycleService, TasksService, Replacements, RunsService],
})
export class TasksModule {}
