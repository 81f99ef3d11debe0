import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { bigint, int, key, nullable } from './columns.js';

/**
 * The requests that created jobs which are deleted since. A node of the version before goes on beside it: it leaves nothing here of the
 * jobs it deletes, and creates a job anew whose deletion is told here.
 */
export class DeletedJobs1764680000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'deleted_jobs',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          int(c, 'app_id'),
          key(c, 'client_request_id', 64),
          nullable(key(c, 'request_fp', 64)),
          bigint(c, 'deleted_at'),
        ],
        uniques: [{ name: 'uk_deleted_jobs_app_crid', columnNames: ['app_id', 'client_request_id'] }],
        indices: [{ name: 'ix_deleted_jobs_deleted_at', columnNames: ['deleted_at'] }],
      }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
