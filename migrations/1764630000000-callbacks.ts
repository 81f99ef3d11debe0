import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { bigint, int, key, longText, nullable, smallint } from './columns.js';

/**
 * Callbacks: whom an app lets results go to, its endpoints, the outbox (events, deliveries, the queue of sends), what every attempt
 * came to, and the circuits. What it adds to `tasks` and `jobs` may be null, so that a node of the version before goes on beside it.
 */
export class Callbacks1764630000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createSettings(runner);
    await this.createOutbox(runner);
    await this.extend(runner, 'tasks');
    await this.extend(runner, 'jobs');
  }

  private async createSettings(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'callback_apps',
        columns: [
          { ...int(c, 'app_id'), isPrimary: true },
          longText(c, 'hosts_json'),
          longText(c, 'secrets_json'),
          bigint(c, 'created_at'),
          bigint(c, 'changed_at'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'webhook_endpoints',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          int(c, 'app_id'),
          key(c, 'url', 2048),
          longText(c, 'event_types_json'),
          key(c, 'endpoint_state', 12),
          nullable(key(c, 'state_reason', 12)),
          longText(c, 'secrets_json'),
          key(c, 'last4', 4),
          key(c, 'challenge', 64),
          nullable(bigint(c, 'verified_at')),
          nullable(bigint(c, 'disabled_at')),
          bigint(c, 'created_at'),
          bigint(c, 'updated_at'),
        ],
        indices: [{ name: 'ix_webhook_endpoints_app', columnNames: ['app_id', 'id'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'callback_targets',
        columns: [
          { ...key(c, 'target', 330), isPrimary: true },
          longText(c, 'health_json'),
          nullable(bigint(c, 'open_until')),
          bigint(c, 'changed_at'),
        ],
      }),
    );
  }

  private async createOutbox(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'webhook_events',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          int(c, 'app_id'),
          nullable(key(c, 'task_id', 31)),
          nullable(int(c, 'seq')),
          key(c, 'event_type', 32),
          longText(c, 'body'),
          bigint(c, 'occurred_at'),
        ],
        uniques: [{ name: 'uk_webhook_events_task', columnNames: ['task_id', 'seq'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'webhook_deliveries',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          key(c, 'event_id', 31),
          int(c, 'app_id'),
          nullable(key(c, 'task_id', 31)),
          nullable(key(c, 'endpoint_id', 31)),
          key(c, 'url', 2048),
          key(c, 'delivery_state', 12),
          int(c, 'attempts'),
          nullable(smallint(c, 'last_status')),
          nullable(key(c, 'last_failure', 12)),
          nullable(bigint(c, 'next_attempt_at')),
          bigint(c, 'created_at'),
          nullable(bigint(c, 'ended_at')),
        ],
        indices: [
          { name: 'ix_webhook_deliveries_app', columnNames: ['app_id', 'id'] },
          { name: 'ix_webhook_deliveries_task', columnNames: ['task_id'] },
          { name: 'ix_webhook_deliveries_endpoint', columnNames: ['endpoint_id', 'delivery_state', 'id'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'webhook_sends',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          key(c, 'delivery_id', 31),
          key(c, 'target', 330),
          key(c, 'send_trigger', 8),
          bigint(c, 'due_at'),
          nullable(key(c, 'lease', 31)),
          int(c, 'failures'),
          int(c, 'blocks'),
          bigint(c, 'created_at'),
        ],
        indices: [
          { name: 'ix_webhook_sends_target', columnNames: ['target', 'due_at'] },
          { name: 'ix_webhook_sends_delivery', columnNames: ['delivery_id'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'webhook_attempts',
        columns: [
          { ...key(c, 'delivery_id', 31), isPrimary: true },
          { ...int(c, 'attempt_no'), isPrimary: true },
          key(c, 'attempt_trigger', 8),
          bigint(c, 'started_at'),
          int(c, 'duration_ms'),
          nullable(smallint(c, 'http_status')),
          nullable(key(c, 'failure', 12)),
          nullable(longText(c, 'response')),
        ],
      }),
    );
  }

  /** By hand: for one more column TypeORM would copy the whole table on SQLite. */
  private async extend(runner: QueryRunner, table: 'tasks' | 'jobs'): Promise<void> {
    const { name: column, type, length, charset, collation } = key(runner.connection, 'callback_url', 2048);
    const collated = charset ? ` CHARACTER SET ${charset} COLLATE ${collation}` : '';
    await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}(${length})${collated} NULL`);
    runner.clearSqlMemory();
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
