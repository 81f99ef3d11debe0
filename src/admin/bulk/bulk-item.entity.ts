import { Entity } from 'typeorm';
import { Key, Millis, Name } from '../../platform/database/columns.js';

/** What became of one item of a bulk operation. */
@Entity('bulk_items')
export class BulkItemEntity {
  @Key('bulk_id', 31, { primary: true })
  bulkId: string;
  @Key('item_id', 31, { primary: true })
  itemId: string;
  @Key('outcome', 12)
  outcome: string;
  @Name('detail', 255, { nullable: true })
  detail: string | null;
  @Millis('acted_at')
  actedAt: number;
}
