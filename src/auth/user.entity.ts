import { Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Flag, Key, Millis } from '../platform/database/columns.js';

@Entity('users')
@Unique('uk_users_username', ['username'])
export class UserEntity {
  @PrimaryGeneratedColumn({ name: 'id', type: 'int' })
  id: number;
  @Key('username', 64)
  username: string;
  @Key('password_hash', 255, { select: false })
  passwordHash: string;
  @Key('user_role', 16)
  role: string;
  @Flag('disabled')
  disabled: boolean;
  @Millis('created_at')
  createdAt: number;
  @Millis('last_sign_in_at', { nullable: true })
  lastSignInAt: number | null;
}
