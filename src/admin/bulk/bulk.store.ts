import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../../ports.js';
import type { BulkChange, BulkFilter, BulkKind, BulkState } from '../contract/bulk.js';

/** `change`: what is made of each, kept with what is chosen. */
export type FrozenFilter = BulkFilter & { frozenAt: string; change?: BulkChange };
export interface BulkOperation {
  id: string;
  kind: BulkKind;
  filter: FrozenFilter;
  reason: string;
  askedBy: string;
  state: BulkState;
  cursor: string | null;
  expected: { count: number; capped: boolean };
  done: number;
  skipped: number;
  failed: number;
  createdAt: number;
  endedAt: number | null;
}
export interface BulkItemRow {
  itemId: string;
  outcome: 'done' | 'skipped' | 'failed';
  detail: string | null;
  actedAt: number;
}

const COLUMNS =
  'id, bulk_kind, filter_json, reason, asked_by, bulk_state, cursor_id, expected_count, expected_capped, done_count, skipped_count, failed_count, created_at, ended_at';

@Injectable()
export class BulkStore {
  async insert(tx: Sql, operation: BulkOperation): Promise<void> {
    const { id, kind, filter, reason, askedBy, state, expected, createdAt } = operation;
    await tx.run(
      `INSERT INTO bulk_operations (id, bulk_kind, filter_json, reason, asked_by, bulk_state, expected_count, expected_capped, done_count,
       skipped_count, failed_count, claimed_until, created_at) VALUES (${placeholders(8)}, 0, 0, 0, 0, ?)`,
      [id, kind, JSON.stringify(filter), reason, askedBy, state, expected.count, expected.capped ? 1 : 0, createdAt],
    );
  }

  async find(sql: Sql, id: string): Promise<BulkOperation | null> {
    return (await this.read(sql, 'WHERE id = ?', [id]))[0] ?? null;
  }

  /** Newest first; of one person, or everybody's. */
  async list(sql: Sql, askedBy: string | null, before: string | undefined, limit: number): Promise<BulkOperation[]> {
    const conditions = [...(askedBy === null ? [] : ['asked_by = ?']), ...(before === undefined ? [] : ['id < ?'])];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const params = [...(askedBy === null ? [] : [askedBy]), ...(before === undefined ? [] : [before])];
    return this.read(sql, `${where} ORDER BY id DESC LIMIT ${limit}`, params);
  }

  async running(sql: Sql): Promise<string[]> {
    const rows = await sql.rows<{ id: string }>(
      "SELECT id FROM bulk_operations WHERE bulk_state = 'running' ORDER BY id LIMIT 20",
    );
    return rows.map(({ id }) => id);
  }

  /** True if it runs and is now this node's for a while. */
  async claim(sql: Sql, id: string, node: string, now: number, ttlMs: number): Promise<boolean> {
    const changed = await sql.run(
      `UPDATE bulk_operations SET claimed_by = ?, claimed_until = ?
       WHERE id = ? AND bulk_state = 'running' AND (claimed_by IS NULL OR claimed_by = ? OR claimed_until < ?)`,
      [node, now + ttlMs, id, node, now],
    );
    return changed === 1;
  }

  /** Moves it on from where it was read; false if another node did meanwhile. */
  async advance(
    tx: Sql,
    operation: BulkOperation,
    node: string,
    cursor: string,
    counts: Record<BulkItemRow['outcome'], number>,
  ): Promise<boolean> {
    const at = operation.cursor === null ? 'cursor_id IS NULL' : 'cursor_id = ?';
    const changed = await tx.run(
      `UPDATE bulk_operations SET cursor_id = ?, done_count = done_count + ?, skipped_count = skipped_count + ?, failed_count = failed_count + ?
       WHERE id = ? AND claimed_by = ? AND ${at}`,
      [
        cursor,
        counts.done,
        counts.skipped,
        counts.failed,
        operation.id,
        node,
        ...(operation.cursor === null ? [] : [operation.cursor]),
      ],
    );
    return changed === 1;
  }

  /** True if it was in one of these states. */
  async move(tx: Sql, id: string, from: readonly BulkState[], to: BulkState, endedAt: number | null): Promise<boolean> {
    const changed = await tx.run(
      `UPDATE bulk_operations SET bulk_state = ?, ended_at = ? WHERE id = ? AND bulk_state IN (${placeholders(from.length)})`,
      [to, endedAt, id, ...from],
    );
    return changed === 1;
  }

  async insertItems(tx: Sql, bulkId: string, items: readonly BulkItemRow[]): Promise<void> {
    if (items.length === 0) return;
    await tx.run(
      `INSERT INTO bulk_items (bulk_id, item_id, outcome, detail, acted_at) VALUES ${items.map(() => `(${placeholders(5)})`).join(', ')}`,
      items.flatMap(({ itemId, outcome, detail, actedAt }) => [bulkId, itemId, outcome, detail, actedAt]),
    );
  }

  /** What has become of items below the cursor, down to and with `to`; null: no bound. */
  async itemsBetween(sql: Sql, bulkId: string, below: string | null, to: string | null): Promise<BulkItemRow[]> {
    const more = `${below === null ? '' : ' AND item_id < ?'}${to === null ? '' : ' AND item_id >= ?'}`;
    const params = [bulkId, ...(below === null ? [] : [below]), ...(to === null ? [] : [to])];
    return this.readItems(sql, `WHERE bulk_id = ?${more}`, params);
  }

  async items(
    sql: Sql,
    bulkId: string,
    outcome: string | undefined,
    before: string | undefined,
    limit: number,
  ): Promise<BulkItemRow[]> {
    const more = `${outcome === undefined ? '' : ' AND outcome = ?'}${before === undefined ? '' : ' AND item_id < ?'}`;
    const params = [bulkId, ...(outcome === undefined ? [] : [outcome]), ...(before === undefined ? [] : [before])];
    return this.readItems(sql, `WHERE bulk_id = ?${more} ORDER BY item_id DESC LIMIT ${limit}`, params);
  }

  private async readItems(sql: Sql, where: string, params: readonly unknown[]): Promise<BulkItemRow[]> {
    const rows = await sql.rows<BulkItemRow>(
      `SELECT item_id AS itemId, outcome, detail, acted_at AS actedAt FROM bulk_items ${where}`,
      params,
    );
    return rows.map((row) => ({ ...row, actedAt: Number(row.actedAt) }));
  }

  private async read(sql: Sql, where: string, params: readonly unknown[]): Promise<BulkOperation[]> {
    const rows = await sql.rows<Record<string, string | number | null>>(
      `SELECT ${COLUMNS} FROM bulk_operations ${where}`,
      params,
    );
    return rows.map((row) => ({
      id: row.id as string,
      kind: row.bulk_kind as BulkKind,
      filter: JSON.parse(row.filter_json as string) as FrozenFilter,
      reason: row.reason as string,
      askedBy: row.asked_by as string,
      state: row.bulk_state as BulkState,
      cursor: row.cursor_id as string | null,
      expected: { count: Number(row.expected_count), capped: Number(row.expected_capped) === 1 },
      done: Number(row.done_count),
      skipped: Number(row.skipped_count),
      failed: Number(row.failed_count),
      createdAt: Number(row.created_at),
      endedAt: row.ended_at === null ? null : Number(row.ended_at),
    }));
  }
}
