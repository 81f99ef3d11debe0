import { BulkItemEntity } from './admin/bulk/bulk-item.entity.js';
import { BulkOperationEntity } from './admin/bulk/bulk-operation.entity.js';
import { EndpointRollupEntity } from './admin/rollups/endpoint-rollup.entity.js';
import { KeyRollupEntity } from './admin/rollups/key-rollup.entity.js';
import { LostAttemptEntity } from './admin/rollups/lost-attempt.entity.js';
import { TaskRollupEntity } from './admin/rollups/task-rollup.entity.js';
import { WorkerRollupEntity } from './admin/rollups/worker-rollup.entity.js';
import { AccessKeyEntity } from './auth/access-key.entity.js';
import { AppEntity } from './auth/app.entity.js';
import { AuditEntryEntity } from './auth/audit-entry.entity.js';
import { RejectedRequestEntity } from './auth/rejected-request.entity.js';
import { SessionEntity } from './auth/session.entity.js';
import { UserEntity } from './auth/user.entity.js';
import { UserGrantEntity } from './auth/user-grant.entity.js';
import { CallbackAppEntity } from './callbacks/callback-app.entity.js';
import { CallbackTargetEntity } from './callbacks/callback-target.entity.js';
import { WebhookAttemptEntity } from './callbacks/webhook-attempt.entity.js';
import { WebhookChallengeEntity } from './callbacks/webhook-challenge.entity.js';
import { WebhookDeliveryEntity } from './callbacks/webhook-delivery.entity.js';
import { WebhookEndpointEntity } from './callbacks/webhook-endpoint.entity.js';
import { WebhookEventEntity } from './callbacks/webhook-event.entity.js';
import { WebhookSendEntity } from './callbacks/webhook-send.entity.js';
import { NodeEntity } from './dispatch/node.entity.js';
import { PartitionEntity } from './dispatch/partition.entity.js';
import { DeletedJobEntity } from './jobs/deleted-job.entity.js';
import { GroupEntity } from './jobs/group.entity.js';
import { JobEntity } from './jobs/job.entity.js';
import { JobBackfillEntity } from './jobs/job-backfill.entity.js';
import { JobEdgeEntity, JobGraphEntity } from './jobs/job-edge.entity.js';
import { JobSlotEntity } from './jobs/job-slot.entity.js';
import { JobVersionEntity } from './jobs/job-version.entity.js';
import { SystemSettingEntity } from './jobs/system-setting.entity.js';
import { WorkerEntity } from './registry/worker.entity.js';
import { AppEventEntity } from './tasks/app-event.entity.js';
import { AttemptEntity } from './tasks/attempt.entity.js';
import { AttemptLogEntity } from './tasks/attempt-log.entity.js';
import { AttemptLogChunkEntity } from './tasks/attempt-log-chunk.entity.js';
import { FlowTaskEntity } from './tasks/flow-task.entity.js';
import { PeriodWaitEntity } from './tasks/period-wait.entity.js';
import { TaskEntity } from './tasks/task.entity.js';
import { TaskCheckpointEntity } from './tasks/task-checkpoint.entity.js';
import { TaskEdgeEntity } from './tasks/task-edge.entity.js';
import { TaskLaneEntity } from './tasks/task-lane.entity.js';
import { TaskWaitEntity } from './tasks/task-wait.entity.js';
import { UnstoppedAttemptEntity } from './tasks/unstopped-attempt.entity.js';

/** Every entity of the database, table by table. */
export const ENTITIES: (new () => object)[] = [
  GroupEntity,
  AppEntity,
  AccessKeyEntity,
  UserEntity,
  WorkerEntity,
  NodeEntity,
  PartitionEntity,
  TaskEntity,
  AttemptEntity,
  JobEntity,
  DeletedJobEntity,
  JobVersionEntity,
  JobSlotEntity,
  JobBackfillEntity,
  JobEdgeEntity,
  JobGraphEntity,
  TaskEdgeEntity,
  PeriodWaitEntity,
  TaskWaitEntity,
  FlowTaskEntity,
  AppEventEntity,
  AttemptLogEntity,
  AttemptLogChunkEntity,
  TaskCheckpointEntity,
  UnstoppedAttemptEntity,
  TaskLaneEntity,
  SystemSettingEntity,
  CallbackAppEntity,
  CallbackTargetEntity,
  WebhookChallengeEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookEndpointEntity,
  WebhookEventEntity,
  WebhookSendEntity,
  SessionEntity,
  UserGrantEntity,
  AuditEntryEntity,
  BulkOperationEntity,
  BulkItemEntity,
  TaskRollupEntity,
  EndpointRollupEntity,
  KeyRollupEntity,
  RejectedRequestEntity,
  WorkerRollupEntity,
  LostAttemptEntity,
];
