import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { bigint, flag, int, key, longText, name, nullable, smallint, tinyint } from './columns.js';

/** Groups, apps, keys, users, workers, nodes, partitions, tasks and their ended attempts. */
export class Foundation1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await runner.createTable(
      new Table({
        name: 'task_groups',
        columns: [
          { ...int(c, 'id'), isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
          key(c, 'group_key', 64),
          tinyint(c, 'partition_no'),
          int(c, 'max_running'),
          int(c, 'max_pending'),
          flag(c, 'held'),
          nullable(name(c, 'hold_reason', 255)),
          nullable(bigint(c, 'held_until')),
          nullable(key(c, 'routing', 32)),
          bigint(c, 'created_at'),
        ],
        uniques: [{ name: 'uk_task_groups_key', columnNames: ['group_key'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'apps',
        columns: [
          { ...int(c, 'id'), isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
          key(c, 'public_id', 32),
          name(c, 'app_name', 128),
          key(c, 'default_group', 64),
          longText(c, 'group_keys'),
          nullable(longText(c, 'limits_json')),
          bigint(c, 'created_at'),
        ],
        uniques: [{ name: 'uk_apps_public_id', columnNames: ['public_id'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'access_keys',
        columns: [
          { ...int(c, 'id'), isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
          key(c, 'access_key', 48),
          key(c, 'kind', 8),
          nullable(int(c, 'app_id')),
          nullable(longText(c, 'group_keys')),
          name(c, 'key_label', 128),
          key(c, 'secret_box', 512),
          key(c, 'last4', 4),
          key(c, 'fingerprint', 8),
          longText(c, 'scopes_json'),
          nullable(longText(c, 'ip_allow_json')),
          key(c, 'key_state', 8),
          nullable(bigint(c, 'expires_at')),
          nullable(bigint(c, 'last_used_at')),
          bigint(c, 'created_at'),
        ],
        uniques: [{ name: 'uk_access_keys_key', columnNames: ['access_key'] }],
        indices: [{ name: 'ix_access_keys_app', columnNames: ['app_id'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'users',
        columns: [
          { ...int(c, 'id'), isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
          key(c, 'username', 64),
          key(c, 'password_hash', 255),
          key(c, 'user_role', 16),
          flag(c, 'disabled'),
          bigint(c, 'created_at'),
        ],
        uniques: [{ name: 'uk_users_username', columnNames: ['username'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'workers',
        columns: [
          { ...key(c, 'worker_id', 64), isPrimary: true },
          key(c, 'incarnation', 32),
          key(c, 'access_key', 48),
          longText(c, 'offer_json'),
          key(c, 'worker_state', 12),
          flag(c, 'drain_asked'),
          longText(c, 'figures_json'),
          nullable(longText(c, 'last_refused_json')),
          bigint(c, 'registered_at'),
          bigint(c, 'last_beat_at'),
          bigint(c, 'changed_at'),
        ],
        indices: [{ name: 'ix_workers_changed', columnNames: ['changed_at'] }],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'nodes',
        columns: [
          { ...key(c, 'node_id', 64), isPrimary: true },
          name(c, 'host_name', 255),
          bigint(c, 'started_at'),
          bigint(c, 'seen_at'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'partitions',
        columns: [
          { ...tinyint(c, 'partition_no'), isPrimary: true },
          nullable(key(c, 'holder', 64)),
          int(c, 'epoch'),
          bigint(c, 'expires_at'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'tasks',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          int(c, 'group_id'),
          tinyint(c, 'partition_no'),
          nullable(int(c, 'app_id')),
          nullable(key(c, 'client_request_id', 64)),
          nullable(key(c, 'request_fp', 64)),
          nullable(tinyint(c, 'fp_version')),
          name(c, 'handler', 255),
          bigint(c, 'lane'),
          tinyint(c, 'state'),
          int(c, 'version'),
          tinyint(c, 'priority'),
          bigint(c, 'pick_order'),
          bigint(c, 'scheduled_at'),
          bigint(c, 'due_at'),
          nullable(bigint(c, 'wake_at')),
          nullable(longText(c, 'params')),
          nullable(longText(c, 'options_json')),
          nullable(longText(c, 'metadata_json')),
          bigint(c, 'timeout_ms'),
          smallint(c, 'attempt'),
          smallint(c, 'retries'),
          smallint(c, 'crashes'),
          nullable(int(c, 'lease')),
          nullable(key(c, 'worker_id', 64)),
          nullable(key(c, 'worker_incarnation', 32)),
          nullable(bigint(c, 'claimed_at')),
          nullable(bigint(c, 'started_at')),
          nullable(bigint(c, 'ended_at')),
          nullable(bigint(c, 'cancel_asked_at')),
          nullable(key(c, 'reason', 40)),
          nullable(longText(c, 'result')),
          nullable(longText(c, 'error_json')),
          longText(c, 'timeline'),
          bigint(c, 'created_at'),
        ],
        uniques: [{ name: 'uk_tasks_app_crid', columnNames: ['app_id', 'client_request_id'] }],
        indices: [
          { name: 'ix_tasks_pick', columnNames: ['group_id', 'state', 'lane', 'pick_order'] },
          { name: 'ix_tasks_wake', columnNames: ['wake_at'] },
          { name: 'ix_tasks_app', columnNames: ['app_id', 'id'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'attempts',
        columns: [
          { ...key(c, 'task_id', 31), isPrimary: true },
          { ...smallint(c, 'attempt'), isPrimary: true },
          int(c, 'lease'),
          key(c, 'worker_id', 64),
          key(c, 'worker_incarnation', 32),
          nullable(bigint(c, 'started_at')),
          nullable(bigint(c, 'ended_at')),
          key(c, 'outcome', 12),
          nullable(longText(c, 'error_json')),
          nullable(longText(c, 'late_json')),
        ],
      }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
