import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Admission } from './admission.js';
import { BatchService } from './batch.service.js';
import { CancellationsService } from './cancellations.service.js';
import { DocumentController } from './document/document.controller.js';
import { DocumentService } from './document/document.service.js';
import { EventsController } from './events.controller.js';
import { GrantedGroups } from './granted-groups.js';
import type { HandlerDirectory } from './handler-directory.js';
import { JobActionsService } from './job-actions.service.js';
import { JobDefinitionsService } from './job-definitions.service.js';
import { JobHistoryController } from './job-history.controller.js';
import { JobHistoryService } from './job-history.service.js';
import { JobsController } from './jobs.controller.js';
import { MeController } from './me.controller.js';
import { OwnJobs } from './own-jobs.js';
import { PartnerTrail } from './partner-trail.js';
import { RetriesService } from './retries.service.js';
import { Room } from './room.js';
import { RunTimesService } from './run-times.service.js';
import { RunsService } from './runs.service.js';
import { SentEventsService } from './sent-events.service.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskLogsService } from './task-logs.service.js';
import { TaskQueriesService } from './task-queries.service.js';
import { TaskQuota } from './task-quota.js';
import { TasksController } from './tasks.controller.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

export interface OpenapiModuleOptions {
  /** Modules that export TasksService, GroupsService, AuditService and what `handlers` is made of. */
  imports: NonNullable<DynamicModule['imports']>;
  handlers: Provider<HandlerDirectory>;
}

/** The partners' face. Needs, from global modules: RateLimiter and Clock. */
@Module({
  controllers: [
    TasksController,
    JobsController,
    JobHistoryController,
    EventsController,
    WebhookEndpointsController,
    WebhookDeliveriesController,
    MeController,
    DocumentController,
  ],
  providers: [
    GrantedGroups,
    OwnJobs,
    Room,
    Admission,
    TaskQuota,
    SubmissionsService,
    BatchService,
    RunTimesService,
    RunsService,
    TaskQueriesService,
    TaskLogsService,
    CancellationsService,
    RetriesService,
    SentEventsService,
    JobDefinitionsService,
    JobActionsService,
    JobHistoryService,
    PartnerTrail,
    WebhookEndpointsService,
    WebhookDeliveriesService,
    DocumentService,
  ],
})
export class OpenapiModule {
  static register({ imports, handlers }: OpenapiModuleOptions): DynamicModule {
    return { module: OpenapiModule, imports, providers: [handlers] };
  }
}
