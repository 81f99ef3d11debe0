import { Entity, Index } from 'typeorm';
import { Key, Millis } from '../../platform/database/columns.js';

/** An attempt whose worker was lost and that was therefore ended from here. */
@Entity('lost_attempts')
@Index('ix_lost_attempts_lost', ['lostAt'])
export class LostAttemptEntity {
  @Key('worker_id', 64, { primary: true })
  workerId: string;
  @Millis('lost_at', { primary: true })
  lostAt: number;
  @Key('task_id', 31, { primary: true })
  taskId: string;
}
