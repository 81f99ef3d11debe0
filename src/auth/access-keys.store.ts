import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../ports.js';

export interface AccessKeyRow {
  accessKey: string;
  kind: 'partner' | 'worker';
  appId: number | null;
  groupKeys: string | null;
  label: string;
  last4: string;
  fingerprint: string;
  scopesJson: string;
  ipAllowJson: string | null;
  state: 'active' | 'disabled';
  expiresAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
  /** As the audit log names who made it; null if that was not kept. */
  createdBy: string | null;
  lastUsedAddress: string | null;
  /** Method and route. */
  lastUsedEndpoint: string | null;
}
/** One use of a key; `at` in epoch milliseconds. */
export interface KeyUse {
  accessKey: string;
  at: number;
  address: string;
  endpoint: string;
}
export interface StoredAccessKey extends AccessKeyRow {
  secretBox: string;
}

export interface StoredBox {
  id: number;
  accessKey: string;
  appId: number | null;
  secretBox: string;
}

const COLUMNS =
  'access_key AS accessKey, kind, app_id AS appId, group_keys AS groupKeys, key_label AS label, last4, fingerprint, scopes_json AS scopesJson, ' +
  'ip_allow_json AS ipAllowJson, key_state AS state, expires_at AS expiresAt, last_used_at AS lastUsedAt, created_at AS createdAt, ' +
  'created_by AS createdBy, last_used_address AS lastUsedAddress, last_used_endpoint AS lastUsedEndpoint';

@Injectable()
export class AccessKeysStore {
  async insert(sql: Sql, key: StoredAccessKey): Promise<void> {
    await sql.run(
      `INSERT INTO access_keys (access_key, kind, app_id, group_keys, key_label, secret_box, last4, fingerprint, scopes_json, ip_allow_json,
       key_state, expires_at, last_used_at, created_at, created_by) VALUES (${placeholders(15)})`,
      [
        key.accessKey,
        key.kind,
        key.appId,
        key.groupKeys,
        key.label,
        key.secretBox,
        key.last4,
        key.fingerprint,
        key.scopesJson,
        key.ipAllowJson,
        key.state,
        key.expiresAt,
        key.lastUsedAt,
        key.createdAt,
        key.createdBy,
      ],
    );
  }

  /** The only read that brings the sealed secret along. */
  async load(sql: Sql, accessKey: string): Promise<StoredAccessKey | null> {
    const rows = await sql.rows<StoredAccessKey>(
      `SELECT ${COLUMNS}, secret_box AS secretBox FROM access_keys WHERE access_key = ?`,
      [accessKey],
    );
    return rows[0] ? numbered(rows[0]) : null;
  }

  /** The newest key whose box begins so, whoever's it is. */
  async newestWrappedBy(sql: Sql, prefix: string): Promise<string | null> {
    const rows = await sql.rows<{ accessKey: string }>(
      'SELECT access_key AS accessKey FROM access_keys WHERE secret_box LIKE ? ORDER BY id DESC LIMIT 1',
      [`${prefix}%`],
    );
    return rows[0]?.accessKey ?? null;
  }

  /** Sealed secrets above this id whose box begins with none of these, ids ascending. */
  async notWrappedBy(sql: Sql, prefixes: readonly string[], afterId: number, limit: number): Promise<StoredBox[]> {
    const rows = await sql.rows<StoredBox>(
      `SELECT id, access_key AS accessKey, app_id AS appId, secret_box AS secretBox FROM access_keys
       WHERE id > ?${' AND secret_box NOT LIKE ?'.repeat(prefixes.length)} ORDER BY id LIMIT ${limit}`,
      [afterId, ...prefixes.map((prefix) => `${prefix}%`)],
    );
    return rows.map((row) => ({ ...row, id: Number(row.id), appId: row.appId === null ? null : Number(row.appId) }));
  }

  /** True if the box was still the one that was read. */
  async replaceBox(sql: Sql, id: number, before: string, after: string): Promise<boolean> {
    return (await sql.run('UPDATE access_keys SET secret_box = ? WHERE id = ? AND secret_box = ?', [after, id, before])) === 1;
  }

  async ofApp(sql: Sql, appId: number): Promise<AccessKeyRow[]> {
    return (await sql.rows<AccessKeyRow>(`SELECT ${COLUMNS} FROM access_keys WHERE app_id = ? ORDER BY id`, [appId])).map(
      numbered,
    );
  }

  async ofWorkers(sql: Sql): Promise<AccessKeyRow[]> {
    return (await sql.rows<AccessKeyRow>(`SELECT ${COLUMNS} FROM access_keys WHERE kind = 'worker' ORDER BY id`)).map(numbered);
  }

  /** The key without its secret; null if there is none. */
  async find(sql: Sql, accessKey: string, suffix = ''): Promise<AccessKeyRow | null> {
    const rows = await sql.rows<AccessKeyRow>(`SELECT ${COLUMNS} FROM access_keys WHERE access_key = ? ${suffix}`, [accessKey]);
    return rows[0] ? numbered(rows[0]) : null;
  }

  lock(tx: Sql, accessKey: string, forUpdate: string): Promise<AccessKeyRow | null> {
    return this.find(tx, accessKey, forUpdate);
  }

  async all(sql: Sql): Promise<AccessKeyRow[]> {
    return (await sql.rows<AccessKeyRow>(`SELECT ${COLUMNS} FROM access_keys ORDER BY id DESC`)).map(numbered);
  }

  async update(tx: Sql, key: AccessKeyRow): Promise<void> {
    await tx.run(
      'UPDATE access_keys SET key_label = ?, scopes_json = ?, group_keys = ?, ip_allow_json = ?, expires_at = ?, key_state = ? WHERE access_key = ?',
      [key.label, key.scopesJson, key.groupKeys, key.ipAllowJson, key.expiresAt, key.state, key.accessKey],
    );
  }

  async remove(tx: Sql, accessKey: string): Promise<void> {
    await tx.run('DELETE FROM access_keys WHERE access_key = ?', [accessKey]);
  }

  /** Of these names, those of keys. */
  async existing(sql: Sql, accessKeys: readonly string[]): Promise<string[]> {
    const rows = await sql.rows<{ accessKey: string }>(
      `SELECT access_key AS accessKey FROM access_keys WHERE access_key IN (${placeholders(accessKeys.length)})`,
      accessKeys,
    );
    return rows.map(({ accessKey }) => accessKey);
  }

  /**
   * Writes how each was used last, in one statement, unless a later use is on record. Waits for nobody: returns those whose row somebody
   * else holds.
   */
  async touch(tx: Sql, uses: readonly KeyUse[], forUpdateSkipLocked: string): Promise<KeyUse[]> {
    const rows = (locking: string) =>
      tx.rows<{ accessKey: string; lastUsedAt: number | string | null }>(
        `SELECT access_key AS accessKey, last_used_at AS lastUsedAt FROM access_keys WHERE access_key IN (${placeholders(uses.length)})
         ${locking}`,
        uses.map(({ accessKey }) => accessKey),
      );
    const found = new Map((await rows(forUpdateSkipLocked)).map((row) => [row.accessKey, Number(row.lastUsedAt ?? 0)]));
    const later = uses.filter(({ accessKey, at }) => at > (found.get(accessKey) ?? Number.POSITIVE_INFINITY));
    if (later.length > 0) {
      const choice = `CASE access_key ${'WHEN ? THEN ? '.repeat(later.length)}END`;
      const chosen = (value: (use: KeyUse) => string | number) => later.flatMap((use) => [use.accessKey, value(use)]);
      await tx.run(
        `UPDATE access_keys SET last_used_at = ${choice}, last_used_address = ${choice}, last_used_endpoint = ${choice}
         WHERE access_key IN (${placeholders(later.length)})`,
        [
          ...chosen(({ at }) => at),
          ...chosen(({ address }) => address),
          ...chosen(({ endpoint }) => endpoint),
          ...later.map(({ accessKey }) => accessKey),
        ],
      );
    }
    if (found.size === uses.length) return [];
    const held = new Set((await rows('')).map(({ accessKey }) => accessKey).filter((accessKey) => !found.has(accessKey)));
    return uses.filter(({ accessKey }) => held.has(accessKey));
  }
}

/** MySQL's driver hands bigints over as text. */
function numbered<Row extends AccessKeyRow>(row: Row): Row {
  const number = (value: number | null) => (value === null ? null : Number(value));
  return {
    ...row,
    appId: number(row.appId),
    expiresAt: number(row.expiresAt),
    lastUsedAt: number(row.lastUsedAt),
    createdAt: Number(row.createdAt),
  };
}
