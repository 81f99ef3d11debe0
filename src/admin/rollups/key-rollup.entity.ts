import { Entity } from 'typeorm';
import { Key, LongText, Millis } from '../../platform/database/columns.js';

/** What one process saw of the requests of one access key in one hour. Each process writes rows of its own. */
@Entity('key_rollups')
export class KeyRollupEntity {
  @Key('access_key', 48, { primary: true })
  accessKey: string;
  @Millis('begins_at', { primary: true })
  beginsAt: number;
  @Key('writer', 31, { primary: true })
  writer: string;
  @LongText('figures_json')
  figuresJson: string;
}
