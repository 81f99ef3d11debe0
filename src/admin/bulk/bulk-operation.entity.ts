import { Entity, Index } from 'typeorm';
import { Int, Key, LongText, Millis, Name } from '../../platform/database/columns.js';

/** One action on everything a frozen filter finds, and how far it has come. */
@Entity('bulk_operations')
@Index('ix_bulk_operations_state', ['state', 'id'])
export class BulkOperationEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Key('bulk_kind', 24)
  kind: string;
  @LongText('filter_json')
  filterJson: string;
  @Name('reason', 500)
  reason: string;
  @Name('asked_by', 128)
  askedBy: string;
  @Key('bulk_state', 12)
  state: string;
  /** Everything from here upwards has been dealt with: it goes from the newest to the oldest. */
  @Key('cursor_id', 31, { nullable: true })
  cursorId: string | null;
  @Int('expected_count')
  expectedCount: number;
  @Int('expected_capped')
  expectedCapped: number;
  @Int('done_count')
  doneCount: number;
  @Int('skipped_count')
  skippedCount: number;
  @Int('failed_count')
  failedCount: number;
  /** The node that works on it, until then. */
  @Key('claimed_by', 64, { nullable: true })
  claimedBy: string | null;
  @Millis('claimed_until')
  claimedUntil: number;
  @Millis('created_at')
  createdAt: number;
  @Millis('ended_at', { nullable: true })
  endedAt: number | null;
}
