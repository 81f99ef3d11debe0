import { Injectable } from '@nestjs/common';
import type { GlobalRole, Role } from '../decisions/permissions.js';
import { type Sql, SqlDialect } from '../ports.js';

export type StoredRole = GlobalRole;
export interface UserRow {
  id: number;
  username: string;
  role: StoredRole;
  disabled: number;
  createdAt: number;
  lastSignInAt: number | null;
}
export interface NewUserRow {
  username: string;
  passwordHash: string;
  role: StoredRole;
  createdAt: number;
}

const COLUMNS = 'id, username, user_role AS role, disabled, created_at AS createdAt, last_sign_in_at AS lastSignInAt';

@Injectable()
export class UsersStore {
  constructor(private readonly dialect: SqlDialect) {}

  async insert(sql: Sql, user: NewUserRow): Promise<void> {
    await sql.run('INSERT INTO users (username, password_hash, user_role, disabled, created_at) VALUES (?, ?, ?, 0, ?)', [
      user.username,
      user.passwordHash,
      user.role,
      user.createdAt,
    ]);
  }

  async isEmpty(sql: Sql): Promise<boolean> {
    return (await sql.rows('SELECT id FROM users LIMIT 1')).length === 0;
  }

  async withHash(sql: Sql, username: string): Promise<(UserRow & { passwordHash: string }) | null> {
    const rows = await sql.rows<UserRow & { passwordHash: string }>(
      `SELECT ${COLUMNS}, password_hash AS passwordHash FROM users WHERE username = ?`,
      [username],
    );
    return rows[0] ?? null;
  }

  async all(sql: Sql): Promise<UserRow[]> {
    return sql.rows<UserRow>(`SELECT ${COLUMNS} FROM users ORDER BY username`);
  }

  async find(sql: Sql, username: string): Promise<UserRow | null> {
    return (await sql.rows<UserRow>(`SELECT ${COLUMNS} FROM users WHERE username = ?`, [username]))[0] ?? null;
  }

  /** Locks the user and every admin until the transaction ends, so that two changes cannot each count on the other's admin. */
  async lockWithAdmins(tx: Sql, username: string): Promise<UserRow[]> {
    return tx.rows<UserRow>(
      `SELECT ${COLUMNS} FROM users WHERE username = ? OR user_role = 'admin' ORDER BY id ${this.dialect.forUpdate}`,
      [username],
    );
  }

  async update(tx: Sql, id: number, { role, disabled }: { role: StoredRole; disabled: boolean }): Promise<void> {
    await tx.run('UPDATE users SET user_role = ?, disabled = ? WHERE id = ?', [role, disabled ? 1 : 0, id]);
  }

  async remove(tx: Sql, id: number): Promise<void> {
    await tx.run('DELETE FROM user_grants WHERE user_id = ?', [id]);
    await tx.run('DELETE FROM users WHERE id = ?', [id]);
  }

  async setPasswordHash(sql: Sql, id: number, passwordHash: string): Promise<void> {
    await sql.run('UPDATE users SET password_hash = ? WHERE id = ?', [passwordHash, id]);
  }

  async noteSignIn(sql: Sql, id: number, at: number): Promise<void> {
    await sql.run('UPDATE users SET last_sign_in_at = ? WHERE id = ?', [at, id]);
  }

  async grants(sql: Sql): Promise<{ userId: number; groupKey: string; role: Role }[]> {
    return sql.rows('SELECT user_id AS userId, group_key AS groupKey, user_role AS role FROM user_grants ORDER BY group_key');
  }

  async grantsOf(sql: Sql, userId: number): Promise<[group: string, role: Role][]> {
    const rows = await sql.rows<{ group_key: string; user_role: Role }>(
      'SELECT group_key, user_role FROM user_grants WHERE user_id = ? ORDER BY group_key',
      [userId],
    );
    return rows.map((row) => [row.group_key, row.user_role]);
  }

  async replaceGrants(tx: Sql, userId: number, grants: Iterable<readonly [group: string, role: Role]>): Promise<void> {
    await tx.run('DELETE FROM user_grants WHERE user_id = ?', [userId]);
    for (const [group, role] of grants)
      await tx.run('INSERT INTO user_grants (user_id, group_key, user_role) VALUES (?, ?, ?)', [userId, group, role]);
  }
}
