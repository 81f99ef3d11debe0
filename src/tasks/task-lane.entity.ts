import { Entity } from 'typeorm';
import { Int, LongText, Millis, Name } from '../platform/database/columns.js';

/** A handler together with a worker filter that tasks of the group have asked for. A lane without a filter needs no row. */
@Entity('task_lanes')
export class TaskLaneEntity {
  @Int('group_id', { primary: true })
  groupId: number;
  @Millis('lane', { primary: true })
  lane: number;
  @Name('handler', 255)
  handler: string;
  @LongText('filter_json')
  filterJson: string;
  @Millis('used_at')
  usedAt: number;
}
