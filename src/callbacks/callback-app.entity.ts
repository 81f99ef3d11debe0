import { Entity, PrimaryColumn } from 'typeorm';
import { LongText, Millis } from '../platform/database/columns.js';

/** What an operator decided about the callbacks of one app. */
@Entity('callback_apps')
export class CallbackAppEntity {
  @PrimaryColumn({ name: 'app_id', type: 'int' })
  appId: number;
  /** JSON list of the hosts results may go to: `hooks.partner.com`, `*.partner.com`. */
  @LongText('hosts_json')
  hostsJson: string;
  /** Sealed secrets of the callbacks without an endpoint, newest first: JSON of [{box, until}]. */
  @LongText('secrets_json')
  secretsJson: string;
  @Millis('created_at')
  createdAt: number;
  @Millis('changed_at')
  changedAt: number;
}
