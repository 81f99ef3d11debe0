import { Injectable } from '@nestjs/common';
import type { Sql } from '../ports.js';

export type UserRole = 'admin' | 'operator' | 'viewer';
export interface UserRow {
  id: number;
  username: string;
  role: UserRole;
  disabled: number;
  createdAt: number;
}
export interface UserWithHash extends UserRow {
  passwordHash: string;
}

const COLUMNS = 'id, username, user_role AS role, disabled, created_at AS createdAt';

@Injectable()
export class UsersStore {
  async insert(sql: Sql, user: Omit<UserWithHash, 'id'>): Promise<void> {
    await sql.run('INSERT INTO users (username, password_hash, user_role, disabled, created_at) VALUES (?, ?, ?, ?, ?)', [
      user.username,
      user.passwordHash,
      user.role,
      user.disabled,
      user.createdAt,
    ]);
  }

  async isEmpty(sql: Sql): Promise<boolean> {
    return (await sql.rows('SELECT id FROM users LIMIT 1')).length === 0;
  }

  async withHash(sql: Sql, username: string): Promise<UserWithHash | null> {
    const rows = await sql.rows<UserWithHash>(`SELECT ${COLUMNS}, password_hash AS passwordHash FROM users WHERE username = ?`, [
      username,
    ]);
    return rows[0] ?? null;
  }

  async all(sql: Sql): Promise<UserRow[]> {
    return sql.rows<UserRow>(`SELECT ${COLUMNS} FROM users ORDER BY username`);
  }

  /** True if there is such a user. */
  async setPasswordHash(sql: Sql, username: string, passwordHash: string): Promise<boolean> {
    return (await sql.run('UPDATE users SET password_hash = ? WHERE username = ?', [passwordHash, username])) === 1;
  }

  async setDisabled(sql: Sql, username: string, disabled: 0 | 1): Promise<boolean> {
    return (await sql.run('UPDATE users SET disabled = ? WHERE username = ?', [disabled, username])) === 1;
  }
}
