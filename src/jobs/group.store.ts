import { Injectable } from '@nestjs/common';
import { partitionOf } from '../decisions/partitioning.js';
import { type Sql, SqlDialect } from '../ports.js';
import type { Group, GroupSettings } from './group.js';

interface GroupRow {
  id: number;
  group_key: string;
  partition_no: number;
  max_running: number;
  max_pending: number;
  held: number;
  hold_reason: string | null;
  held_until: number | string | null;
  routing: string | null;
}

@Injectable()
export class GroupStore {
  constructor(private readonly dialect: SqlDialect) {}

  async all(sql: Sql): Promise<Group[]> {
    return this.read(sql, '', []);
  }

  /** Holds the group's row until the transaction ends. */
  async lock(tx: Sql, key: string): Promise<Group | null> {
    return (await this.read(tx, `WHERE group_key = ? ${this.dialect.forUpdate}`, [key]))[0] ?? null;
  }

  private async read(sql: Sql, where: string, params: readonly unknown[]): Promise<Group[]> {
    const rows = await sql.rows<GroupRow>(
      `SELECT id, group_key, partition_no, max_running, max_pending, held, hold_reason, held_until, routing FROM task_groups ${where}`,
      params,
    );
    return rows.map((row) => ({
      id: row.id,
      key: row.group_key,
      partition: row.partition_no,
      maxRunning: row.max_running,
      maxPending: row.max_pending,
      held: row.held === 1,
      holdReason: row.hold_reason,
      heldUntil: row.held_until === null ? null : Number(row.held_until),
      routing: row.routing as Group['routing'],
    }));
  }

  /** Creates the group unless it is there; two callers at once make one. */
  async ensure(sql: Sql, key: string, limits: { maxRunning: number; maxPending: number }, now: number): Promise<void> {
    try {
      await sql.run(
        'INSERT INTO task_groups (group_key, partition_no, max_running, max_pending, held, created_at) VALUES (?, ?, ?, ?, 0, ?)',
        [key, partitionOf(key), limits.maxRunning, limits.maxPending, now],
      );
    } catch (error) {
      if (!this.dialect.isUniqueViolation(error)) throw error;
    }
  }

  /** Throws a unique violation if the key is taken. */
  async insert(tx: Sql, key: string, { maxRunning, maxPending, routing }: GroupSettings, now: number): Promise<void> {
    await tx.run(
      'INSERT INTO task_groups (group_key, partition_no, max_running, max_pending, held, routing, created_at) VALUES (?, ?, ?, ?, 0, ?, ?)',
      [key, partitionOf(key), maxRunning, maxPending, routing, now],
    );
  }

  async updateSettings(tx: Sql, id: number, { maxRunning, maxPending, routing }: GroupSettings): Promise<void> {
    await tx.run('UPDATE task_groups SET max_running = ?, max_pending = ?, routing = ? WHERE id = ?', [
      maxRunning,
      maxPending,
      routing,
      id,
    ]);
  }

  async updateHold(tx: Sql, { id, held, holdReason, heldUntil }: Group): Promise<void> {
    await tx.run('UPDATE task_groups SET held = ?, hold_reason = ?, held_until = ? WHERE id = ?', [
      held ? 1 : 0,
      holdReason,
      heldUntil,
      id,
    ]);
  }

  async setMaxRunning(sql: Sql, key: string, maxRunning: number): Promise<void> {
    await sql.run('UPDATE task_groups SET max_running = ? WHERE group_key = ?', [maxRunning, key]);
  }

  /** Pending tasks of each group as the index tells, counted no further than `limit`. */
  async countPending(sql: Sql, groupId: number, limit: number): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM tasks WHERE group_id = ? AND state = 3 LIMIT ${limit}) AS some`,
      [groupId],
    );
    return Number(row?.n ?? 0);
  }
}
