import { Entity, Index } from 'typeorm';
import { Int, Key, Millis, TinyInt } from '../platform/database/columns.js';

/** An attempt the centre ended although its live worker still names it: until it does not, its place counts as taken. */
@Entity('unstopped_attempts')
@Index('ix_unstopped_partition', ['partition'])
@Index('ix_unstopped_whole', ['wholeId'])
export class UnstoppedAttemptEntity {
  @Key('task_id', 31, { primary: true })
  taskId: string;
  /** The task that holds a place of its job: itself, or the one it is a shard of. */
  @Key('whole_id', 31)
  wholeId: string;
  @Int('group_id')
  groupId: number;
  @TinyInt('partition_no')
  partition: number;
  @Int('lease')
  lease: number;
  @Key('worker_id', 64)
  workerId: string;
  @Key('worker_incarnation', 32)
  workerIncarnation: string;
  @Millis('ended_at')
  endedAt: number;
}
