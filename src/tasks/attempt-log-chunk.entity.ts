import { Entity, Index } from 'typeorm';
import { Int, Key, LongText, Millis, SmallInt } from '../platform/database/columns.js';

/** Lines of one attempt that arrived together: one row, so that a chatty handler costs rows by the batch and not by the line. */
@Entity('attempt_log_chunks')
@Index('ix_attempt_log_chunks_created', ['createdAt'])
export class AttemptLogChunkEntity {
  @Key('task_id', 31, { primary: true })
  taskId: string;
  @SmallInt('attempt', { primary: true })
  attempt: number;
  @Int('first_seq', { primary: true })
  firstSeq: number;
  @Int('last_seq')
  lastSeq: number;
  /** JSON array of lines, seq ascending. */
  @LongText('lines_json')
  linesJson: string;
  @Millis('created_at')
  createdAt: number;
}
