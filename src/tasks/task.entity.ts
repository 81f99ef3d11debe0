import { Entity, Index, Unique } from 'typeorm';
import { Int, Key, LongText, Millis, Name, SmallInt, TinyInt } from '../platform/database/columns.js';

/** A task with its current attempt and its timeline. Written by the task store's statements only, never by `save`. */
@Entity('tasks')
@Unique('uk_tasks_app_crid', ['appId', 'clientRequestId'])
@Index('ix_tasks_pick', ['groupId', 'state', 'lane', 'pickOrder'])
@Index('ix_tasks_wake', ['wakeAt'])
@Index('ix_tasks_app', ['appId', 'id'])
@Index('ix_tasks_state', ['state', 'id'])
@Index('ix_tasks_group', ['groupId', 'id'])
@Index('ix_tasks_job', ['jobId', 'id'])
@Index('uk_tasks_job_fire', ['jobId', 'fireAt', 'shardIndex', 'backfillKey'], { unique: true })
export class TaskEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Int('group_id')
  groupId: number;
  @TinyInt('partition_no')
  partition: number;
  @Int('app_id', { nullable: true })
  appId: number | null;
  @Key('client_request_id', 64, { nullable: true })
  clientRequestId: string | null;
  /** Hex SHA-256 of the request as stated. */
  @Key('request_fp', 64, { nullable: true })
  requestFingerprint: string | null;
  @TinyInt('fp_version', { nullable: true })
  fingerprintVersion: number | null;
  @Name('handler', 255)
  handler: string;
  /** Hash of handler and worker filter. */
  @Millis('lane')
  lane: number;
  @TinyInt('state')
  state: number;
  /** Counts every write. */
  @Int('version')
  version: number;
  @TinyInt('priority')
  priority: number;
  /** (10 − priority) · 10^14 + dueAt: the order in which pending tasks are picked. */
  @Millis('pick_order')
  pickOrder: number;
  @Millis('scheduled_at')
  scheduledAt: number;
  @Millis('due_at')
  dueAt: number;
  /** When a loop must look at it next; null for never. */
  @Millis('wake_at', { nullable: true })
  wakeAt: number | null;
  @LongText('params', { nullable: true })
  params: string | null;
  @LongText('options_json', { nullable: true })
  optionsJson: string | null;
  @LongText('metadata_json', { nullable: true })
  metadataJson: string | null;
  @Millis('timeout_ms')
  timeoutMs: number;
  @SmallInt('attempt')
  attempt: number;
  @SmallInt('retries')
  retries: number;
  @SmallInt('crashes')
  crashes: number;
  /** The version at claim: the fencing token of the attempt. */
  @Int('lease', { nullable: true })
  lease: number | null;
  @Key('worker_id', 64, { nullable: true })
  workerId: string | null;
  @Key('worker_incarnation', 32, { nullable: true })
  workerIncarnation: string | null;
  @Millis('claimed_at', { nullable: true })
  claimedAt: number | null;
  @Millis('started_at', { nullable: true })
  startedAt: number | null;
  @Millis('ended_at', { nullable: true })
  endedAt: number | null;
  @Millis('cancel_asked_at', { nullable: true })
  cancelAskedAt: number | null;
  @Key('reason', 40, { nullable: true })
  reason: string | null;
  @LongText('result', { nullable: true })
  result: string | null;
  @LongText('error_json', { nullable: true })
  errorJson: string | null;
  @LongText('timeline')
  timeline: string;
  @Millis('created_at')
  createdAt: number;
  /** Null with everything below for a submitted task. */
  @Key('job_id', 31, { nullable: true })
  jobId: string | null;
  /** The fire time it stands for; null for a run asked for by hand. */
  @Millis('fire_at', { nullable: true })
  fireAt: number | null;
  /** −1 for a task of a job that is no shard. */
  @SmallInt('shard_index', { nullable: true })
  shardIndex: number | null;
  /** Empty for a fire of the schedule itself. */
  @Key('backfill_key', 32, { nullable: true })
  backfillKey: string | null;
}
