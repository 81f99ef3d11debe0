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
  /** Epoch milliseconds before which it is not sent; absent: at once. */
  dueAt?: number;
  receivers: { endpointId: string | null; url: string; target: string }[];
}

/** Of one statement; the body of an event is kilobytes. */
const ROWS = 200;

/** Writes events with their deliveries, and what is asked to be sent again. */
@Injectable()
export class OutboxStore {
  /**
   * The unique key (task, seq) makes it one event per end of a task. Returns the ids of the deliveries, event by event. `from`: since
   * when they wait, for who may lose patience; absent: since what they tell of.
   */
  async insert(tx: Sql, events: readonly NewEvent[], now: number, from?: number): Promise<string[][]> {
    const eventRows = events.map((event) => [
      event.id,
      event.appId,
      event.taskId,
      event.seq,
      event.type,
      event.body,
      event.occurredAt,
    ]);
    await insertRows(tx, 'webhook_events (id, app_id, task_id, seq, event_type, body, occurred_at)', eventRows, ROWS);
    return this.deliver(tx, events, now, from);
  }

  /** As `insert`, of events that are there. */
  async deliver(
    tx: Sql,
    events: readonly Omit<NewEvent, 'body' | 'seq' | 'type'>[],
    now: number,
    from?: number,
  ): Promise<string[][]> {
    const deliveryRows: unknown[][] = [];
    const sendRows: unknown[][] = [];
    const ids = events.map(({ receivers, ...event }) =>
      receivers.map(({ endpointId, url, target }) => {
        const id = newId('dlv');
        deliveryRows.push([id, event.id, event.appId, event.taskId, endpointId, url, 'PENDING', 0, event.dueAt ?? now, now]);
        sendRows.push([newId('snd'), id, target, 'auto', event.dueAt ?? now, 0, 0, from ?? event.occurredAt]);
        return id;
      }),
    );
    await insertRows(
      tx,
      'webhook_deliveries (id, event_id, app_id, task_id, endpoint_id, url, delivery_state, attempts, next_attempt_at, created_at)',
      deliveryRows,
      ROWS,
    );
    await this.sends(tx, sendRows);
    return ids;
  }

  /** Until the transaction ends. */
  async lockEndpoint(tx: Sql, endpointId: string): Promise<void> {
    await tx.run('UPDATE webhook_endpoints SET updated_at = updated_at WHERE id = ?', [endpointId]);
  }

  /** Of these tasks, those the endpoint has a delivery of. */
  async toldOf(tx: Sql, endpointId: string, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.rows<{ task_id: string }>(
      `SELECT task_id FROM webhook_deliveries WHERE task_id IN (${placeholders(taskIds.length)}) AND endpoint_id = ?`,
      [...taskIds, endpointId],
    );
    return new Set(rows.map(({ task_id }) => task_id));
  }

  async eventsOf(
    tx: Sql,
    taskIds: readonly string[],
  ): Promise<{ id: string; appId: number; taskId: string; occurredAt: number }[]> {
    const rows = await tx.rows<{ id: string; appId: number; taskId: string; occurredAt: number | string }>(
      `SELECT id, app_id AS appId, task_id AS taskId, occurred_at AS occurredAt FROM webhook_events
       WHERE task_id IN (${placeholders(taskIds.length)})`,
      taskIds,
    );
    return rows.map((row) => ({ ...row, occurredAt: Number(row.occurredAt) }));
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
