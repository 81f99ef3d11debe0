import { Injectable } from '@nestjs/common';
import { slices } from '../../platform/slices.js';
import { placeholders, type Sql } from '../../ports.js';
import { OwnRowStore } from './own-row.store.js';
import type { RequestFigures } from './rollup.js';

const AT_ONCE = 500;

@Injectable()
export class KeyRollupStore {
  constructor(private readonly rows: OwnRowStore) {}

  /** Writes a writer's own row of the hour as it is by now. */
  put(sql: Sql, accessKey: string, beginsAt: number, figures: RequestFigures, writer: string): Promise<void> {
    return this.rows.put(sql, 'key_rollups', { access_key: accessKey, begins_at: beginsAt, writer }, figures);
  }

  /** The key after that one with any figures, found in the primary key without reading what is in between. */
  async next(sql: Sql, after: string): Promise<string | undefined> {
    const rows = await sql.rows<{ access_key: string }>(
      'SELECT access_key FROM key_rollups WHERE access_key > ? ORDER BY access_key LIMIT 1',
      [after],
    );
    return rows[0]?.access_key;
  }

  /** Of the key the hours that began before the instant: a row an hour of each process, so few. */
  removeBefore(sql: Sql, accessKey: string, before: number): Promise<number> {
    return sql.run('DELETE FROM key_rollups WHERE access_key = ? AND begins_at < ?', [accessKey, before]);
  }

  /** Hours that begin at `from` or later, of these keys, from the primary key. */
  async read(sql: Sql, accessKeys: readonly string[], from: number): Promise<{ accessKey: string; figures: RequestFigures }[]> {
    const found: { accessKey: string; figures: RequestFigures }[] = [];
    for (const keys of slices(accessKeys, AT_ONCE)) {
      const rows = await sql.rows<{ access_key: string; figures_json: string }>(
        `SELECT access_key, figures_json FROM key_rollups WHERE access_key IN (${placeholders(keys.length)}) AND begins_at >= ?`,
        [...keys, from],
      );
      for (const row of rows) found.push({ accessKey: row.access_key, figures: JSON.parse(row.figures_json) as RequestFigures });
    }
    return found;
  }
}
