import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { bigint, int, key, longText, name, nullable, smallint, tinyint } from './columns.js';

/**
 * Jobs, the history of their definitions, the slots their tasks hold, and which job and fire a task is of. What it adds to `tasks`
 * may be null, so that a node of the version before goes on inserting beside it.
 */
export class Jobs1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'jobs',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          int(c, 'group_id'),
          tinyint(c, 'partition_no'),
          key(c, 'job_key', 64),
          name(c, 'handler', 255),
          nullable(longText(c, 'params')),
          longText(c, 'schedule_json'),
          key(c, 'schedule_kind', 12),
          key(c, 'time_zone', 64),
          longText(c, 'policies_json'),
          nullable(longText(c, 'metadata_json')),
          key(c, 'overlap', 12),
          int(c, 'max_parallel'),
          key(c, 'misfire', 12),
          bigint(c, 'misfire_window_ms'),
          key(c, 'job_state', 12),
          nullable(name(c, 'pause_reason', 255)),
          nullable(bigint(c, 'next_fire_at')),
          nullable(bigint(c, 'paused_fire_at')),
          nullable(bigint(c, 'last_fire_at')),
          int(c, 'fire_failures'),
          nullable(int(c, 'app_id')),
          nullable(key(c, 'client_request_id', 64)),
          nullable(key(c, 'request_fp', 64)),
          int(c, 'version'),
          nullable(name(c, 'job_owner', 128)),
          longText(c, 'tags_json'),
          nullable(longText(c, 'description')),
          bigint(c, 'created_at'),
          bigint(c, 'updated_at'),
        ],
        uniques: [
          { name: 'uk_jobs_group_key', columnNames: ['group_id', 'job_key'] },
          { name: 'uk_jobs_app_crid', columnNames: ['app_id', 'client_request_id'] },
        ],
        indices: [
          { name: 'ix_jobs_next_fire', columnNames: ['next_fire_at'] },
          { name: 'ix_jobs_app', columnNames: ['app_id', 'id'] },
          { name: 'ix_jobs_kind', columnNames: ['partition_no', 'schedule_kind'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'job_versions',
        columns: [
          { ...key(c, 'job_id', 31), isPrimary: true },
          { ...int(c, 'version'), isPrimary: true },
          longText(c, 'definition_json'),
          name(c, 'changed_by', 128),
          bigint(c, 'changed_at'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'job_slots',
        columns: [
          { ...key(c, 'job_id', 31), isPrimary: true },
          { ...key(c, 'task_id', 31), isPrimary: true },
          tinyint(c, 'partition_no'),
        ],
        indices: [{ name: 'ix_job_slots_task', columnNames: ['task_id'] }],
      }),
    );
    await this.extendTasks(runner);
  }

  /** By hand: for one more column TypeORM would copy the whole table on SQLite. */
  private async extendTasks(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    const added = [key(c, 'job_id', 31), bigint(c, 'fire_at'), smallint(c, 'shard_index'), key(c, 'backfill_key', 32)];
    for (const { name: column, type, length, charset, collation } of added) {
      const collated = charset ? ` CHARACTER SET ${charset} COLLATE ${collation}` : '';
      await runner.query(`ALTER TABLE tasks ADD COLUMN ${column} ${type}${length ? `(${length})` : ''}${collated} NULL`);
    }
    runner.clearSqlMemory();
    const table = await runner.getTable('tasks');
    await runner.createIndex(
      table ?? 'tasks',
      new TableIndex({
        name: 'uk_tasks_job_fire',
        columnNames: ['job_id', 'fire_at', 'shard_index', 'backfill_key'],
        isUnique: true,
      }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
