import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { bigint, flag, int, key, longText, name, nullable, smallint, tinyint } from './columns.js';

/**
 * What attempts log, their progress and checkpoints, attempts that did not stop, lanes of tasks that ask for certain workers, drains
 * with a reason, and settings of the whole installation. What it adds to tables that exist may be null, so that a node of the
 * version before goes on writing beside it.
 */
export class WorkerLogs1764640000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'attempt_logs',
        columns: [
          { ...key(c, 'task_id', 31), isPrimary: true },
          { ...smallint(c, 'attempt'), isPrimary: true },
          int(c, 'lease'),
          key(c, 'worker_id', 64),
          int(c, 'last_seq'),
          int(c, 'kept_bytes'),
          flag(c, 'is_full'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'attempt_log_chunks',
        columns: [
          { ...key(c, 'task_id', 31), isPrimary: true },
          { ...smallint(c, 'attempt'), isPrimary: true },
          { ...int(c, 'first_seq'), isPrimary: true },
          int(c, 'last_seq'),
          longText(c, 'lines_json'),
          bigint(c, 'created_at'),
        ],
        indices: [{ name: 'ix_attempt_log_chunks_created', columnNames: ['created_at'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'task_checkpoints',
        columns: [{ ...key(c, 'task_id', 31), isPrimary: true }, longText(c, 'checkpoint_json'), bigint(c, 'saved_at')],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'unstopped_attempts',
        columns: [
          { ...key(c, 'task_id', 31), isPrimary: true },
          key(c, 'whole_id', 31),
          int(c, 'group_id'),
          tinyint(c, 'partition_no'),
          int(c, 'lease'),
          key(c, 'worker_id', 64),
          key(c, 'worker_incarnation', 32),
          bigint(c, 'ended_at'),
        ],
        indices: [
          { name: 'ix_unstopped_partition', columnNames: ['partition_no'] },
          { name: 'ix_unstopped_whole', columnNames: ['whole_id'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'task_lanes',
        columns: [
          { ...int(c, 'group_id'), isPrimary: true },
          { ...bigint(c, 'lane'), isPrimary: true },
          name(c, 'handler', 255),
          longText(c, 'filter_json'),
          bigint(c, 'used_at'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'system_settings',
        columns: [{ ...key(c, 'setting_name', 64), isPrimary: true }, longText(c, 'setting_json'), bigint(c, 'changed_at')],
      }),
    );
    // By hand: for one more column TypeORM would copy the whole table on SQLite.
    for (const { table, column } of [
      { table: 'tasks', column: smallint(c, 'progress') },
      { table: 'tasks', column: bigint(c, 'checkpoint_at') },
      { table: 'workers', column: nullable(longText(c, 'drain_json')) },
    ]) {
      const collated = column.charset ? ` CHARACTER SET ${column.charset} COLLATE ${column.collation}` : '';
      await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column.name} ${column.type}${collated} NULL`);
    }
    runner.clearSqlMemory();
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
