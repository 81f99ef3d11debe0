import { Entity, Index } from 'typeorm';
import { Key, TinyInt } from '../platform/database/columns.js';

/**
 * A task of a job that has not ended. It tells what is still going without an index over the states of all tasks, which submitted
 * tasks would pay for at every step. The task's row is the authority: a slot of an ended task counts for nothing and is swept away.
 */
@Entity('job_slots')
@Index('ix_job_slots_task', ['taskId'])
export class JobSlotEntity {
  @Key('job_id', 31, { primary: true })
  jobId: string;
  @Key('task_id', 31, { primary: true })
  taskId: string;
  @TinyInt('partition_no')
  partition: number;
}
