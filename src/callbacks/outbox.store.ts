import { Injectable } from '@nestjs/common';
import { insertRows } from '../platform/database/insert-rows.js';
import { newId } from '../platform/ids.js';
import { placeholders, type Sql } from '../ports.js';

export interface NewEvent {
  id: string;
  appId: number;
  taskId: string | null;
  seq: number | null;
  type: string;
  body: string;
  occurredAt: number;
  receivers: { endpointId: string | null; url: string; target: string }[];
}

/** Of one statement; the body of an event is kilobytes. */
const ROWS = 200;

/** Writes events with their deliveries, and what is asked to be sent again. */
@Injectable()
export class OutboxStore {
  /** The unique key (task, seq) makes it one event per end of a task. Returns the ids of the deliveries, event by event. */
  async insert(tx: Sql, events: readonly NewEvent[], now: number): Promise<string[][]> {
    const eventRows: unknown[][] = [];
    const deliveryRows: unknown[][] = [];
    const sendRows: unknown[][] = [];
    const ids = events.map(({ receivers, ...event }) => {
      eventRows.push([event.id, event.appId, event.taskId, event.seq, event.type, event.body, event.occurredAt]);
      return receivers.map(({ endpointId, url, target }) => {
        const id = newId('dlv');
        deliveryRows.push([id, event.id, event.appId, event.taskId, endpointId, url, 'PENDING', 0, now, now]);
        sendRows.push([newId('snd'), id, target, 'auto', now, 0, 0, event.occurredAt]);
        return id;
      });
    });
    await insertRows(tx, 'webhook_events (id, app_id, task_id, seq, event_type, body, occurred_at)', eventRows, ROWS);
    await insertRows(
      tx,
      'webhook_deliveries (id, event_id, app_id, task_id, endpoint_id, url, delivery_state, attempts, next_attempt_at, created_at)',
      deliveryRows,
      ROWS,
    );
    await this.sends(tx, sendRows);
    return ids;
  }

  async again(tx: Sql, sends: readonly { deliveryId: string; target: string; trigger: string }[], now: number): Promise<void> {
    await this.sends(
      tx,
      sends.map(({ deliveryId, target, trigger }) => [newId('snd'), deliveryId, target, trigger, now, 0, 0, now]),
    );
  }

  /** JSON text of what the submitter wrote to the task. */
  async metadataOf(tx: Sql, taskIds: readonly string[]): Promise<Map<string, string | null>> {
    const rows = await tx.rows<{ id: string; metadata_json: string | null }>(
      `SELECT id, metadata_json FROM tasks WHERE id IN (${placeholders(taskIds.length)})`,
      taskIds,
    );
    return new Map(rows.map((row) => [row.id, row.metadata_json]));
  }

  private sends(tx: Sql, rows: unknown[][]): Promise<void> {
    const columns = 'id, delivery_id, target, send_trigger, due_at, failures, blocks, created_at';
    return insertRows(tx, `webhook_sends (${columns})`, rows, ROWS);
  }
}
