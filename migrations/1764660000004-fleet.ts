import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { bigint, key, longText } from './columns.js';

/**
 * Workers that are kept from new orders, the load of workers over time, and what was recovered from lost ones. What it adds to `workers` may be null, so a node of the version
 * before goes on registering them beside it; but it does not know of cordons and gives those workers orders until it is replaced.
 */
export class Fleet1764660000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    for (const { name: column, type, charset, collation } of [bigint(c, 'cordoned_at'), longText(c, 'cordon_json')]) {
      const collated = charset ? ` CHARACTER SET ${charset} COLLATE ${collation}` : '';
      await runner.query(`ALTER TABLE workers ADD COLUMN ${column} ${type}${collated} NULL`);
    }
    await runner.createIndex('workers', new TableIndex({ name: 'ix_workers_cordoned', columnNames: ['cordoned_at'] }));
    await runner.createTable(
      new Table({
        name: 'worker_rollups',
        columns: [
          { ...key(c, 'worker_id', 64), isPrimary: true },
          { ...bigint(c, 'begins_at'), isPrimary: true },
          { ...key(c, 'writer', 31), isPrimary: true },
          longText(c, 'figures_json'),
        ],
        indices: [{ name: 'ix_worker_rollups_begins', columnNames: ['begins_at'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'lost_attempts',
        columns: [
          { ...key(c, 'worker_id', 64), isPrimary: true },
          { ...bigint(c, 'lost_at'), isPrimary: true },
          { ...key(c, 'task_id', 31), isPrimary: true },
        ],
        indices: [{ name: 'ix_lost_attempts_lost', columnNames: ['lost_at'] }],
      }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
