import { Injectable } from '@nestjs/common';
import { firstIdAt } from '../platform/ids.js';
import { placeholders, type Sql } from '../ports.js';

export interface OldDelivery {
  id: string;
  eventId: string;
}

/** Statements that find and remove deliveries nobody will look at again. */
@Injectable()
export class OldDeliveryStore {
  /** Of these tasks, those with a callback that is still in the queue. */
  async awaiting(sql: Sql, taskIds: readonly string[]): Promise<string[]> {
    const rows = await sql.rows<{ task_id: string }>(
      `SELECT DISTINCT d.task_id AS task_id FROM webhook_deliveries d INNER JOIN webhook_sends s ON s.delivery_id = d.id
       WHERE d.task_id IN (${placeholders(taskIds.length)})`,
      taskIds,
    );
    return rows.map(({ task_id }) => task_id);
  }

  async ofTasks(tx: Sql, taskIds: readonly string[]): Promise<string[]> {
    const rows = await tx.rows<{ id: string }>(
      `SELECT id FROM webhook_deliveries WHERE task_id IN (${placeholders(taskIds.length)}) ORDER BY id`,
      taskIds,
    );
    return rows.map(({ id }) => id);
  }

  /** After that id, made before the instant: those of no task that wait for nothing. `last` is where the next stretch begins. */
  async ofNoTask(
    sql: Sql,
    after: string,
    before: number,
    most: number,
  ): Promise<{ found: OldDelivery[]; last: string | undefined }> {
    const rows = await sql.rows<{ id: string; event_id: string; task_id: string | null; send_id: string | null }>(
      `SELECT d.id AS id, d.event_id AS event_id, d.task_id AS task_id,
       (SELECT s.id FROM webhook_sends s WHERE s.delivery_id = d.id LIMIT 1) AS send_id
       FROM webhook_deliveries d WHERE d.id > ? AND d.id < ? ORDER BY d.id LIMIT ${most}`,
      [after, firstIdAt('dlv', before)],
    );
    const found = rows.filter(({ task_id, send_id }) => task_id === null && send_id === null);
    return {
      found: found.map(({ id, event_id }) => ({ id, eventId: event_id })),
      last: rows.length < most ? undefined : rows.at(-1)?.id,
    };
  }

  /**
   * With their attempts, and what may have been queued again meanwhile. That is looked for first: a DELETE that finds nothing in a small
   * table waits for what others send.
   */
  async remove(tx: Sql, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const marks = placeholders(ids.length);
    await tx.run(`DELETE FROM webhook_deliveries WHERE id IN (${marks})`, ids);
    await tx.run(`DELETE FROM webhook_attempts WHERE delivery_id IN (${marks})`, ids);
    const sends = await tx.rows<{ id: string }>(`SELECT id FROM webhook_sends WHERE delivery_id IN (${marks})`, ids);
    for (const { id } of sends) await tx.run('DELETE FROM webhook_sends WHERE id = ?', [id]);
  }

  /** After that target: those with a circuit that nothing has changed since before the instant, and where nothing waits. */
  async idleTargets(sql: Sql, after: string, before: number, most: number): Promise<string[]> {
    const rows = await sql.rows<{ target: string }>(
      `SELECT c.target AS target FROM callback_targets c WHERE c.target > ? AND c.changed_at < ?
         AND NOT EXISTS (SELECT 1 FROM webhook_sends s WHERE s.target = c.target) ORDER BY c.target LIMIT ${most}`,
      [after, before],
    );
    return rows.map(({ target }) => target);
  }

  /** Of these, those still unchanged since then. Returns how many. */
  async forgetTargets(sql: Sql, targets: readonly string[], before: number): Promise<number> {
    if (targets.length === 0) return 0;
    return sql.run(`DELETE FROM callback_targets WHERE target IN (${placeholders(targets.length)}) AND changed_at < ?`, [
      ...targets,
      before,
    ]);
  }

  async removeEvents(tx: Sql, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await tx.run(`DELETE FROM webhook_events WHERE id IN (${placeholders(ids.length)})`, ids);
  }

  async removeEventsOfTasks(tx: Sql, taskIds: readonly string[]): Promise<void> {
    await tx.run(`DELETE FROM webhook_events WHERE task_id IN (${placeholders(taskIds.length)})`, taskIds);
  }
}
