import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CallbackSettingsModule } from '../callbacks/callback-settings.module.js';
import { CallbacksModule } from '../callbacks/callbacks.module.js';
import { DispatchModule } from '../dispatch/dispatch.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AuditController } from './audit/audit.controller.js';
import { ConsoleAuditService } from './audit/console-audit.service.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkStore } from './bulk/bulk.store.js';
import { BulkActions } from './bulk/bulk-actions.js';
import { BulkRunner } from './bulk/bulk-runner.js';
import { ConsoleBulkService } from './bulk/console-bulk.service.js';
import { JobMoves } from './bulk/job-moves.js';
import { AppCallbacksService } from './callbacks/app-callbacks.service.js';
import { ConsoleCallbacksController } from './callbacks/callbacks.controller.js';
import { ConsoleDeliveriesService } from './callbacks/console-deliveries.service.js';
import { ConsoleEndpointsService } from './callbacks/console-endpoints.service.js';
import { DeliveryExportService } from './callbacks/delivery-export.service.js';
import { EndpointFiguresService } from './callbacks/endpoint-figures.service.js';
import { AdminDocumentController } from './document/admin-document.controller.js';
import { AdminDocumentService } from './document/admin-document.service.js';
import { ConsoleGroupsController } from './groups/console-groups.controller.js';
import { ConsoleGroupsService } from './groups/console-groups.service.js';
import { GroupFiguresStore } from './groups/group-figures.store.js';
import { GroupInsightService } from './groups/group-insight.service.js';
import { ConsoleBackfillsService } from './jobs/console-backfills.service.js';
import { ConsoleJobStore } from './jobs/console-job.store.js';
import { ConsoleJobsService } from './jobs/console-jobs.service.js';
import { GraphController } from './jobs/graph.controller.js';
import { JobChangesService } from './jobs/job-changes.service.js';
import { JobExportService } from './jobs/job-export.service.js';
import { JobGraphService } from './jobs/job-graph.service.js';
import { JobHistoryService } from './jobs/job-history.service.js';
import { JobPages } from './jobs/job-pages.js';
import { ConsoleJobsController } from './jobs/jobs.controller.js';
import { Previews } from './jobs/previews.js';
import { KeptKinds } from './kept/kept.js';
import { RetentionStore } from './kept/retention.store.js';
import { RetentionSweep } from './kept/retention-sweep.js';
import { ConsoleAppsService } from './keys/console-apps.service.js';
import { ConsoleKeysService } from './keys/console-keys.service.js';
import { KeyFiguresService } from './keys/key-figures.service.js';
import { KeyViews } from './keys/key-views.js';
import { KeysController } from './keys/keys.controller.js';
import { RejectedRequestsController } from './keys/rejected-requests.controller.js';
import { RejectedRequestsService } from './keys/rejected-requests.service.js';
import { CalendarService } from './overview/calendar.service.js';
import { CalendarPasts } from './overview/calendar-past.js';
import { ChartsService } from './overview/charts.service.js';
import { ComparisonService } from './overview/comparison.service.js';
import { FireRecords } from './overview/fire-records.js';
import { OverviewController } from './overview/overview.controller.js';
import { OverviewService } from './overview/overview.service.js';
import { SearchService } from './overview/search.service.js';
import { EndpointRollupStore } from './rollups/endpoint-rollup.store.js';
import { KeyRollupStore } from './rollups/key-rollup.store.js';
import { OwnRowStore } from './rollups/own-row.store.js';
import { RollupWriter } from './rollups/rollup-writer.js';
import { TaskRollupStore } from './rollups/task-rollup.store.js';
import { WorkerRollupStore } from './rollups/worker-rollup.store.js';
import { WorkerRollupWriter } from './rollups/worker-rollup-writer.js';
import { ConsoleSessionController } from './session/session.controller.js';
import { ConsoleSessionService } from './session/session.service.js';
import { ConsoleSite } from './site/console-site.js';
import { StreamController } from './stream/stream.controller.js';
import { StreamService } from './stream/stream.service.js';
import { StreamHub } from './stream/stream-hub.js';
import { ConsoleMaintenanceService } from './system/console-maintenance.service.js';
import { ConsoleSettingsController } from './system/console-settings.controller.js';
import { ConsoleSettingsService } from './system/console-settings.service.js';
import { NoticesService } from './system/notices.service.js';
import { SystemController } from './system/system.controller.js';
import { SystemService } from './system/system.service.js';
import { SystemStore } from './system/system.store.js';
import { ConsoleTaskLogsService } from './tasks/console-task-logs.service.js';
import { ConsoleTasksService } from './tasks/console-tasks.service.js';
import { TaskChangesService } from './tasks/task-changes.service.js';
import { TaskExplainService } from './tasks/task-explain.service.js';
import { TaskExportService } from './tasks/task-export.service.js';
import { TaskFactsStore } from './tasks/task-facts.store.js';
import { TaskGroupsService } from './tasks/task-groups.service.js';
import { TaskLinksService } from './tasks/task-links.service.js';
import { TaskPages } from './tasks/task-pages.js';
import { TaskSearchStore } from './tasks/task-search.store.js';
import { ConsoleTasksController } from './tasks/tasks.controller.js';
import { Trail } from './trail.js';
import { ConsoleTransferService } from './transfer/console-transfer.service.js';
import { TransferController } from './transfer/transfer.controller.js';
import { ConsoleUsersController } from './users/users.controller.js';
import { ConsoleUsersService } from './users/users.service.js';
import { ConsoleWorkersService } from './workers/console-workers.service.js';
import { WorkerInsightService } from './workers/worker-insight.service.js';
import { WorkerWorkStore } from './workers/worker-work.store.js';
import { ConsoleWorkersController } from './workers/workers.controller.js';

/** The console's face: `/api`, its stream and its files. */
@Module({
  imports: [AuthModule, JobsModule, RegistryModule, TasksModule, DispatchModule, CallbacksModule, CallbackSettingsModule],
  controllers: [
    ConsoleSessionController,
    ConsoleUsersController,
    AuditController,
    ConsoleGroupsController,
    KeysController,
    RejectedRequestsController,
    ConsoleWorkersController,
    ConsoleJobsController,
    GraphController,
    ConsoleTasksController,
    OverviewController,
    SystemController,
    ConsoleSettingsController,
    StreamController,
    BulkController,
    ConsoleCallbacksController,
    TransferController,
    AdminDocumentController,
  ],
  providers: [
    Trail,
    ConsoleSessionService,
    ConsoleUsersService,
    ConsoleAuditService,
    GroupFiguresStore,
    ConsoleGroupsService,
    GroupInsightService,
    ConsoleAppsService,
    KeyFiguresService,
    KeyViews,
    ConsoleKeysService,
    RejectedRequestsService,
    ConsoleWorkersService,
    WorkerWorkStore,
    WorkerInsightService,
    ConsoleJobStore,
    JobPages,
    ConsoleJobsService,
    JobChangesService,
    JobExportService,
    ConsoleBackfillsService,
    JobGraphService,
    JobHistoryService,
    Previews,
    TaskSearchStore,
    TaskPages,
    TaskFactsStore,
    TaskExplainService,
    TaskExportService,
    TaskGroupsService,
    TaskLinksService,
    ConsoleTasksService,
    TaskChangesService,
    ConsoleTaskLogsService,
    OwnRowStore,
    TaskRollupStore,
    EndpointRollupStore,
    KeyRollupStore,
    RollupWriter,
    WorkerRollupStore,
    WorkerRollupWriter,
    ChartsService,
    ComparisonService,
    OverviewService,
    CalendarPasts,
    FireRecords,
    CalendarService,
    SearchService,
    KeptKinds,
    RetentionStore,
    RetentionSweep,
    SystemStore,
    SystemService,
    NoticesService,
    ConsoleMaintenanceService,
    ConsoleSettingsService,
    StreamHub,
    StreamService,
    BulkStore,
    BulkActions,
    JobMoves,
    BulkRunner,
    ConsoleBulkService,
    ConsoleDeliveriesService,
    EndpointFiguresService,
    DeliveryExportService,
    ConsoleEndpointsService,
    AppCallbacksService,
    ConsoleTransferService,
    AdminDocumentService,
    ConsoleSite,
  ],
})
export class ConsoleModule {}
