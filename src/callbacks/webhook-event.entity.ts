import { Entity, Unique } from 'typeorm';
import { Int, Key, LongText, Millis } from '../platform/database/columns.js';

/** Something a subscriber is told. Written once, in the transaction of what it tells. */
@Entity('webhook_events')
@Unique('uk_webhook_events_task', ['taskId', 'seq'])
export class WebhookEventEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Int('app_id')
  appId: number;
  /** Null for an event about an endpoint. */
  @Key('task_id', 31, { nullable: true })
  taskId: string | null;
  @Int('seq', { nullable: true })
  seq: number | null;
  @Key('event_type', 32)
  type: string;
  /** The bytes every attempt sends. */
  @LongText('body')
  body: string;
  @Millis('occurred_at')
  occurredAt: number;
}
