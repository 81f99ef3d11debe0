import { Entity, Index } from 'typeorm';
import { Key, Millis } from '../platform/database/columns.js';

/** When an app may have challenges sent again to a host and path, or to a host; one row for each it had some sent to. */
@Entity('webhook_challenges')
@Index('ix_webhook_challenges_next', ['nextAt'])
export class WebhookChallengeEntity {
  /** SHA-256 of app, host, port and path, or of app, host and port. */
  @Key('target_hash', 64, { primary: true })
  targetHash: string;
  @Millis('next_at')
  nextAt: number;
}
