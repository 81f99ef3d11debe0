import { Entity, Index } from 'typeorm';
import { Key, LongText, Millis } from '../../platform/database/columns.js';

/** How loaded one worker was in five minutes, as one process saw it. Each process writes rows of its own. */
@Entity('worker_rollups')
@Index('ix_worker_rollups_begins', ['beginsAt'])
export class WorkerRollupEntity {
  @Key('worker_id', 64, { primary: true })
  workerId: string;
  @Millis('begins_at', { primary: true })
  beginsAt: number;
  @Key('writer', 31, { primary: true })
  writer: string;
  @LongText('figures_json')
  figuresJson: string;
}
