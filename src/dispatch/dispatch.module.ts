import { type BeforeApplicationShutdown, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthModule } from '../auth/auth.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { Readiness } from '../platform/http/health.js';
import { RegistryModule } from '../registry/registry.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { Backfiller } from './backfiller.js';
import { ClaimsService } from './claims.service.js';
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

/** The loops that make it run, started when everything they stand on is up and stopped before anything of it goes away. */
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
  ],
  exports: [DrainsService, ExplainService, PartitionsService],
})
export class DispatchModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly recovery: Recovery,
    private readonly jobSweep: JobSweep,
    private readonly backfiller: Backfiller,
    private readonly flowSweep: FlowSweep,
    private readonly splitter: Splitter,
    private readonly orders: OrdersService,
    private readonly buffer: RunningBuffer,
    private readonly partitions: PartitionsService,
    readiness: Readiness,
  ) {
    readiness.add({ name: 'partitions', check: async () => (partitions.isCurrent() ? null : 'not renewed from the database') });
  }

  onApplicationBootstrap(): void {
    this.buffer.start();
    this.dispatcher.start();
    this.recovery.start();
    this.jobSweep.start();
    this.backfiller.start();
    this.flowSweep.start();
    this.splitter.start();
  }

  /** Stops claiming, writes what is known, then hands the partitions over; orders still under way are the next holder's. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([
      this.dispatcher.stop(),
      this.recovery.stop(),
      this.jobSweep.stop(),
      this.backfiller.stop(),
      this.flowSweep.stop(),
      this.splitter.stop(),
    ]);
    this.orders.stop();
    await this.buffer.stop().catch(() => {});
    await this.partitions.handOver();
  }
}
