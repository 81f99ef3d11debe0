import { Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Flag, Int, Key, LongText, Millis, Name, TinyInt } from '../platform/database/columns.js';

@Entity('task_groups')
@Unique('uk_task_groups_key', ['key'])
export class GroupEntity {
  @PrimaryGeneratedColumn({ name: 'id', type: 'int' })
  id: number;
  @Key('group_key', 64)
  key: string;
  @TinyInt('partition_no')
  partition: number;
  @Int('max_running')
  maxRunning: number;
  @Int('max_pending')
  maxPending: number;
  @Flag('held')
  held: boolean;
  @Name('hold_reason', 255, { nullable: true })
  holdReason: string | null;
  @Millis('held_until', { nullable: true })
  heldUntil: number | null;
  @Key('routing', 32, { nullable: true })
  routing: string | null;
  @Millis('created_at')
  createdAt: number;
  /** Starts per second; null for no limit. */
  @Int('max_dispatch_rate', { nullable: true })
  maxDispatchRate: number | null;
  /** What its tasks get where neither they nor their job state it. */
  @LongText('policies_json', { nullable: true })
  policiesJson: string | null;
  /** Counts edits; null is the first. */
  @Int('version', { nullable: true })
  version: number | null;
  /** Since when it takes no new work; null: it does. */
  @Millis('archived_at', { nullable: true })
  archivedAt: number | null;
}
