import { Entity } from 'typeorm';
import { Int, Key, LongText, Millis } from '../../platform/database/columns.js';

/** What one process saw end in one group in one span of time. Each process writes rows of its own, so none adds to another's. */
@Entity('task_rollups')
export class TaskRollupEntity {
  @Int('span_ms', { primary: true })
  spanMs: number;
  @Millis('begins_at', { primary: true })
  beginsAt: number;
  @Int('group_id', { primary: true })
  groupId: number;
  @Key('writer', 31, { primary: true })
  writer: string;
  @LongText('figures_json')
  figuresJson: string;
}
