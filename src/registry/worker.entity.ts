import { Entity, Index } from 'typeorm';
import { Flag, Key, LongText, Millis } from '../platform/database/columns.js';

/** One worker id and its latest incarnation. */
@Entity('workers')
@Index('ix_workers_changed', ['changedAt'])
@Index('ix_workers_cordoned', ['cordonedAt'])
export class WorkerEntity {
  @Key('worker_id', 64, { primary: true })
  workerId: string;
  @Key('incarnation', 32)
  incarnation: string;
  @Key('access_key', 48)
  accessKey: string;
  /** JSON of what it registered: groups, addresses, handlers, slots, weight, tags. */
  @LongText('offer_json')
  offerJson: string;
  @Key('worker_state', 12)
  state: string;
  @Flag('drain_asked')
  drainAsked: boolean;
  /** JSON of who asked for the drain, why and until when; null while none is asked for. */
  @LongText('drain_json', { nullable: true })
  drainJson: string | null;
  /** JSON of its latest beat. */
  @LongText('figures_json')
  figuresJson: string;
  /** JSON of the last beat that was refused: when and why. */
  @LongText('last_refused_json', { nullable: true })
  lastRefusedJson: string | null;
  @Millis('registered_at')
  registeredAt: number;
  @Millis('last_beat_at')
  lastBeatAt: number;
  /** The database's clock at the last write, beats included, so that nodes re-read only what changed. */
  @Millis('changed_at')
  changedAt: number;
  /** Set while somebody keeps new orders from it. */
  @Millis('cordoned_at', { nullable: true })
  cordonedAt: number | null;
  /** JSON of who did and why. */
  @LongText('cordon_json', { nullable: true })
  cordonJson: string | null;
}
