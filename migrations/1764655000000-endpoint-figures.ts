import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { bigint, key, longText } from './columns.js';

/** What came of the attempts at each endpoint, by the hour. Nodes of the version before neither write nor read it. */
export class EndpointFigures1764655000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'endpoint_rollups',
        columns: [
          { ...key(c, 'endpoint_id', 31), isPrimary: true },
          { ...bigint(c, 'begins_at'), isPrimary: true },
          { ...key(c, 'writer', 31), isPrimary: true },
          longText(c, 'figures_json'),
        ],
      }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
