import { Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Int, Key, LongText, Millis, Name } from '../platform/database/columns.js';

/** A partner's key (of an app) or a worker's (of groups). The secret is sealed, and read only when asked for by name. */
@Entity('access_keys')
@Unique('uk_access_keys_key', ['accessKey'])
@Index('ix_access_keys_app', ['appId'])
export class AccessKeyEntity {
  @PrimaryGeneratedColumn({ name: 'id', type: 'int' })
  id: number;
  @Key('access_key', 48)
  accessKey: string;
  @Key('kind', 8)
  kind: string;
  @Int('app_id', { nullable: true })
  appId: number | null;
  /** JSON list of group keys: those a worker key serves; those of its app a partner's key may use, null for all. */
  @LongText('group_keys', { nullable: true })
  groupKeysJson: string | null;
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
  state: string;
  @Millis('expires_at', { nullable: true })
  expiresAt: number | null;
  @Millis('last_used_at', { nullable: true })
  lastUsedAt: number | null;
  @Millis('created_at')
  createdAt: number;
  /** As the audit log names who made it; null for keys of before that was kept. */
  @Name('created_by', 128, { nullable: true })
  createdBy: string | null;
  @Key('last_used_address', 64, { nullable: true })
  lastUsedAddress: string | null;
  /** Method and route. */
  @Key('last_used_endpoint', 255, { nullable: true })
  lastUsedEndpoint: string | null;
}
