import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions, TableIndex } from 'typeorm';
import { bigint, int, key, longText, name, nullable, tinyint } from './columns.js';

/**
 * Dependencies between jobs and between tasks, what waits for them, flows, and events. What it adds to `tasks` and `jobs` may be
 * null, so that a node of the version before goes on inserting beside it; such a node releases no dependants, the sweep does.
 */
export class Flows1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    const primary = (column: TableColumnOptions) => ({ ...column, isPrimary: true });
    await runner.createTable(
      new Table({
        name: 'job_edges',
        columns: [primary(key(c, 'downstream_id', 31)), primary(key(c, 'upstream_id', 31))],
        indices: [{ name: 'ix_job_edges_upstream', columnNames: ['upstream_id'] }],
      }),
    );
    await runner.createTable(new Table({ name: 'job_graph', columns: [primary(tinyint(c, 'id'))] }));
    await runner.query('INSERT INTO job_graph (id) VALUES (1)');
    await runner.createTable(
      new Table({
        name: 'task_edges',
        columns: [primary(key(c, 'downstream_id', 31)), primary(key(c, 'upstream_id', 31))],
        indices: [{ name: 'ix_task_edges_upstream', columnNames: ['upstream_id'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'period_waits',
        columns: [
          primary(key(c, 'task_id', 31)),
          primary(key(c, 'upstream_id', 31)),
          bigint(c, 'after_at'),
          bigint(c, 'until_at'),
        ],
        indices: [{ name: 'ix_period_waits_upstream', columnNames: ['upstream_id', 'until_at'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'task_waits',
        columns: [primary(key(c, 'task_id', 31)), tinyint(c, 'partition_no')],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'flow_tasks',
        columns: [
          primary(key(c, 'flow_id', 31)),
          primary(key(c, 'task_id', 31)),
          nullable(key(c, 'job_id', 31)),
          nullable(key(c, 'join_job_id', 31)),
        ],
        uniques: [{ name: 'uk_flow_tasks_join', columnNames: ['flow_id', 'join_job_id'] }],
        indices: [{ name: 'ix_flow_tasks_task', columnNames: ['task_id'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'app_events',
        columns: [
          primary(key(c, 'id', 31)),
          int(c, 'app_id'),
          key(c, 'client_request_id', 64),
          key(c, 'request_fp', 64),
          name(c, 'event_name', 128),
          longText(c, 'task_ids_json'),
          bigint(c, 'created_at'),
        ],
        uniques: [{ name: 'uk_app_events_crid', columnNames: ['app_id', 'client_request_id'] }],
      }),
    );
    await this.extend(runner, 'tasks', [key(c, 'flow_id', 31), tinyint(c, 'awaited'), tinyint(c, 'first_state')]);
    await this.extend(runner, 'jobs', [longText(c, 'upstreams_json'), name(c, 'event_name', 128)]);
    runner.clearSqlMemory();
    const jobs = (await runner.getTable('jobs')) ?? 'jobs';
    await runner.createIndex(jobs, new TableIndex({ name: 'ix_jobs_event', columnNames: ['event_name'] }));
  }

  /** By hand: for one more column TypeORM would copy the whole table on SQLite. */
  private async extend(runner: QueryRunner, table: string, added: TableColumnOptions[]): Promise<void> {
    for (const { name: column, type, length, charset, collation } of added) {
      const collated = charset ? ` CHARACTER SET ${charset} COLLATE ${collation}` : '';
      await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}${length ? `(${length})` : ''}${collated} NULL`);
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
