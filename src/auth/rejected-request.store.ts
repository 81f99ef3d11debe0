import { Injectable } from '@nestjs/common';
import { insertRows } from '../platform/database/insert-rows.js';
import { firstIdAt } from '../platform/ids.js';
import { placeholders, type Sql } from '../ports.js';
import type { Rejection } from './rejection-buffer.js';

export interface RejectedRequest extends Rejection {
  id: string;
  /** The key it is listed under; empty for keys that do not exist. */
  owner: string;
  node: string;
  more: number;
}

const COLUMNS =
  'id, owner_key, claimed_key, rejected_at, problem_code, detail, http_method, target, client_address, node_id, signed_at, nonce, signature, body_digest, body_bytes, more_like_it';
const SELECT =
  'SELECT id, owner_key AS owner, claimed_key AS claimed, rejected_at AS at, problem_code AS code, detail, http_method AS method, target, ' +
  'client_address AS address, node_id AS node, signed_at AS timestamp, nonce, signature, body_digest AS bodyDigest, body_bytes AS bodyBytes, ' +
  'more_like_it AS more FROM rejected_requests';

/** The lists of refused requests, one of each key and one of all keys that do not exist. */
@Injectable()
export class RejectedRequestStore {
  async insert(sql: Sql, requests: readonly RejectedRequest[]): Promise<void> {
    const rows = requests.map((each) => [
      each.id,
      each.owner,
      each.claimed,
      each.at,
      each.code,
      each.detail,
      each.method,
      each.target,
      each.address,
      each.node,
      each.timestamp,
      each.nonce,
      each.signature,
      each.bodyDigest,
      each.bodyBytes,
      each.more,
    ]);
    await insertRows(sql, `rejected_requests (${COLUMNS})`, rows);
  }

  /** Newest first, older than that id. */
  async list(sql: Sql, owners: readonly string[], before: string | undefined, limit: number): Promise<RejectedRequest[]> {
    if (owners.length === 0) return [];
    const older = before === undefined ? '' : ' AND id < ?';
    const rows = await sql.rows<RejectedRequest>(
      `${SELECT} WHERE owner_key IN (${placeholders(owners.length)})${older} ORDER BY id DESC LIMIT ${limit}`,
      before === undefined ? owners : [...owners, before],
    );
    return rows.map(numbered);
  }

  async find(sql: Sql, id: string): Promise<RejectedRequest | null> {
    const [row] = await sql.rows<RejectedRequest>(`${SELECT} WHERE id = ?`, [id]);
    return row ? numbered(row) : null;
  }

  /** Leaves the newest of the list. */
  async trim(sql: Sql, owner: string, kept: number): Promise<void> {
    const [last] = await sql.rows<{ id: string }>(
      `SELECT id FROM rejected_requests WHERE owner_key = ? ORDER BY id DESC LIMIT 1 OFFSET ${kept}`,
      [owner],
    );
    if (last) await sql.run('DELETE FROM rejected_requests WHERE owner_key = ? AND id <= ?', [owner, last.id]);
  }

  async removeOf(tx: Sql, owner: string): Promise<void> {
    await tx.run('DELETE FROM rejected_requests WHERE owner_key = ?', [owner]);
  }

  /** The oldest that were refused before the instant; returns how many. */
  async removeBefore(sql: Sql, before: number, most: number): Promise<number> {
    const rows = await sql.rows<{ id: string }>(`SELECT id FROM rejected_requests WHERE id < ? ORDER BY id LIMIT ${most}`, [
      firstIdAt('rej', before),
    ]);
    if (rows.length === 0) return 0;
    return sql.run(
      `DELETE FROM rejected_requests WHERE id IN (${placeholders(rows.length)})`,
      rows.map(({ id }) => id),
    );
  }
}

/** MySQL's driver hands bigints over as text. */
const numbered = (row: RejectedRequest): RejectedRequest => ({ ...row, at: Number(row.at) });
