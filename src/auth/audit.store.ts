import { Injectable } from '@nestjs/common';
import type { ActorKind } from '../decisions/actor-kind.js';
import { firstIdAt } from '../platform/ids.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

export interface AuditRow {
  id: string;
  loggedAt: number;
  actor: string;
  actorIp: string | null;
  userAgent: string | null;
  action: string;
  objectType: string;
  objectId: string | null;
  groupKey: string | null;
  reason: string | null;
  beforeJson: string | null;
  afterJson: string | null;
  requestId: string | null;
  bulkId: string | null;
}
export interface AuditFilter {
  actor?: string;
  actorKind?: ActorKind;
  action?: string;
  objectType?: string;
  objectId?: string;
  /** Only of these groups; absent: of every group and of none. */
  groups?: readonly string[];
  bulkId?: string;
  /** Smallest id, and the one to stay below. */
  fromId?: string;
  toId?: string;
  /** Only what comes after this place in the order. */
  before?: { value?: string; id: string };
  order?: AuditOrder;
  limit: number;
}
/** By id, which is by time, or by one of the columns that have an index ending with the id. Newest first if absent. */
export interface AuditOrder {
  by: 'id' | 'actor' | 'action';
  way: 'ASC' | 'DESC';
}
interface MemberQuery {
  objectType: string;
  objectIds: readonly string[];
  fromId: string;
  /** Its name. */
  member: 'state';
  each: number;
}
export interface MemberRow {
  objectId: string;
  action: string;
  loggedAt: number;
  beforeValue: string | null;
  afterValue: string | null;
  /** There was nothing before. */
  isFirst: boolean;
}
const NEWEST: AuditOrder = { by: 'id', way: 'DESC' };
const INDEX_OF = { actor: 'ix_audit_log_actor', action: 'ix_audit_log_action' } as const;

const COLUMNS =
  'id, logged_at AS loggedAt, actor, actor_ip AS actorIp, user_agent AS userAgent, action, object_type AS objectType, object_id AS objectId, ' +
  'group_key AS groupKey, reason, before_json AS beforeJson, after_json AS afterJson, request_id AS requestId, bulk_id AS bulkId';

/** Inserts and reads: the log is append-only. What is older than it is kept is removed, and nothing else ever. */
@Injectable()
export class AuditStore {
  constructor(private readonly dialect: SqlDialect) {}

  async insert(sql: Sql, row: AuditRow & { actorKind: ActorKind }): Promise<void> {
    await sql.run(
      `INSERT INTO audit_log (id, logged_at, actor, actor_ip, user_agent, action, object_type, object_id, group_key, reason, before_json,
       after_json, request_id, bulk_id, actor_kind) VALUES (${placeholders(15)})`,
      [
        row.id,
        row.loggedAt,
        row.actor,
        row.actorIp,
        row.userAgent,
        row.action,
        row.objectType,
        row.objectId,
        row.groupKey,
        row.reason,
        row.beforeJson,
        row.afterJson,
        row.requestId,
        row.bulkId,
        row.actorKind,
      ],
    );
  }

  /** Each single filter has an index that ends with the id, so a page is read in its order. */
  async list(sql: Sql, { groups, limit, order = NEWEST, before, ...filter }: AuditFilter): Promise<AuditRow[]> {
    if (groups?.length === 0) return [];
    const { by, way } = order;
    const sign = way === 'ASC' ? '>' : '<';
    const stated = [
      ['actor = ?', filter.actor],
      ['actor_kind = ?', filter.actorKind],
      ['action = ?', filter.action],
      ['object_type = ?', filter.objectType],
      ['object_id = ?', filter.objectId],
      ['bulk_id = ?', filter.bulkId],
      ['id >= ?', filter.fromId],
      ['id < ?', filter.toId],
      ...(by === 'id'
        ? [[`id ${sign} ?`, before?.id]]
        : [
            [`${by} ${sign}= ?`, before?.value],
            [`(${by} ${sign} ? OR id ${sign} ?)`, before && [before.value, before.id]],
          ]),
    ].filter(([, value]) => value !== undefined) as [string, string | string[]][];
    const where = stated.map(([condition]) => condition);
    if (groups) where.push(`group_key IN (${placeholders(groups.length)})`);
    const rows = await sql.rows<AuditRow>(
      `SELECT ${COLUMNS} FROM audit_log${by === 'id' ? '' : this.readBy(INDEX_OF[by])}
       ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY ${by === 'id' ? '' : `${by} ${way}, `}id ${way} LIMIT ${limit}`,
      [...stated.flatMap(([, value]) => value), ...(groups ?? [])],
    );
    return rows.map((row) => ({ ...row, loggedAt: Number(row.loggedAt) }));
  }

  /** How objects changed since then, of each the newest entries, newest first: members of `before` and `after` as text, in quotes or not. */
  async membersOf(sql: Sql, { objectType, objectIds, fromId, member, each }: MemberQuery): Promise<MemberRow[]> {
    if (objectIds.length === 0) return [];
    const [before, after] = ['before_json', 'after_json'].map((column) => `CAST(JSON_EXTRACT(${column}, '$.${member}') AS CHAR)`);
    const one = (_: string, i: number) =>
      `SELECT * FROM (SELECT object_id AS objectId, action, logged_at AS loggedAt, ${before} AS beforeValue, ${after} AS afterValue,
       CASE WHEN before_json IS NULL THEN 1 ELSE 0 END AS isFirst FROM audit_log
       WHERE object_type = ? AND object_id = ? AND id >= ? ORDER BY id DESC LIMIT ${each}) AS members_${i}`;
    const rows = await sql.rows<MemberRow & { isFirst: number | boolean }>(
      objectIds.map(one).join(' UNION ALL '),
      objectIds.flatMap((id) => [objectType, id, fromId]),
    );
    return rows.map((row) => ({ ...row, loggedAt: Number(row.loggedAt), isFirst: Number(row.isFirst) === 1 }));
  }

  /** The index is named: left to itself MySQL may take one that only fits the conditions, and sort. */
  private readBy(index: string): string {
    return this.dialect.name === 'mysql' ? ` FORCE INDEX (${index})` : ` INDEXED BY ${index}`;
  }

  /** The oldest entries, of before the instant (epoch milliseconds); returns how many. */
  async removeBefore(sql: Sql, before: number, most: number): Promise<number> {
    const rows = await sql.rows<{ id: string }>(`SELECT id FROM audit_log WHERE id < ? ORDER BY id LIMIT ${most}`, [
      firstIdAt('aud', before),
    ]);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    return sql.run(`DELETE FROM audit_log WHERE id IN (${placeholders(ids.length)})`, ids);
  }
}
