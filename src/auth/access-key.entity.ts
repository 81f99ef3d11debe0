import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Key, LongText, Millis, Name } from '../platform/database/columns.js';

/** A key pair of an app, or of a group's workers (`appId` null). The secret leaves its box only to verify or sign. */
@Entity('access_keys')
@Unique('uk_access_keys_key', ['accessKey'])
@Index('ix_access_keys_app', ['appId'])
export class AccessKeyEntity {
  @PrimaryGeneratedColumn()
  id: number;
  @Key('access_key', 48)
  accessKey: string;
  @Key('kind', 8)
  kind: 'partner' | 'worker';
  @Column({ name: 'app_id', type: 'int', nullable: true })
  appId: number | null;
  @LongText('group_keys', { nullable: true })
  groupKeys: string | null;
  @Name('key_label', 128)
  label: string;
  @Key('secret_box', 512, { select: false })
  secretBox: string;
  @Key('last4', 4)
  last4: string;
  @Key('fingerprint', 8)
  fingerprint: string;
  @LongText('scopes_json')
  scopesJson: string;
  @LongText('ip_allow_json', { nullable: true })
  ipAllowJson: string | null;
  @Key('key_state', 8)
  state: 'active' | 'disabled';
  @Millis('expires_at', { nullable: true })
  expiresAt: number | null;
  @Millis('last_used_at', { nullable: true })
  lastUsedAt: number | null;
  @Millis('created_at')
  createdAt: number;
}
