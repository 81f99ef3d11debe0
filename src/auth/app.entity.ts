import { Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Key, LongText, Millis, Name } from '../platform/database/columns.js';

/** A partner. `groupKeys` is a JSON list of group keys; `limitsJson` overrides single limits of the system. */
@Entity('apps')
@Unique('uk_apps_public_id', ['publicId'])
export class AppEntity {
  @PrimaryGeneratedColumn()
  id: number;
  @Key('public_id', 32)
  publicId: string;
  @Name('app_name', 128)
  name: string;
  @Key('default_group', 64)
  defaultGroup: string;
  @LongText('group_keys')
  groupKeys: string;
  @LongText('limits_json', { nullable: true })
  limitsJson: string | null;
  @Millis('created_at')
  createdAt: number;
}
