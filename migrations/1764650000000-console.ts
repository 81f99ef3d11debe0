import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { bigint, int, key, longText, name, nullable } from './columns.js';

/** Sessions, rights in groups, the audit log, bulk operations, figures by the minute, and the orders in which people list tasks. */
export class Console1764650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'sessions',
        columns: [
          { ...key(c, 'id_hash', 64), isPrimary: true },
          key(c, 'session_id', 31),
          int(c, 'user_id'),
          bigint(c, 'created_at'),
          bigint(c, 'seen_at'),
          bigint(c, 'expires_at'),
          nullable(key(c, 'client_ip', 64)),
          nullable(name(c, 'user_agent', 255)),
        ],
        uniques: [{ name: 'uk_sessions_id', columnNames: ['session_id'] }],
        indices: [{ name: 'ix_sessions_user', columnNames: ['user_id'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'user_grants',
        columns: [
          { ...int(c, 'user_id'), isPrimary: true },
          { ...key(c, 'group_key', 64), isPrimary: true },
          key(c, 'user_role', 16),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'audit_log',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          bigint(c, 'logged_at'),
          name(c, 'actor', 128),
          nullable(key(c, 'actor_ip', 64)),
          nullable(name(c, 'user_agent', 255)),
          key(c, 'action', 48),
          key(c, 'object_type', 24),
          nullable(name(c, 'object_id', 128)),
          nullable(key(c, 'group_key', 64)),
          nullable(name(c, 'reason', 500)),
          nullable(longText(c, 'before_json')),
          nullable(longText(c, 'after_json')),
          nullable(key(c, 'request_id', 31)),
          nullable(key(c, 'bulk_id', 31)),
        ],
        indices: [
          { name: 'ix_audit_log_object', columnNames: ['object_type', 'object_id', 'id'] },
          { name: 'ix_audit_log_group', columnNames: ['group_key', 'id'] },
          { name: 'ix_audit_log_actor', columnNames: ['actor', 'id'] },
          { name: 'ix_audit_log_action', columnNames: ['action', 'id'] },
          { name: 'ix_audit_log_bulk', columnNames: ['bulk_id', 'id'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'bulk_operations',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          key(c, 'bulk_kind', 24),
          longText(c, 'filter_json'),
          name(c, 'reason', 500),
          name(c, 'asked_by', 128),
          key(c, 'bulk_state', 12),
          nullable(key(c, 'cursor_id', 31)),
          int(c, 'expected_count'),
          int(c, 'expected_capped'),
          int(c, 'done_count'),
          int(c, 'skipped_count'),
          int(c, 'failed_count'),
          nullable(key(c, 'claimed_by', 64)),
          bigint(c, 'claimed_until'),
          bigint(c, 'created_at'),
          nullable(bigint(c, 'ended_at')),
        ],
        indices: [{ name: 'ix_bulk_operations_state', columnNames: ['bulk_state', 'id'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'bulk_items',
        columns: [
          { ...key(c, 'bulk_id', 31), isPrimary: true },
          { ...key(c, 'item_id', 31), isPrimary: true },
          key(c, 'outcome', 12),
          nullable(name(c, 'detail', 255)),
          bigint(c, 'acted_at'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'task_rollups',
        columns: [
          { ...int(c, 'span_ms'), isPrimary: true },
          { ...bigint(c, 'begins_at'), isPrimary: true },
          { ...int(c, 'group_id'), isPrimary: true },
          { ...key(c, 'writer', 31), isPrimary: true },
          longText(c, 'figures_json'),
        ],
      }),
    );
    await runner.query('ALTER TABLE users ADD COLUMN last_sign_in_at bigint NULL');
    await this.indexTasks(runner);
  }

  /** Only (state, id) is written when a task changes; the others once, at its insert. */
  private async indexTasks(runner: QueryRunner): Promise<void> {
    runner.clearSqlMemory();
    const table = (await runner.getTable('tasks')) ?? 'tasks';
    for (const [indexName, column] of [
      ['ix_tasks_state', 'state'],
      ['ix_tasks_group', 'group_id'],
      ['ix_tasks_job', 'job_id'],
    ] as const)
      await runner.createIndex(table, new TableIndex({ name: indexName, columnNames: [column, 'id'] }));
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
