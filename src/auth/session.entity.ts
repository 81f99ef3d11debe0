import { Entity, Index, Unique } from 'typeorm';
import { Int, Key, Millis, Name } from '../platform/database/columns.js';

/** Somebody signed in. What the browser holds is not kept, only its SHA-256. */
@Entity('sessions')
@Unique('uk_sessions_id', ['sessionId'])
@Index('ix_sessions_user', ['userId'])
export class SessionEntity {
  @Key('id_hash', 64, { primary: true })
  idHash: string;
  /** Names it to people; opens nothing. */
  @Key('session_id', 31)
  sessionId: string;
  @Int('user_id')
  userId: number;
  @Millis('created_at')
  createdAt: number;
  @Millis('seen_at')
  seenAt: number;
  @Millis('expires_at')
  expiresAt: number;
  @Key('client_ip', 64, { nullable: true })
  clientIp: string | null;
  @Name('user_agent', 255, { nullable: true })
  userAgent: string | null;
}
