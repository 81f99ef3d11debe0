import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { key, smallint } from './columns.js';

/**
 * Which task a task is a shard of, of how many, and which worker it was made for. All may be null, so that a node of the version
 * before goes on inserting beside it.
 */
export class Shards1764610000000 implements MigrationInterface {
  /** By hand: for one more column TypeORM would copy the whole table on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    const added = [key(c, 'parent_id', 31), smallint(c, 'shard_total'), key(c, 'pinned_worker_id', 64)];
    for (const { name: column, type, length, charset, collation } of added) {
      const collated = charset ? ` CHARACTER SET ${charset} COLLATE ${collation}` : '';
      await runner.query(`ALTER TABLE tasks ADD COLUMN ${column} ${type}${length ? `(${length})` : ''}${collated} NULL`);
    }
    runner.clearSqlMemory();
    const table = await runner.getTable('tasks');
    await runner.createIndex(
      table ?? 'tasks',
      new TableIndex({ name: 'uk_tasks_parent_shard', columnNames: ['parent_id', 'shard_index'], isUnique: true }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
