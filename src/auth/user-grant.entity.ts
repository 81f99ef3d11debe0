import { Entity } from 'typeorm';
import { Int, Key } from '../platform/database/columns.js';

/** A user's role in one group, beside the global one. */
@Entity('user_grants')
export class UserGrantEntity {
  @Int('user_id', { primary: true })
  userId: number;
  @Key('group_key', 64, { primary: true })
  groupKey: string;
  @Key('user_role', 16)
  role: string;
}
