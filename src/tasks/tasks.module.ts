import { Module } from '@nestjs/common';
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
import { ShardStore } from './shard.store.js';
import { ShardRollup } from './shard-rollup.js';
import { ShardSplits } from './shard-splits.js';
import { ShardStops } from './shard-stops.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';
import { TasksService } from './tasks.service.js';

/** The record of a task: the only writer of its state. */
@Module({
  imports: [JobsModule],
  providers: [
    TaskStore,
    NewTaskStore,
    ClaimStore,
    AttemptStore,
    TaskNews,
    SubmissionsService,
    JobTaskStore,
    JobSlots,
    ShardStore,
    ShardRollup,
    Consequences,
    ShardSplits,
    ShardStops,
    LifecycleService,
    TasksService,
    Replacements,
    RunsService,
  ],
  exports: [
    TaskStore,
    ClaimStore,
    TaskNews,
    JobTaskStore,
    JobSlots,
    ShardStore,
    ShardRollup,
    ShardSplits,
    Consequences,
    LifecycleService,
    TasksService,
    Replacements,
    RunsService,
  ],
})
export class TasksModule {}
