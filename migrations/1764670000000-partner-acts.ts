import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { addNullable, key } from './columns.js';

/**
 * What kind of actor an entry of the audit log is of, and since when what partners do to their jobs is in it. A node of the version before
 * goes on writing entries beside it, without a kind: they are listed, and found by everything but their kind.
 */
export class PartnerActs1764670000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addNullable(runner, 'audit_log', key(runner.connection, 'actor_kind', 12));
    await runner.query(
      `UPDATE audit_log SET actor_kind = CASE WHEN actor LIKE 'user:%' THEN 'user' WHEN actor LIKE 'key:%' THEN 'partner'
       WHEN actor = 'command' THEN 'command' ELSE 'system' END`,
    );
    runner.clearSqlMemory();
    await runner.createIndex('audit_log', new TableIndex({ name: 'ix_audit_log_kind', columnNames: ['actor_kind', 'id'] }));
    const now = Date.now();
    await runner.query(
      `INSERT INTO system_settings (setting_name, setting_json, changed_at) VALUES ('partner_acts_since', '${now}', ${now})`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
