import { Entity } from 'typeorm';
import { Int, Key, LongText, Millis, Name } from '../platform/database/columns.js';

/** One definition a job has had, and who gave it when. */
@Entity('job_versions')
export class JobVersionEntity {
  @Key('job_id', 31, { primary: true })
  jobId: string;
  @Int('version', { primary: true })
  version: number;
  @LongText('definition_json')
  definitionJson: string;
  @Name('changed_by', 128)
  changedBy: string;
  @Millis('changed_at')
  changedAt: number;
}
