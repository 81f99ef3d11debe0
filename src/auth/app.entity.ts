import { Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Key, LongText, Millis, Name } from '../platform/database/columns.js';

@Entity('apps')
@Unique('uk_apps_public_id', ['publicId'])
export class AppEntity {
  @PrimaryGeneratedColumn({ name: 'id', type: 'int' })
  id: number;
  @Key('public_id', 32)
  publicId: string;
  @Name('app_name', 128)
  name: string;
  @Key('default_group', 64)
  defaultGroup: string;
  /** JSON list of the keys of the groups it may use. */
  @LongText('group_keys')
  groupKeysJson: string;
  /** JSON of its own rate limits; null for the defaults. */
  @LongText('limits_json', { nullable: true })
  limitsJson: string | null;
  @Millis('created_at')
  createdAt: number;
}
