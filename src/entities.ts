import { BulkItemEntity } from './admin/bulk/bulk-item.entity.js';
import { BulkOperationEntity } from './admin/bulk/bulk-operation.entity.js';
import { TaskRollupEntity } from './admin/rollups/task-rollup.entity.js';
import { AccessKeyEntity } from './auth/access-key.entity.js';
import { AppEntity } from './auth/app.entity.js';
import { AuditEntryEntity } from './auth/audit-entry.entity.js';
import { SessionEntity } from './auth/session.entity.js';
import { UserEntity } from './auth/user.entity.js';
import { UserGrantEntity } from './auth/user-grant.entity.js';
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
  SessionEntity,
  UserGrantEntity,
  AuditEntryEntity,
  BulkOperationEntity,
  BulkItemEntity,
  TaskRollupEntity,
];
