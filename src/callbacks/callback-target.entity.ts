import { Entity } from 'typeorm';
import { Key, LongText, Millis } from '../platform/database/columns.js';

/** The circuit of a target that has failed lately; no row for one that works. */
@Entity('callback_targets')
export class CallbackTargetEntity {
  @Key('target', 330, { primary: true })
  target: string;
  /** JSON of TargetHealth. */
  @LongText('health_json')
  healthJson: string;
  @Millis('open_until', { nullable: true })
  openUntil: number | null;
  @Millis('changed_at')
  changedAt: number;
}
