import { Entity } from 'typeorm';
import { Key, LongText, Millis } from '../platform/database/columns.js';

/** The last checkpoint of a task that has not succeeded; its `tasks.checkpoint_at` says that there is one. */
@Entity('task_checkpoints')
export class TaskCheckpointEntity {
  @Key('task_id', 31, { primary: true })
  taskId: string;
  @LongText('checkpoint_json')
  checkpointJson: string;
  @Millis('saved_at')
  savedAt: number;
}
