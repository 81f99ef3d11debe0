import { Entity, Index } from 'typeorm';
import { Int, Key, Millis } from '../platform/database/columns.js';

/** A delivery that is to be attempted: the queue. Gone when nothing is left to do, so it stays as small as the backlog. */
@Entity('webhook_sends')
@Index('ix_webhook_sends_target', ['target', 'dueAt'])
@Index('ix_webhook_sends_delivery', ['deliveryId'])
export class WebhookSendEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Key('delivery_id', 31)
  deliveryId: string;
  /** Whom it waits in line with: `<app>|<host:port>` and, if registered, `|<endpoint>`. */
  @Key('target', 330)
  target: string;
  /** auto, or manual: one attempt beside the schedule. */
  @Key('send_trigger', 8)
  trigger: string;
  /** When to attempt it; while it is being attempted, when its lease ends. */
  @Millis('due_at')
  dueAt: number;
  /** Whoever attempts it now; null for nobody. */
  @Key('lease', 31, { nullable: true })
  lease: string | null;
  @Int('failures')
  failures: number;
  /** Failures that the policy caused. */
  @Int('blocks')
  blocks: number;
  @Millis('created_at')
  createdAt: number;
}
