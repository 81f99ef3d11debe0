import { Injectable } from '@nestjs/common';
import { slices } from '../platform/slices.js';
import { placeholders, type Sql } from '../ports.js';

export interface StoredEvent {
  id: string;
  taskIds: string[];
  createdAt: number;
  fingerprint: string;
}

/** Statements about events and the jobs that listen to them. */
@Injectable()
export class EventStore {
  async insert(tx: Sql, event: StoredEvent & { appId: number; clientRequestId: string; name: string }): Promise<void> {
    await tx.run(
      `INSERT INTO app_events (id, app_id, client_request_id, request_fp, event_name, task_ids_json, created_at) VALUES (${placeholders(7)})`,
      [
        event.id,
        event.appId,
        event.clientRequestId,
        event.fingerprint,
        event.name,
        JSON.stringify(event.taskIds),
        event.createdAt,
      ],
    );
  }

  async find(sql: Pick<Sql, 'rows'>, appId: number, clientRequestId: string): Promise<StoredEvent | null> {
    const [row] = await sql.rows<{ id: string; request_fp: string; task_ids_json: string; created_at: number | string }>(
      'SELECT id, request_fp, task_ids_json, created_at FROM app_events WHERE app_id = ? AND client_request_id = ?',
      [appId, clientRequestId],
    );
    if (!row) return null;
    return {
      id: row.id,
      fingerprint: row.request_fp,
      taskIds: JSON.parse(row.task_ids_json) as string[],
      createdAt: Number(row.created_at),
    };
  }

  /** Of these tasks those of the app that are there, in the order given. */
  async ownTasks(sql: Sql, appId: number, taskIds: readonly string[]): Promise<string[]> {
    const own = new Set<string>();
    for (const some of slices(taskIds, 500)) {
      const rows = await sql.rows<{ id: string }>(
        `SELECT id FROM tasks WHERE id IN (${placeholders(some.length)}) AND app_id = ?`,
        [...some, appId],
      );
      for (const { id } of rows) own.add(id);
    }
    return taskIds.filter((id) => own.has(id));
  }

  /** Ids of the jobs of these groups that the event of that name fires. */
  async listeners(sql: Sql, groupIds: readonly number[], name: string): Promise<string[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<{ id: string }>(
      `SELECT id FROM jobs WHERE event_name = ? AND group_id IN (${placeholders(groupIds.length)}) ORDER BY id`,
      [name, ...groupIds],
    );
    return rows.map(({ id }) => id);
  }

  /** The policies of those that fire as things stand, which are switched on; not of more than `most`. */
  async policiesOfListeners(sql: Sql, groupIds: readonly number[], name: string, most: number): Promise<string[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<{ policies_json: string }>(
      `SELECT policies_json FROM jobs WHERE event_name = ? AND job_state = 'active' AND group_id IN (${placeholders(groupIds.length)})
       LIMIT ${most}`,
      [name, ...groupIds],
    );
    return rows.map((row) => row.policies_json);
  }
}
