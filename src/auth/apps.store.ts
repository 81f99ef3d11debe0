import { Injectable } from '@nestjs/common';
import type { Sql } from '../ports.js';

export interface AppRow {
  id: number;
  publicId: string;
  name: string;
  defaultGroup: string;
  groupKeys: string;
  limitsJson: string | null;
  createdAt: number;
}

const COLUMNS =
  'id, public_id AS publicId, app_name AS name, default_group AS defaultGroup, group_keys AS groupKeys, limits_json AS limitsJson, created_at AS createdAt';

@Injectable()
export class AppsStore {
  async insert(sql: Sql, app: Omit<AppRow, 'id'>): Promise<void> {
    await sql.run(
      'INSERT INTO apps (public_id, app_name, default_group, group_keys, limits_json, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      [app.publicId, app.name, app.defaultGroup, app.groupKeys, app.limitsJson, app.createdAt],
    );
  }

  async byPublicId(sql: Sql, publicId: string): Promise<AppRow | null> {
    return numbered((await sql.rows<AppRow>(`SELECT ${COLUMNS} FROM apps WHERE public_id = ?`, [publicId]))[0]);
  }

  async byId(sql: Sql, id: number): Promise<AppRow | null> {
    return numbered((await sql.rows<AppRow>(`SELECT ${COLUMNS} FROM apps WHERE id = ?`, [id]))[0]);
  }

  /** Holds the app's row until the transaction ends, so that two keys are not created on one count. */
  async lock(sql: Sql, id: number, forUpdate: string): Promise<void> {
    await sql.rows(`SELECT id FROM apps WHERE id = ? ${forUpdate}`, [id]);
  }

  async update(tx: Sql, app: Omit<AppRow, 'publicId' | 'createdAt'>): Promise<void> {
    await tx.run('UPDATE apps SET app_name = ?, default_group = ?, group_keys = ?, limits_json = ? WHERE id = ?', [
      app.name,
      app.defaultGroup,
      app.groupKeys,
      app.limitsJson,
      app.id,
    ]);
  }

  async all(sql: Sql): Promise<AppRow[]> {
    return (await sql.rows<AppRow>(`SELECT ${COLUMNS} FROM apps ORDER BY id`)).map((row) => numbered(row) as AppRow);
  }
}

/** MySQL's driver hands bigints over as text. */
function numbered(row: AppRow | undefined): AppRow | null {
  return row ? { ...row, id: Number(row.id), createdAt: Number(row.createdAt) } : null;
}
