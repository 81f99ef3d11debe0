import { ROUTINGS } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { partitionOf } from '../decisions/partitioning.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { storedPolicies } from '../decisions/stored-definition.js';
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
  max_dispatch_rate: number | null;
  policies_json: string | null;
  version: number | null;
  archived_at: number | string | null;
}
const COLUMNS =
  'id, group_key, partition_no, max_running, max_pending, held, hold_reason, held_until, routing, max_dispatch_rate, policies_json, version, archived_at';

@Injectable()
export class GroupStore {
  constructor(private readonly dialect: SqlDialect) {}

  async all(sql: Sql): Promise<Group[]> {
    return (await sql.rows<GroupRow>(`SELECT ${COLUMNS} FROM task_groups`)).map(groupOf);
  }

  /** The row, locked until the transaction ends. */
  async lock(tx: Sql, key: string): Promise<Group | null> {
    const [row] = await tx.rows<GroupRow>(`SELECT ${COLUMNS} FROM task_groups WHERE group_key = ? ${this.dialect.forUpdate}`, [
      key,
    ]);
    return row ? groupOf(row) : null;
  }

  /** The same by its id. */
  async lockById(tx: Sql, id: number): Promise<Group | null> {
    return this.one(tx, id, this.dialect.forUpdate);
  }

  /** The row as it is. */
  async find(sql: Sql, id: number): Promise<Group | null> {
    return this.one(sql, id, '');
  }

  private async one(sql: Sql, id: number, lock: string): Promise<Group | null> {
    const [row] = await sql.rows<GroupRow>(`SELECT ${COLUMNS} FROM task_groups WHERE id = ? ${lock}`, [id]);
    return row ? groupOf(row) : null;
  }

  async countJobs(sql: Sql, id: number): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>('SELECT COUNT(*) AS n FROM jobs WHERE group_id = ?', [id]);
    return Number(row?.n ?? 0);
  }

  /** Creates the group unless it is there; two callers at once make one. True if this one did. */
  async ensure(
    sql: Sql,
    key: string,
    limits: Pick<GroupSettings, 'maxRunning' | 'maxPending'> & Partial<GroupSettings>,
    now: number,
  ): Promise<boolean> {
    try {
      await sql.run(
        'INSERT INTO task_groups (group_key, partition_no, max_running, max_pending, held, created_at, max_dispatch_rate, routing, policies_json, version) VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, 1)',
        [
          key,
          partitionOf(key),
          limits.maxRunning,
          limits.maxPending,
          now,
          limits.maxDispatchRate ?? null,
          limits.routing ?? null,
          policiesText(limits.policies ?? {}),
        ],
      );
      return true;
    } catch (error) {
      if (!this.dialect.isUniqueViolation(error)) throw error;
      return false;
    }
  }

  /** Writes the settings as the next version. The caller holds the row's lock. */
  async change(tx: Sql, group: Group): Promise<void> {
    const { id, version, maxRunning, maxPending, maxDispatchRate, routing, policies } = group;
    await tx.run(
      'UPDATE task_groups SET max_running = ?, max_pending = ?, max_dispatch_rate = ?, routing = ?, policies_json = ?, version = ? WHERE id = ?',
      [maxRunning, maxPending, maxDispatchRate, routing, policiesText(policies), version + 1, id],
    );
  }

  /** A hold or its end; the settings and their version stay. The caller holds the row's lock. */
  async hold(tx: Sql, { id, held, holdReason, heldUntil }: Group): Promise<void> {
    await tx.run('UPDATE task_groups SET held = ?, hold_reason = ?, held_until = ? WHERE id = ?', [
      held ? 1 : 0,
      holdReason,
      heldUntil,
      id,
    ]);
  }

  /** Whether it takes new work; null for one that does. The caller holds the row's lock. */
  async archive(tx: Sql, id: number, archivedAt: number | null): Promise<void> {
    await tx.run('UPDATE task_groups SET archived_at = ? WHERE id = ?', [archivedAt, id]);
  }

  /** Pending tasks of each group as the index tells, each counted no further than its limit; one statement. */
  async countPending(sql: Sql, groups: readonly { id: number; limit: number }[]): Promise<Map<number, number>> {
    if (groups.length === 0) return new Map();
    const counts = groups.map(
      ({ limit }, i) =>
        `SELECT ? AS id, COUNT(*) AS n FROM (SELECT 1 AS one FROM tasks WHERE group_id = ? AND state = ${STATE_CODE.PENDING} LIMIT ${limit}) AS some_${i}`,
    );
    const rows = await sql.rows<{ id: number | string; n: number | string }>(
      counts.join(' UNION ALL '),
      groups.flatMap(({ id }) => [id, id]),
    );
    return new Map(rows.map(({ id, n }) => [Number(id), Number(n)]));
  }
}

const policiesText = (policies: GroupSettings['policies']): string | null =>
  Object.keys(policies).length === 0 ? null : JSON.stringify(policies);

/** One row that cannot be read must not hide the other groups: it states nothing. */
function policiesOf(text: string | null): Group['policies'] {
  try {
    return text === null ? {} : storedPolicies(text);
  } catch {
    return {};
  }
}

function groupOf(row: GroupRow): Group {
  return {
    id: row.id,
    key: row.group_key,
    partition: row.partition_no,
    maxRunning: row.max_running,
    maxPending: row.max_pending,
    held: row.held === 1,
    holdReason: row.hold_reason,
    heldUntil: row.held_until === null ? null : Number(row.held_until),
    // One of a later version counts as none.
    routing: ROUTINGS.find((routing) => routing === row.routing) ?? null,
    maxDispatchRate: row.max_dispatch_rate,
    policies: policiesOf(row.policies_json),
    version: row.version ?? 1,
    archivedAt: row.archived_at === null ? null : Number(row.archived_at),
  };
}
