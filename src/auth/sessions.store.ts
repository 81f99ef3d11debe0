import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../ports.js';
import type { StoredRole } from './users.store.js';

export interface SessionRow {
  idHash: string;
  sessionId: string;
  userId: number;
  createdAt: number;
  seenAt: number;
  expiresAt: number;
  clientIp: string | null;
  userAgent: string | null;
}
/** A session with whose it is. */
export interface LiveSessionRow extends SessionRow {
  username: string;
  role: StoredRole;
}

const COLUMNS =
  's.id_hash AS idHash, s.session_id AS sessionId, s.user_id AS userId, s.created_at AS createdAt, s.seen_at AS seenAt, s.expires_at AS expiresAt, ' +
  's.client_ip AS clientIp, s.user_agent AS userAgent';

@Injectable()
export class SessionsStore {
  async insert(sql: Sql, row: SessionRow): Promise<void> {
    await sql.run(
      `INSERT INTO sessions (id_hash, session_id, user_id, created_at, seen_at, expires_at, client_ip, user_agent) VALUES (${placeholders(8)})`,
      [row.idHash, row.sessionId, row.userId, row.createdAt, row.seenAt, row.expiresAt, row.clientIp, row.userAgent],
    );
  }

  /** Neither over nor idle for too long nor of a user who is disabled. */
  async live(sql: Sql, idHash: string, now: number, idleMs: number): Promise<LiveSessionRow | null> {
    const [row] = await sql.rows<LiveSessionRow>(
      `SELECT ${COLUMNS}, u.username AS username, u.user_role AS role FROM sessions s INNER JOIN users u ON u.id = s.user_id
       WHERE s.id_hash = ? AND s.expires_at > ? AND s.seen_at > ? AND u.disabled = 0`,
      [idHash, now, now - idleMs],
    );
    return row ? numbered(row) : null;
  }

  /** Of these session ids, those that still live, with whose they are. */
  async stillLive(sql: Sql, sessionIds: readonly string[], now: number, idleMs: number): Promise<LiveSessionRow[]> {
    if (sessionIds.length === 0) return [];
    const rows = await sql.rows<LiveSessionRow>(
      `SELECT ${COLUMNS}, u.username AS username, u.user_role AS role FROM sessions s INNER JOIN users u ON u.id = s.user_id
       WHERE s.session_id IN (${placeholders(sessionIds.length)}) AND s.expires_at > ? AND s.seen_at > ? AND u.disabled = 0`,
      [...sessionIds, now, now - idleMs],
    );
    return rows.map(numbered);
  }

  async ofUser(sql: Sql, userId: number, now: number, idleMs: number): Promise<SessionRow[]> {
    const rows = await sql.rows<SessionRow>(
      `SELECT ${COLUMNS} FROM sessions s WHERE s.user_id = ? AND s.expires_at > ? AND s.seen_at > ? ORDER BY s.seen_at DESC`,
      [userId, now, now - idleMs],
    );
    return rows.map(numbered);
  }

  async touch(sql: Sql, sessionIds: readonly string[], seenAt: number): Promise<void> {
    await sql.run(`UPDATE sessions SET seen_at = ? WHERE session_id IN (${placeholders(sessionIds.length)}) AND seen_at < ?`, [
      seenAt,
      ...sessionIds,
      seenAt,
    ]);
  }

  /** True if the user had such a session. */
  async remove(sql: Sql, userId: number, sessionId: string): Promise<boolean> {
    return (await sql.run('DELETE FROM sessions WHERE user_id = ? AND session_id = ?', [userId, sessionId])) > 0;
  }

  async removeAll(sql: Sql, userId: number, exceptSessionId = ''): Promise<void> {
    await sql.run('DELETE FROM sessions WHERE user_id = ? AND session_id <> ?', [userId, exceptSessionId]);
  }

  /** Sessions of the user that nobody can use any more. */
  async forgetEnded(sql: Sql, userId: number, now: number, idleMs: number): Promise<void> {
    await sql.run('DELETE FROM sessions WHERE user_id = ? AND (expires_at <= ? OR seen_at <= ?)', [userId, now, now - idleMs]);
  }
}

function numbered<Row extends SessionRow>(row: Row): Row {
  return { ...row, createdAt: Number(row.createdAt), seenAt: Number(row.seenAt), expiresAt: Number(row.expiresAt) };
}
