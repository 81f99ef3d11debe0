import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../../ports.js';

/** Rows of figures that one process writes and no other: so none adds to another's. */
@Injectable()
export class OwnRowStore {
  /** The row of that key as it is by now. */
  async put(sql: Sql, table: string, key: Readonly<Record<string, string | number>>, figures: object): Promise<void> {
    const json = JSON.stringify(figures);
    const columns = Object.keys(key);
    const values = Object.values(key);
    const named = columns.map((column) => `${column} = ?`).join(' AND ');
    if ((await sql.run(`UPDATE ${table} SET figures_json = ? WHERE ${named}`, [json, ...values])) > 0) return;
    const row = `(${columns.join(', ')}, figures_json) VALUES (${placeholders(columns.length + 1)})`;
    await sql.run(`INSERT INTO ${table} ${row}`, [...values, json]);
  }
}
