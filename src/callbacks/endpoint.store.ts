import { Injectable } from '@nestjs/common';
import type { TargetHealth } from '../decisions/callback-circuit.js';
import { slices } from '../platform/slices.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { Endpoint, SealedSecret } from './callbacks.js';

interface EndpointRow {
  id: string;
  app_id: number;
  url: string;
  event_types_json: string;
  endpoint_state: string;
  state_reason: string | null;
  secrets_json: string;
  last4: string;
  challenge: string;
  verified_at: number | string | null;
  disabled_at: number | string | null;
  created_at: number | string;
  updated_at: number | string;
}
export interface CallbackApp {
  appId: number;
  hosts: string[];
  secrets: SealedSecret[];
}
const COLUMNS =
  'id, app_id, url, event_types_json, endpoint_state, state_reason, secrets_json, last4, challenge, verified_at, disabled_at, created_at, updated_at';

/** Every statement about endpoints and about what operators decided for an app. */
@Injectable()
export class EndpointStore {
  constructor(private readonly dialect: SqlDialect) {}

  async insert(tx: Sql, endpoint: Endpoint): Promise<void> {
    await tx.run(`INSERT INTO webhook_endpoints (${COLUMNS}) VALUES (${placeholders(13)})`, [
      endpoint.id,
      endpoint.appId,
      endpoint.url,
      JSON.stringify(endpoint.eventTypes),
      endpoint.state,
      endpoint.stateReason,
      JSON.stringify(endpoint.secrets),
      endpoint.last4,
      endpoint.challenge,
      endpoint.verifiedAt,
      endpoint.disabledAt,
      endpoint.createdAt,
      endpoint.updatedAt,
    ]);
  }

  async find(sql: Sql, appId: number, id: string): Promise<Endpoint | null> {
    const rows = await sql.rows<EndpointRow>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE id = ? AND app_id = ?`, [id, appId]);
    return rows[0] ? endpointOf(rows[0]) : null;
  }

  /** Locks the row until the transaction ends. */
  async lock(tx: Sql, id: string): Promise<Endpoint | null> {
    const [row] = await tx.rows<EndpointRow>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE id = ? ${this.dialect.forUpdate}`, [
      id,
    ]);
    return row ? endpointOf(row) : null;
  }

  async ofApp(sql: Sql, appId: number): Promise<Endpoint[]> {
    const rows = await sql.rows<EndpointRow>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE app_id = ? ORDER BY id`, [appId]);
    return rows.map(endpointOf);
  }

  async look(sql: Sql, id: string): Promise<Endpoint | null> {
    const rows = await sql.rows<EndpointRow>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE id = ?`, [id]);
    return rows[0] ? endpointOf(rows[0]) : null;
  }

  async ofApps(sql: Sql, appIds: readonly number[]): Promise<Endpoint[]> {
    if (appIds.length === 0) return [];
    const rows = await sql.rows<EndpointRow>(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE app_id IN (${placeholders(appIds.length)}) ORDER BY id`,
      appIds,
    );
    return rows.map(endpointOf);
  }

  async enabled(sql: Sql): Promise<Endpoint[]> {
    const rows = await sql.rows<EndpointRow>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE endpoint_state = 'ENABLED'`);
    return rows.map(endpointOf);
  }

  /** Writes what may change. The caller holds the row's lock. */
  async save(tx: Sql, endpoint: Endpoint): Promise<void> {
    await tx.run(
      `UPDATE webhook_endpoints SET event_types_json = ?, endpoint_state = ?, state_reason = ?, secrets_json = ?, last4 = ?,
        verified_at = ?, disabled_at = ?, updated_at = ? WHERE id = ?`,
      [
        JSON.stringify(endpoint.eventTypes),
        endpoint.state,
        endpoint.stateReason,
        JSON.stringify(endpoint.secrets),
        endpoint.last4,
        endpoint.verifiedAt,
        endpoint.disabledAt,
        endpoint.updatedAt,
        endpoint.id,
      ],
    );
  }

  /** Those that exist. */
  async statesOf(sql: Sql, ids: readonly string[]): Promise<Map<string, Endpoint['state']>> {
    const found = new Map<string, Endpoint['state']>();
    for (const some of slices([...new Set(ids)], 500)) {
      const rows = await sql.rows<Pick<EndpointRow, 'id' | 'endpoint_state'>>(
        `SELECT id, endpoint_state FROM webhook_endpoints WHERE id IN (${placeholders(some.length)})`,
        some,
      );
      for (const { id, endpoint_state } of rows) found.set(id, endpoint_state as Endpoint['state']);
    }
    return found;
  }

  /** It exists and was not switched off. */
  async listens(sql: Sql, id: string): Promise<boolean> {
    const rows = await sql.rows("SELECT id FROM webhook_endpoints WHERE id = ? AND endpoint_state <> 'DISABLED'", [id]);
    return rows.length > 0;
  }

  /** Switched off because of how they answered; at most `limit`. */
  async switchedOff(sql: Sql, limit: number): Promise<Endpoint[]> {
    const rows = await sql.rows<EndpointRow>(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE endpoint_state = 'DISABLED' AND state_reason IN ('gone', 'failing') ORDER BY id LIMIT ${limit}`,
    );
    return rows.map(endpointOf);
  }

  /** True for whoever ended it. */
  async disable(tx: Sql, id: string, reason: string, now: number): Promise<boolean> {
    const changed = await tx.run(
      `UPDATE webhook_endpoints SET endpoint_state = 'DISABLED', state_reason = ?, disabled_at = ?, updated_at = ?
       WHERE id = ? AND endpoint_state <> 'DISABLED'`,
      [reason, now, now, id],
    );
    return changed > 0;
  }

  /** PENDING → ENABLED; false if it is no longer PENDING. */
  async verify(tx: Sql, id: string, now: number): Promise<boolean> {
    const changed = await tx.run(
      `UPDATE webhook_endpoints SET endpoint_state = 'ENABLED', verified_at = ?, updated_at = ? WHERE id = ? AND endpoint_state = 'PENDING'`,
      [now, now, id],
    );
    return changed > 0;
  }

  /**
   * How an unproven endpoint was asked so far, which has deliveries of its challenge alone: whether one is still to be sent or
   * under way, and when the latest attempt began (epoch milliseconds; null: none was made).
   */
  async challengesOf(tx: Sql, id: string): Promise<{ isOpen: boolean; lastAt: number | null }> {
    const [row] = await tx.rows<{ waiting: number | string; last_at: number | string | null }>(
      `SELECT COUNT(CASE WHEN d.delivery_state = 'PENDING' THEN 1 END) AS waiting, MAX(a.started_at) AS last_at
       FROM webhook_deliveries d LEFT JOIN webhook_attempts a ON a.delivery_id = d.id WHERE d.endpoint_id = ?`,
      [id],
    );
    return { isOpen: Number(row?.waiting ?? 0) > 0, lastAt: instant(row?.last_at ?? null) };
  }

  async remove(tx: Sql, appId: number, id: string): Promise<boolean> {
    return (await tx.run('DELETE FROM webhook_endpoints WHERE id = ? AND app_id = ?', [id, appId])) > 0;
  }

  /** How targets are, by their names; those that have not failed since they last worked are left out. */
  async healthOf(sql: Sql, targets: readonly string[]): Promise<Map<string, TargetHealth>> {
    const found = new Map<string, TargetHealth>();
    for (const some of slices(targets, 500)) {
      const rows = await sql.rows<{ target: string; health_json: string; open_until: number | string | null }>(
        `SELECT target, health_json, open_until FROM callback_targets WHERE target IN (${placeholders(some.length)})`,
        some,
      );
      for (const { target, health_json, open_until } of rows)
        found.set(target, { ...JSON.parse(health_json), openUntil: open_until === null ? null : Number(open_until) });
    }
    return found;
  }

  async apps(sql: Sql): Promise<CallbackApp[]> {
    const rows = await sql.rows<{ app_id: number; hosts_json: string; secrets_json: string }>(
      'SELECT app_id, hosts_json, secrets_json FROM callback_apps',
    );
    return rows.map((row) => ({
      appId: row.app_id,
      hosts: JSON.parse(row.hosts_json),
      secrets: JSON.parse(row.secrets_json),
    }));
  }

  /** Locks the row, if there is one, until the transaction ends. */
  lockApp(tx: Sql, appId: number): Promise<CallbackApp | null> {
    return this.app(tx, appId, this.dialect.forUpdate);
  }

  async app(sql: Sql, appId: number, suffix = ''): Promise<CallbackApp | null> {
    const [row] = await sql.rows<{ hosts_json: string; secrets_json: string }>(
      `SELECT hosts_json, secrets_json FROM callback_apps WHERE app_id = ? ${suffix}`,
      [appId],
    );
    return row ? { appId, hosts: JSON.parse(row.hosts_json), secrets: JSON.parse(row.secrets_json) } : null;
  }

  async saveApp(tx: Sql, before: CallbackApp | null, { appId, hosts, secrets }: CallbackApp, now: number): Promise<void> {
    const values = [JSON.stringify(hosts), JSON.stringify(secrets), now, appId];
    await (before
      ? tx.run('UPDATE callback_apps SET hosts_json = ?, secrets_json = ?, changed_at = ? WHERE app_id = ?', values)
      : tx.run('INSERT INTO callback_apps (hosts_json, secrets_json, changed_at, app_id, created_at) VALUES (?, ?, ?, ?, ?)', [
          ...values,
          now,
        ]));
  }
}

const instant = (value: number | string | null): number | null => (value === null ? null : Number(value));

function endpointOf(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    appId: row.app_id,
    url: row.url,
    eventTypes: JSON.parse(row.event_types_json),
    state: row.endpoint_state as Endpoint['state'],
    stateReason: row.state_reason as Endpoint['stateReason'],
    secrets: JSON.parse(row.secrets_json),
    last4: row.last4,
    challenge: row.challenge,
    verifiedAt: instant(row.verified_at),
    disabledAt: instant(row.disabled_at),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}
