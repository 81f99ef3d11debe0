import { Entity } from 'typeorm';
import { Int, Key, LongText, Millis, SmallInt } from '../platform/database/columns.js';

/** An attempt that another one followed, or whose result came late; the current attempt is columns of the task. */
@Entity('attempts')
export class AttemptEntity {
  @Key('task_id', 31, { primary: true })
  taskId: string;
  @SmallInt('attempt', { primary: true })
  attempt: number;
  @Int('lease')
  lease: number;
  @Key('worker_id', 64)
  workerId: string;
  @Key('worker_incarnation', 32)
  workerIncarnation: string;
  @Millis('started_at', { nullable: true })
  startedAt: number | null;
  @Millis('ended_at', { nullable: true })
  endedAt: number | null;
  @Key('outcome', 12)
  outcome: string;
  @LongText('error_json', { nullable: true })
  errorJson: string | null;
  @LongText('late_json', { nullable: true })
  lateJson: string | null;
}
