import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthModule } from '../auth/auth.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { Readiness } from '../platform/http/health.js';
import { RegistryModule } from '../registry/registry.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { Backfiller } from './backfiller.js';
import { ClaimsService } from './claims.service.js';
import { DispatchLoops } from './dispatch-loops.js';
import { Dispatcher } from './dispatcher.js';
import { DrainsService } from './drains.service.js';
import { DueService } from './due.service.js';
import { Epochs } from './epochs.js';
import { ExplainService } from './explain.service.js';
import { FiresService } from './fires.service.js';
import { FlowSweep } from './flow-sweep.js';
import { JobSweep } from './job-sweep.js';
import { OrdersService } from './orders.service.js';
import { PartitionStore } from './partition.store.js';
import { PartitionsService } from './partitions.service.js';
import { Planner } from './planner.js';
import { ProgressService } from './progress.service.js';
import { Recovery } from './recovery.js';
import { ReportsService } from './reports.service.js';
import { RunningBuffer } from './running-buffer.js';
import { Splitter } from './splitter.js';
import { UnstoppedService } from './unstopped.service.js';
import { WorkerChannelController } from './worker-channel.controller.js';
import { WorkerChannelService } from './worker-channel.service.js';
import { WorkerClientModule } from './worker-client.module.js';

/** The loops that make it run, started when everything they stand on is up; `AppModule` stops them before anything of it goes away. */
@Module({
  imports: [ScheduleModule.forRoot(), AuthModule, JobsModule, RegistryModule, TasksModule, WorkerClientModule],
  controllers: [WorkerChannelController],
  providers: [
    PartitionStore,
    PartitionsService,
    { provide: Epochs, useExisting: PartitionsService },
    WorkerChannelService,
    UnstoppedService,
    ClaimsService,
    OrdersService,
    RunningBuffer,
    DueService,
    DrainsService,
    FiresService,
    Planner,
    JobSweep,
    Backfiller,
    FlowSweep,
    Splitter,
    Dispatcher,
    Recovery,
    ReportsService,
    ProgressService,
    ExplainService,
    DispatchLoops,
  ],
  exports: [DispatchLoops, DrainsService, ExplainService, PartitionsService],
})
export class DispatchModule implements OnApplicationBootstrap {
  constructor(
    private readonly loops: DispatchLoops,
    partitions: PartitionsService,
    readiness: Readiness,
  ) {
    readiness.add({ name: 'partitions', check: async () => (partitions.isCurrent() ? null : 'not renewed from the database') });
  }

  onApplicationBootstrap(): void {
    this.loops.start();
  }
}
