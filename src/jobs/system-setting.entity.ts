import { Entity } from 'typeorm';
import { Key, LongText, Millis } from '../platform/database/columns.js';

/** A default of the whole installation that can be changed while it runs. */
@Entity('system_settings')
export class SystemSettingEntity {
  @Key('setting_name', 64, { primary: true })
  name: string;
  @LongText('setting_json')
  json: string;
  @Millis('changed_at')
  changedAt: number;
}
