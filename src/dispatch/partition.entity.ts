import { Entity } from 'typeorm';
import { Int, Key, Millis, TinyInt } from '../platform/database/columns.js';

/** The authority on who dispatches a slice of the groups: the holder until `expiresAt` by the database's clock. */
@Entity('partitions')
export class PartitionEntity {
  @TinyInt('partition_no', { primary: true })
  partition: number;
  @Key('holder', 64, { nullable: true })
  holder: string | null;
  /** Counts the holders. */
  @Int('epoch')
  epoch: number;
  @Millis('expires_at')
  expiresAt: number;
}
