import { Entity } from 'typeorm';
import { Key, TinyInt } from '../platform/database/columns.js';

/** There exactly while a BLOCKED task waits for its upstreams; one that waits only for its turn has none. */
@Entity('task_waits')
export class TaskWaitEntity {
  @Key('task_id', 31, { primary: true })
  taskId: string;
  @TinyInt('partition_no')
  partition: number;
}
