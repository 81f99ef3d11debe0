import { Entity, Index, Unique } from 'typeorm';
import { Int, Key, Millis, Name, TinyInt } from '../platform/database/columns.js';

/** The fires of a span of time that a job is to have tasks for once more, and how far the making of them has come. */
@Entity('job_backfills')
@Unique('uk_job_backfills_crid', ['jobId', 'clientRequestId'])
@Index('ix_job_backfills_job', ['jobId', 'id'])
@Index('ix_job_backfills_state', ['state', 'partition'])
export class JobBackfillEntity {
  /** Also the part of its tasks' unique key that sets them apart from the fires of the schedule. */
  @Key('id', 31, { primary: true })
  id: string;
  @Key('job_id', 31)
  jobId: string;
  @TinyInt('partition_no')
  partition: number;
  @Key('client_request_id', 64, { nullable: true })
  clientRequestId: string | null;
  @Key('request_fp', 64, { nullable: true })
  requestFingerprint: string | null;
  /** The definition it was asked for with; later edits of the job do not touch it. */
  @Int('job_version')
  jobVersion: number;
  @Millis('from_at')
  fromAt: number;
  /** Exclusive. */
  @Millis('until_at')
  untilAt: number;
  /** Every fire before this instant has its task. */
  @Millis('next_at')
  nextAt: number;
  @Int('fires')
  fires: number;
  @Int('made')
  made: number;
  @TinyInt('priority')
  priority: number;
  @Int('max_parallel')
  maxParallel: number;
  @Key('backfill_state', 12)
  state: string;
  @Name('requested_by', 128)
  requestedBy: string;
  @Millis('created_at')
  createdAt: number;
  @Millis('updated_at')
  updatedAt: number;
}
