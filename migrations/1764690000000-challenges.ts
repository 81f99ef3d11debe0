import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { bigint, key } from './columns.js';

/** In one statement, which does nothing where a database without transactions for it has the table of a run that died. When challenges may be sent again. Nodes of the version before go on beside it: they keep to the minute for each endpoint alone. */
export class Challenges1764690000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'webhook_challenges',
        columns: [{ ...key(c, 'target_hash', 64), isPrimary: true }, bigint(c, 'next_at')],
        indices: [{ name: 'ix_webhook_challenges_next', columnNames: ['next_at'] }],
      }),
      true,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
