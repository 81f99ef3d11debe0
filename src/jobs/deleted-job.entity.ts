import { Entity, Index, Unique } from 'typeorm';
import { Int, Key, Millis } from '../platform/database/columns.js';

/** What a deleted job leaves behind of its creation, for as long as tasks are kept: the same request creates no other job. */
@Entity('deleted_jobs')
@Unique('uk_deleted_jobs_app_crid', ['appId', 'clientRequestId'])
@Index('ix_deleted_jobs_deleted_at', ['deletedAt'])
export class DeletedJobEntity {
  /** The job's. */
  @Key('id', 31, { primary: true })
  id: string;
  @Int('app_id')
  appId: number;
  @Key('client_request_id', 64)
  clientRequestId: string;
  @Key('request_fp', 64, { nullable: true })
  requestFingerprint: string | null;
  @Millis('deleted_at')
  deletedAt: number;
}
