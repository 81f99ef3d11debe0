import { Injectable } from '@nestjs/common';
import type { Sql } from '../ports.js';

const IDS = { webhook_endpoints: 'id', callback_apps: 'app_id' } as const;
export type SealedTable = keyof typeof IDS;
export interface SealedRow {
  id: number | string;
  appId: number;
  text: string;
}

/** Statements about the columns of sealed secrets, whoever owns them. */
@Injectable()
export class SealedStore {
  /** Rows above `after` that hold a box which begins with none of the prefixes, ids ascending. */
  async notWrappedBy(
    sql: Sql,
    table: SealedTable,
    prefixes: readonly string[],
    after: number | string | null,
    limit: number,
  ): Promise<SealedRow[]> {
    const id = IDS[table];
    // What is left of the boxes once those that begin so are made unlike a box.
    const others = prefixes.reduce((text) => `REPLACE(${text}, ?, '')`, 'secrets_json');
    return sql.rows<SealedRow>(
      `SELECT ${id} AS id, app_id AS appId, secrets_json AS text FROM ${table}
       WHERE ${after === null ? '' : `${id} > ? AND `}${others} LIKE '%"box":"v1.%' ORDER BY ${id} LIMIT ${limit}`,
      [...(after === null ? [] : [after]), ...prefixes.map((prefix) => `"box":"${prefix}`)],
    );
  }

  /** True if the text was still the one that was read. */
  async replace(sql: Sql, table: SealedTable, id: number | string, before: string, after: string): Promise<boolean> {
    const won = await sql.run(`UPDATE ${table} SET secrets_json = ? WHERE ${IDS[table]} = ? AND secrets_json = ?`, [
      after,
      id,
      before,
    ]);
    return won === 1;
  }
}
