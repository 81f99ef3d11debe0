import { Entity } from 'typeorm';
import { Int, Key, LongText, Millis, SmallInt } from '../platform/database/columns.js';

/** One HTTP exchange of a delivery, as it went. Never changed. */
@Entity('webhook_attempts')
export class WebhookAttemptEntity {
  @Key('delivery_id', 31, { primary: true })
  deliveryId: string;
  @Int('attempt_no', { primary: true })
  attempt: number;
  @Key('attempt_trigger', 8)
  trigger: string;
  @Millis('started_at')
  startedAt: number;
  @Int('duration_ms')
  durationMs: number;
  @SmallInt('http_status', { nullable: true })
  status: number | null;
  @Key('failure', 12, { nullable: true })
  failure: string | null;
  /** The first KiB of the answer's body; null for none and for a blocked host. */
  @LongText('response', { nullable: true })
  response: string | null;
  /** JSON of how it went on the wire; null for attempts of before that was kept. */
  @LongText('exchange_json', { nullable: true })
  exchangeJson: string | null;
}
