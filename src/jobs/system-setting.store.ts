import { Injectable } from '@nestjs/common';
import { type Sql, SqlDialect } from '../ports.js';

/** Statements about defaults of the whole installation. */
@Injectable()
export class SystemSettingStore {
  constructor(private readonly dialect: SqlDialect) {}

  async all(sql: Sql): Promise<Map<string, unknown>> {
    const rows = await sql.rows<{ setting_name: string; setting_json: string }>(
      'SELECT setting_name, setting_json FROM system_settings',
    );
    return new Map(rows.map((row) => [row.setting_name, settingOf(row.setting_json)]));
  }

  /** The value, its row locked until the transaction ends; undefined if it was never set. */
  async lock(tx: Sql, name: string): Promise<unknown> {
    const [row] = await tx.rows<{ setting_json: string }>(
      `SELECT setting_json FROM system_settings WHERE setting_name = ? ${this.dialect.forUpdate}`,
      [name],
    );
    return row && settingOf(row.setting_json);
  }

  /** A row to lock for whoever sets it first. */
  async ensure(sql: Sql, name: string, now: number): Promise<void> {
    try {
      await sql.run('INSERT INTO system_settings (setting_json, changed_at, setting_name) VALUES (?, ?, ?)', ['null', now, name]);
    } catch (error) {
      if (!this.dialect.isUniqueViolation(error)) throw error;
    }
  }

  /** The last write wins. */
  async set(sql: Sql, name: string, value: unknown, now: number): Promise<void> {
    const row = [JSON.stringify(value), now, name];
    const update = 'UPDATE system_settings SET setting_json = ?, changed_at = ? WHERE setting_name = ?';
    if ((await sql.run(update, row)) > 0) return;
    try {
      await sql.run('INSERT INTO system_settings (setting_json, changed_at, setting_name) VALUES (?, ?, ?)', row);
    } catch (error) {
      if (!this.dialect.isUniqueViolation(error)) throw error;
      await sql.run(update, row);
    }
  }
}

/** One that cannot be read counts as none: its default holds, and the node starts. */
function settingOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
