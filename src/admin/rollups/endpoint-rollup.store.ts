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
