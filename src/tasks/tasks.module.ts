import { Module } from '@nestjs/common';
import { CallbacksModule } from '../callbacks/callbacks.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { AttemptStore } from './attempt.store.js';
import { ClaimStore } from './claim.store.js';
import { Consequences } from './consequences.js';
import { JobSlots } from './job-slots.js';
import { JobTaskStore } from './job-task.store.js';
import { LifecycleService } from './lifecycle.service.js';
import { NewTaskStore } from './new-task.store.js';
import { Replacements } from './replacements.js';
import { RunsService } from './runs.service.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';
import { TasksService } from './tasks.service.js';

/** The record of a task: the only writer of its state. */
@Module({
  imports: [JobsModule, CallbacksModule],
  providers: [
    TaskStore,
    NewTaskStore,
    ClaimStore,
    AttemptStore,
    TaskNews,
    SubmissionsService,
    JobTaskStore,
    JobSlots,
    Consequences,
    LifecycleService,
    TasksService,
    Replacements,
    RunsService,
  ],
  exports: [TaskStore, ClaimStore, TaskNews, JobTaskStore, JobSlots, LifecycleService, TasksService, Replacements, RunsService],
})
export class TasksModule {}
