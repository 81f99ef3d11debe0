import { Entity } from 'typeorm';
import { Key, LongText, Millis } from '../../platform/database/columns.js';

/** What one process made of its attempts at one endpoint in one hour. Each process writes rows of its own. */
@Entity('endpoint_rollups')
export class EndpointRollupEntity {
  @Key('endpoint_id', 31, { primary: true })
  endpointId: string;
  @Millis('begins_at', { primary: true })
  beginsAt: number;
  @Key('writer', 31, { primary: true })
  writer: string;
  @LongText('figures_json')
  figuresJson: string;
}
