import { Entity, Index } from 'typeorm';
import { Int, Key, Millis, SmallInt } from '../platform/database/columns.js';

/** One event on its way to one receiver. */
@Entity('webhook_deliveries')
@Index('ix_webhook_deliveries_app', ['appId', 'id'])
@Index('ix_webhook_deliveries_task', ['taskId'])
@Index('ix_webhook_deliveries_endpoint', ['endpointId', 'state', 'id'])
export class WebhookDeliveryEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Key('event_id', 31)
  eventId: string;
  @Int('app_id')
  appId: number;
  @Key('task_id', 31, { nullable: true })
  taskId: string | null;
  /** Null for a task's own callbackUrl. */
  @Key('endpoint_id', 31, { nullable: true })
  endpointId: string | null;
  @Key('url', 2048)
  url: string;
  /** PENDING, SUCCEEDED, EXHAUSTED. */
  @Key('delivery_state', 12)
  state: string;
  /** Attempts made, manual ones included. */
  @Int('attempts')
  attempts: number;
  @SmallInt('last_status', { nullable: true })
  lastStatus: number | null;
  @Key('last_failure', 12, { nullable: true })
  lastFailure: string | null;
  @Millis('next_attempt_at', { nullable: true })
  nextAttemptAt: number | null;
  @Millis('created_at')
  createdAt: number;
  @Millis('ended_at', { nullable: true })
  endedAt: number | null;
}
