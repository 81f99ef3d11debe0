import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { bigint, int, key, longText, name, nullable, tinyint } from './columns.js';

/**
 * What a group may state besides its quotas, and backfills of jobs. What it adds to `task_groups` may be null, so that a node of the
 * version before goes on creating groups beside it: a version of null counts as the first.
 */
export class Limits1764620000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    const added = [int(c, 'max_dispatch_rate'), longText(c, 'policies_json'), int(c, 'version')];
    for (const { name: column, type, charset, collation } of added) {
      const collated = charset ? ` CHARACTER SET ${charset} COLLATE ${collation}` : '';
      await runner.query(`ALTER TABLE task_groups ADD COLUMN ${column} ${type}${collated} NULL`);
    }
    await runner.createTable(
      new Table({
        name: 'job_backfills',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          key(c, 'job_id', 31),
          tinyint(c, 'partition_no'),
          nullable(key(c, 'client_request_id', 64)),
          nullable(key(c, 'request_fp', 64)),
          int(c, 'job_version'),
          bigint(c, 'from_at'),
          bigint(c, 'until_at'),
          bigint(c, 'next_at'),
          int(c, 'fires'),
          int(c, 'made'),
          tinyint(c, 'priority'),
          int(c, 'max_parallel'),
          key(c, 'backfill_state', 12),
          name(c, 'requested_by', 128),
          bigint(c, 'created_at'),
          bigint(c, 'updated_at'),
        ],
        uniques: [{ name: 'uk_job_backfills_crid', columnNames: ['job_id', 'client_request_id'] }],
        indices: [
          { name: 'ix_job_backfills_job', columnNames: ['job_id', 'id'] },
          { name: 'ix_job_backfills_state', columnNames: ['backfill_state', 'partition_no'] },
        ],
      }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
