import { Module } from '@nestjs/common';
import { CallbacksModule } from '../callbacks/callbacks.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { AttemptStore } from './attempt.store.js';
import { AttemptLogStore } from './attempt-log.store.js';
import { ClaimStore } from './claim.store.js';
import { Consequences } from './consequences.js';
import { DependentSubmissions } from './dependent-submissions.js';
import { EventStore } from './event.store.js';
import { EventsService } from './events.service.js';
import { FlowStore } from './flow.store.js';
import { Flows } from './flows.js';
import { JobSlots } from './job-slots.js';
import { JobTaskStore } from './job-task.store.js';
import { Joins } from './joins.js';
import { KeyWatch } from './key-watch.js';
import { LaneStore } from './lane.store.js';
import { LanesService } from './lanes.service.js';
import { LifecycleService } from './lifecycle.service.js';
import { MissedEnds } from './missed-ends.js';
import { NewTaskStore } from './new-task.store.js';
import { OldTasks } from './old-tasks.js';
import { OldTasksStore } from './old-tasks.store.js';
import { PeriodStore } from './period.store.js';
import { PeriodFires } from './period-fires.js';
import { ProgressStore } from './progress.store.js';
import { Rearming } from './rearming.js';
import { Replacements } from './replacements.js';
import { RequestKeys } from './request-keys.js';
import { RetriesService } from './retries.service.js';
import { RunsService } from './runs.service.js';
import { ShardStore } from './shard.store.js';
import { ShardRollup } from './shard-rollup.js';
import { ShardSplits } from './shard-splits.js';
import { ShardStops } from './shard-stops.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskStore } from './task.store.js';
import { TaskLogs } from './task-logs.js';
import { TaskNews } from './task-news.js';
import { TasksService } from './tasks.service.js';
import { UnfinishedTasks } from './unfinished-tasks.js';
import { UnfinishedTasksStore } from './unfinished-tasks.store.js';
import { UnstoppedStore } from './unstopped.store.js';
import { UpstreamVerdicts } from './upstream-verdicts.js';

/** The record of a task: the only writer of its state. */
@Module({
  imports: [JobsModule, CallbacksModule],
  providers: [
    TaskStore,
    RequestKeys,
    KeyWatch,
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
    MissedEnds,
    SubmissionsService,
    JobTaskStore,
    JobSlots,
    FlowStore,
    PeriodStore,
    EventStore,
    UpstreamVerdicts,
    Joins,
    Flows,
    Rearming,
    PeriodFires,
    ShardStore,
    ShardRollup,
    ShardSplits,
    ShardStops,
    Consequences,
    LifecycleService,
    DependentSubmissions,
    RetriesService,
    TasksService,
    Replacements,
    RunsService,
    EventsService,
    UnfinishedTasksStore,
    UnfinishedTasks,
    OldTasksStore,
    OldTasks,
  ],
  exports: [
    TaskStore,
    ClaimStore,
    LanesService,
    TaskLogs,
    UnstoppedStore,
    ProgressStore,
    TaskNews,
    JobTaskStore,
    JobSlots,
    FlowStore,
    UpstreamVerdicts,
    Flows,
    Consequences,
    PeriodFires,
    ShardStore,
    ShardRollup,
    ShardSplits,
    LifecycleService,
    TasksService,
    Replacements,
    RunsService,
    EventsService,
    UnfinishedTasks,
    OldTasks,
    MissedEnds,
  ],
})
export class TasksModule {}
