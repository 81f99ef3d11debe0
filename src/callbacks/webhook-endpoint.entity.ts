import { Entity, Index } from 'typeorm';
import { Int, Key, LongText, Millis } from '../platform/database/columns.js';

@Entity('webhook_endpoints')
@Index('ix_webhook_endpoints_app', ['appId', 'id'])
export class WebhookEndpointEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Int('app_id')
  appId: number;
  @Key('url', 2048)
  url: string;
  /** JSON list. */
  @LongText('event_types_json')
  eventTypesJson: string;
  /** PENDING until it answered its challenge, ENABLED, DISABLED. */
  @Key('endpoint_state', 12)
  state: string;
  /** Why it is DISABLED: gone, failing, asked. */
  @Key('state_reason', 12, { nullable: true })
  stateReason: string | null;
  /** Sealed, newest first: JSON of [{box, until}]. */
  @LongText('secrets_json')
  secretsJson: string;
  @Key('last4', 4)
  last4: string;
  @Key('challenge', 64)
  challenge: string;
  @Millis('verified_at', { nullable: true })
  verifiedAt: number | null;
  @Millis('disabled_at', { nullable: true })
  disabledAt: number | null;
  @Millis('created_at')
  createdAt: number;
  @Millis('updated_at')
  updatedAt: number;
}
