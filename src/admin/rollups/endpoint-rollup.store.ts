import { Injectable } from '@nestjs/common';
import { slices } from '../../platform/slices.js';
import { placeholders, type Sql } from '../../ports.js';
import { OwnRowStore } from './own-row.store.js';
import type { AttemptFigures } from './rollup.js';

const AT_ONCE = 500;

@Injectable()
export class EndpointRollupStore {
  constructor(private readonly rows: OwnRowStore) {}

  /** Writes a writer's own row of the hour as it is by now. */
  put(sql: Sql, endpointId: string, beginsAt: number, figures: AttemptFigures, writer: string): Promise<void> {
    return this.rows.put(sql, 'endpoint_rollups', { endpoint_id: endpointId, begins_at: beginsAt, writer }, figures);
  }

  /** The endpoint after that one with any figures, found in the primary key without reading what is in between. */
  async next(sql: Sql, after: string): Promise<string | undefined> {
    const rows = await sql.rows<{ endpoint_id: string }>(
      'SELECT endpoint_id FROM endpoint_rollups WHERE endpoint_id > ? ORDER BY endpoint_id LIMIT 1',
      [after],
    );
    return rows[0]?.endpoint_id;
  }

  /** Of the endpoint the oldest rows of hours that began before the instant; returns how many. */
  async removeBefore(sql: Sql, endpointId: string, before: number, most: number): Promise<number> {
    const [last] = await sql.rows<{ begins_at: number | string; writer: string }>(
      `SELECT begins_at, writer FROM endpoint_rollups WHERE endpoint_id = ? AND begins_at < ?
       ORDER BY begins_at, writer LIMIT 1 OFFSET ${most - 1}`,
      [endpointId, before],
    );
    if (!last) return sql.run('DELETE FROM endpoint_rollups WHERE endpoint_id = ? AND begins_at < ?', [endpointId, before]);
    return sql.run('DELETE FROM endpoint_rollups WHERE endpoint_id = ? AND begins_at <= ? AND (begins_at < ? OR writer <= ?)', [
      endpointId,
      last.begins_at,
      last.begins_at,
      last.writer,
    ]);
  }

  /** Hours that begin at `from` or later, of these endpoints, from the primary key. */
  async read(sql: Sql, endpointIds: readonly string[], from: number): Promise<{ endpointId: string; figures: AttemptFigures }[]> {
    const found: { endpointId: string; figures: AttemptFigures }[] = [];
    for (const ids of slices(endpointIds, AT_ONCE)) {
      const rows = await sql.rows<{ endpoint_id: string; figures_json: string }>(
        `SELECT endpoint_id, figures_json FROM endpoint_rollups WHERE endpoint_id IN (${placeholders(ids.length)}) AND begins_at >= ?`,
        [...ids, from],
      );
      for (const row of rows)
        found.push({ endpointId: row.endpoint_id, figures: JSON.parse(row.figures_json) as AttemptFigures });
    }
    return found;
  }
}
