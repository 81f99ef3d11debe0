import { Entity, Index, Unique } from 'typeorm';
import { Key } from '../platform/database/columns.js';

/** A task of a flow. A flow bears the id of the task it began with; tasks outside flows, which are most, have no row. */
@Entity('flow_tasks')
@Unique('uk_flow_tasks_join', ['flowId', 'joinJobId'])
@Index('ix_flow_tasks_task', ['taskId'])
export class FlowTaskEntity {
  @Key('flow_id', 31, { primary: true })
  flowId: string;
  @Key('task_id', 31, { primary: true })
  taskId: string;
  @Key('job_id', 31, { nullable: true })
  jobId: string | null;
  /** The job, if it fires once per flow (kind `upstream`): the unique key decides that it does. */
  @Key('join_job_id', 31, { nullable: true })
  joinJobId: string | null;
}
