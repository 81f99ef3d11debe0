import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

/**
 * Jobs in the order of their keys and of their next fires, without sorting. Nodes of the version before read jobs by the same columns,
 * and name no index.
 */
export class JobOrders1764660000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    runner.clearSqlMemory();
    const jobs = (await runner.getTable('jobs')) ?? 'jobs';
    await runner.createIndex(jobs, new TableIndex({ name: 'ix_jobs_key', columnNames: ['job_key', 'id'] }));
    // MySQL keeps the id in it anyway.
    await runner.dropIndex('jobs', 'ix_jobs_next_fire');
    await runner.createIndex('jobs', new TableIndex({ name: 'ix_jobs_next_fire', columnNames: ['next_fire_at', 'id'] }));
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
