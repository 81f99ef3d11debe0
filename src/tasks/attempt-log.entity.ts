import { Entity } from 'typeorm';
import { Flag, Int, Key, SmallInt } from '../platform/database/columns.js';

/** What is kept of one attempt's log: whose attempt it is, up to which line, and how much. Its lock orders those who append. */
@Entity('attempt_logs')
export class AttemptLogEntity {
  @Key('task_id', 31, { primary: true })
  taskId: string;
  @SmallInt('attempt', { primary: true })
  attempt: number;
  @Int('lease')
  lease: number;
  @Key('worker_id', 64)
  workerId: string;
  @Int('last_seq')
  lastSeq: number;
  @Int('kept_bytes')
  keptBytes: number;
  /** The cap was reached: nothing more is kept. */
  @Flag('is_full')
  isFull: boolean;
}
