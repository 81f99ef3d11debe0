import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { AttemptStore } from './attempt.store.js';
import { AttemptLogStore } from './attempt-log.store.js';
import { ClaimStore } from './claim.store.js';
import { Consequences } from './consequences.js';
import { JobSlots } from './job-slots.js';
import { JobTaskStore } from './job-task.store.js';
import { LaneStore } from './lane.store.js';
import { LanesService } from './lanes.service.js';
import { LifecycleService } from './lifecycle.service.js';
import { NewTaskStore } from './new-task.store.js';
import { ProgressStore } from './progress.store.js';
import { Replacements } from './replacements.js';
import { RunsService } from './runs.service.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskStore } from './task.store.js';
import { TaskLogs } from './task-logs.js';
import { TaskNews } from './task-news.js';
import { TasksService } from './tasks.service.js';
import { UnstoppedStore } from './unstopped.store.js';

/** The record of a task: the only writer of its state. */
@Module({
  imports: [JobsModule],
  providers: [
    TaskStore,
    LaneStore,
    LanesService,
    NewTaskStore,
    ClaimStore,
    AttemptStore,
    AttemptLogStore,
    TaskLogs,
    ProgressStore,
    UnstoppedStore,
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
  exports: [
    TaskStore,
    ClaimStore,
    LanesService,
    TaskNews,
    JobTaskStore,
    JobSlots,
    LifecycleService,
    TasksService,
    TaskLogs,
    UnstoppedStore,
    ProgressStore,
    Replacements,
    RunsService,
  ],
})
export class TasksModule {}
