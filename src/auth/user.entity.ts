import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Key, Millis } from '../platform/database/columns.js';

/** A person who may use the console. */
@Entity('users')
@Unique('uk_users_username', ['username'])
export class UserEntity {
  @PrimaryGeneratedColumn()
  id: number;
  @Key('username', 64)
  username: string;
  @Key('password_hash', 255, { select: false })
  passwordHash: string;
  @Key('user_role', 16)
  role: 'admin' | 'operator' | 'viewer';
  @Column({ name: 'disabled', type: 'int' })
  disabled: number;
  @Millis('created_at')
  createdAt: number;
}
