import { AccessKeyEntity } from './auth/access-key.entity.js';
import { AppEntity } from './auth/app.entity.js';
import { UserEntity } from './auth/user.entity.js';
import { CallbackAppEntity } from './callbacks/callback-app.entity.js';
import { CallbackTargetEntity } from './callbacks/callback-target.entity.js';
import { WebhookAttemptEntity } from './callbacks/webhook-attempt.entity.js';
import { WebhookDeliveryEntity } from './callbacks/webhook-delivery.entity.js';
import { WebhookEndpointEntity } from './callbacks/webhook-endpoint.entity.js';
import { WebhookEventEntity } from './callbacks/webhook-event.entity.js';
import { WebhookSendEntity } from './callbacks/webhook-send.entity.js';
import { NodeEntity } from './dispatch/node.entity.js';
import { PartitionEntity } from './dispatch/partition.entity.js';
import { GroupEntity } from './jobs/group.entity.js';
import { JobEntity } from './jobs/job.entity.js';
import { JobSlotEntity } from './jobs/job-slot.entity.js';
import { JobVersionEntity } from './jobs/job-version.entity.js';
import { WorkerEntity } from './registry/worker.entity.js';
import { AttemptEntity } from './tasks/attempt.entity.js';
import { TaskEntity } from './tasks/task.entity.js';

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
  JobVersionEntity,
  JobSlotEntity,
  CallbackAppEntity,
  CallbackTargetEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookEndpointEntity,
  WebhookEventEntity,
  WebhookSendEntity,
];
