import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addNullable, bigint } from './columns.js';

/**
 * Groups that take no new work. Null in rows that a node of the version before writes, which is what it means; but that node does not read
 * it, and accepts work for an archived group until it is replaced.
 */
export class GroupArchive1764660000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addNullable(runner, 'task_groups', bigint(runner.connection, 'archived_at'));
  }

  async down(): Promise<void> {
    throw new Error('migrations run forward only: restore the export that was written before this one');
  }
}
