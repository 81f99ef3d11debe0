import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { addNullable, bigint, int, key, longText, name, nullable } from './columns.js';

/**
 * How keys are used and refused, who made them, and how each attempt of a callback went on the wire. Nodes of the version before
 * write none of it and read none of it.
 */
export class KeyTraffic1764660000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const c = runner.connection;
    await addNullable(runner, 'access_keys', name(c, 'created_by', 128));
    await addNullable(runner, 'access_keys', key(c, 'last_used_address', 64));
    await addNullable(runner, 'access_keys', key(c, 'last_used_endpoint', 255));
    await addNullable(runner, 'webhook_attempts', longText(c, 'exchange_json'));
    await runner.createTable(
      new Table({
        name: 'key_rollups',
        columns: [
          { ...key(c, 'access_key', 48), isPrimary: true },
          { ...bigint(c, 'begins_at'), isPrimary: true },
          { ...key(c, 'writer', 31), isPrimary: true },
          longText(c, 'figures_json'),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'rejected_requests',
        columns: [
          { ...key(c, 'id', 31), isPrimary: true },
          key(c, 'owner_key', 48),
          key(c, 'claimed_key', 48),
          bigint(c, 'rejected_at'),
          key(c, 'problem_code', 40),
          key(c, 'detail', 255),
          key(c, 'http_method', 16),
          key(c, 'target', 2048),
          key(c, 'client_address', 64),
          key(c, 'node_id', 64),
          nullable(key(c, 'signed_at', 64)),
          nullable(key(c, 'nonce', 64)),
          nullable(key(c, 'signature', 80)),
          nullable(key(c, 'body_digest', 64)),
          int(c, 'body_bytes'),
          int(c, 'more_like_it'),
        ],
        indices: [{ name: 'ix_rejected_requests_owner', columnNames: ['owner_key', 'id'] }],
      }),
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
