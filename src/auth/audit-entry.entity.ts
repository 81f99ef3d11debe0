import { Entity, Index } from 'typeorm';
import { Key, LongText, Millis, Name } from '../platform/database/columns.js';

/** Who did what to what, and how it was before and after. Only ever inserted. */
@Entity('audit_log')
@Index('ix_audit_log_object', ['objectType', 'objectId', 'id'])
@Index('ix_audit_log_group', ['groupKey', 'id'])
@Index('ix_audit_log_actor', ['actor', 'id'])
@Index('ix_audit_log_kind', ['actorKind', 'id'])
@Index('ix_audit_log_action', ['action', 'id'])
@Index('ix_audit_log_bulk', ['bulkId', 'id'])
export class AuditEntryEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Millis('logged_at')
  loggedAt: number;
  @Name('actor', 128)
  actor: string;
  @Key('actor_ip', 64, { nullable: true })
  actorIp: string | null;
  @Name('user_agent', 255, { nullable: true })
  userAgent: string | null;
  @Key('action', 48)
  action: string;
  @Key('object_type', 24)
  objectType: string;
  @Name('object_id', 128, { nullable: true })
  objectId: string | null;
  @Key('group_key', 64, { nullable: true })
  groupKey: string | null;
  @Name('reason', 500, { nullable: true })
  reason: string | null;
  @LongText('before_json', { nullable: true })
  beforeJson: string | null;
  @LongText('after_json', { nullable: true })
  afterJson: string | null;
  @Key('request_id', 31, { nullable: true })
  requestId: string | null;
  @Key('bulk_id', 31, { nullable: true })
  bulkId: string | null;
  /** Null: written by a version that did not tell them apart. */
  @Key('actor_kind', 12, { nullable: true })
  actorKind: string | null;
}
