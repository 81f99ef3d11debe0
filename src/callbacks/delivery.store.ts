import { Injectable } from '@nestjs/common';
import type { ScheduleProgress } from '../decisions/callback-schedule.js';
import type { WireRecord } from '../decisions/wire-record.js';
import { firstIdAt } from '../platform/ids.js';
import { placeholders, type Sql } from '../ports.js';
import type { Delivery, DeliveryAttempt, DeliveryState } from './callbacks.js';

export interface DeliveryFilter {
  /** Null: of all apps. */
  appId: number | null;
  states?: DeliveryState[];
  taskId?: string;
  /** Of any of these; an empty list finds none. */
  taskIds?: readonly string[];
  endpointId?: string;
  /** Of tasks of these groups, or of no task. */
  groupIds?: readonly number[];
  /** Only what failed and will be tried again. */
  failing?: boolean;
  /** Epoch milliseconds, inclusive. */
  since?: number;
  /** Only deliveries that come after this id in the order. */
  before?: string;
  /** Absent: newest first. */
  oldestFirst?: boolean;
  limit: number;
}

interface DeliveryRow {
  id: string;
  event_id: string;
  event_type: string;
  app_id: number;
  task_id: string | null;
  endpoint_id: string | null;
  url: string;
  delivery_state: string;
  attempts: number;
  last_status: number | null;
  last_failure: string | null;
  next_attempt_at: number | string | null;
  created_at: number | string;
  ended_at: number | string | null;
}
const COLUMNS =
  'd.id, d.event_id, e.event_type, d.app_id, d.task_id, d.endpoint_id, d.url, d.delivery_state, d.attempts, d.last_status, d.last_failure, d.next_attempt_at, d.created_at, d.ended_at';
const FROM = 'FROM webhook_deliveries d INNER JOIN webhook_events e ON e.id = d.event_id';

/** A node whose clock differs by more is alerted about. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** The delivery log. */
@Injectable()
export class DeliveryStore {
  /** `appId` null: whosever it is. */
  async find(sql: Sql, appId: number | null, id: string): Promise<Delivery | null> {
    const [row] = await sql.rows<DeliveryRow>(`SELECT ${COLUMNS} ${FROM} WHERE d.id = ?`, [id]);
    return row && (appId === null || row.app_id === appId) ? deliveryOf(row) : null;
  }

  /** Until the transaction ends, so that nobody removes it meanwhile. False if it is gone. */
  async lock(tx: Sql, id: string, forUpdate: string): Promise<boolean> {
    return (await tx.rows(`SELECT id FROM webhook_deliveries WHERE id = ? ${forUpdate}`, [id])).length > 0;
  }

  /** In the order of ids, which is that of their making. */
  async list(sql: Sql, filter: DeliveryFilter): Promise<Delivery[]> {
    const { states, since, taskIds, groupIds } = filter;
    if (taskIds?.length === 0) return [];
    const [sign, way] = filter.oldestFirst ? ['>', 'ASC'] : ['<', 'DESC'];
    const stated = [
      ['d.task_id = ?', filter.taskId],
      ['d.endpoint_id = ?', filter.endpointId],
      ['d.created_at >= ?', since],
      // Where the window begins in the order of ids; clocks of nodes may differ by less than this.
      ['d.id >= ?', since === undefined ? undefined : firstIdAt('dlv', since - CLOCKS_DIFFER_MS)],
      [`d.id ${sign} ?`, filter.before],
    ].filter(([, value]) => value !== undefined);
    const ofApp = filter.appId === null ? [] : [filter.appId];
    const where = [...ofApp.map(() => 'd.app_id = ?'), ...stated.map(([condition]) => condition)];
    if (states) where.push(`d.delivery_state IN (${placeholders(states.length)})`);
    if (filter.failing) where.push('d.id IN (SELECT s.delivery_id FROM webhook_sends s WHERE s.failures > 0)');
    if (taskIds) where.push(`d.task_id IN (${placeholders(taskIds.length)})`);
    if (groupIds) {
      const ofGroups = `EXISTS (SELECT 1 FROM tasks t WHERE t.id = d.task_id AND t.group_id IN (${placeholders(groupIds.length)}))`;
      where.push(groupIds.length > 0 ? `(d.task_id IS NULL OR ${ofGroups})` : 'd.task_id IS NULL');
    }
    const rows = await sql.rows<DeliveryRow>(
      `SELECT ${COLUMNS} ${FROM} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
       ORDER BY ${ofApp.length > 0 ? `d.app_id ${way}, ` : ''}d.id ${way} LIMIT ${filter.limit}`,
      [...ofApp, ...stated.map(([, value]) => value), ...(states ?? []), ...(taskIds ?? []), ...(groupIds ?? [])],
    );
    return rows.map(deliveryOf);
  }

  /** How many of the task's are in each state. */
  async countsOfTask(sql: Sql, taskId: string): Promise<Map<DeliveryState, number>> {
    const rows = await sql.rows<{ delivery_state: string; n: number | string }>(
      'SELECT delivery_state, COUNT(*) AS n FROM webhook_deliveries WHERE task_id = ? GROUP BY delivery_state',
      [taskId],
    );
    return new Map(rows.map(({ delivery_state, n }) => [delivery_state as DeliveryState, Number(n)]));
  }

  /** The bytes that every attempt of it sends. */
  async bodyOf(sql: Sql, eventId: string): Promise<string | null> {
    const [row] = await sql.rows<{ body: string }>('SELECT body FROM webhook_events WHERE id = ?', [eventId]);
    return row?.body ?? null;
  }

  async attemptsOf(sql: Sql, deliveryId: string): Promise<DeliveryAttempt[]> {
    const rows = await sql.rows<{
      attempt_no: number;
      attempt_trigger: string;
      started_at: number | string;
      duration_ms: number;
      http_status: number | null;
      failure: string | null;
      response: string | null;
      exchange_json: string | null;
    }>(
      `SELECT attempt_no, attempt_trigger, started_at, duration_ms, http_status, failure, response, exchange_json FROM webhook_attempts
       WHERE delivery_id = ? ORDER BY attempt_no`,
      [deliveryId],
    );
    return rows.map((row) => ({
      attempt: row.attempt_no,
      trigger: row.attempt_trigger as DeliveryAttempt['trigger'],
      startedAt: Number(row.started_at),
      durationMs: row.duration_ms,
      status: row.http_status,
      failure: row.failure as DeliveryAttempt['failure'],
      response: row.response,
      wire: row.exchange_json === null ? null : (JSON.parse(row.exchange_json) as WireRecord),
    }));
  }

  /** How far the schedule that is still going on has come; null if none is. */
  async progressOf(sql: Sql, deliveryId: string): Promise<ScheduleProgress | null> {
    const [row] = await sql.rows<ScheduleProgress>(
      "SELECT failures, blocks FROM webhook_sends WHERE delivery_id = ? AND send_trigger = 'auto' ORDER BY failures DESC LIMIT 1",
      [deliveryId],
    );
    return row ?? null;
  }

  /** EXHAUSTED deliveries about tasks become PENDING again; at most `limit`. Each is won once. A test or a challenge is sent anew instead. */
  async recover(tx: Sql, endpointId: string, since: number, limit: number, now: number): Promise<{ id: string; url: string }[]> {
    const rows = await tx.rows<{ id: string; url: string }>(
      `SELECT id, url FROM webhook_deliveries WHERE endpoint_id = ? AND delivery_state = 'EXHAUSTED' AND created_at >= ? AND task_id IS NOT NULL ORDER BY id LIMIT ${limit}`,
      [endpointId, since],
    );
    const won: { id: string; url: string }[] = [];
    for (const row of rows) {
      const changed = await tx.run(
        "UPDATE webhook_deliveries SET delivery_state = 'PENDING', next_attempt_at = ?, ended_at = NULL WHERE id = ? AND delivery_state = 'EXHAUSTED'",
        [now, row.id],
      );
      if (changed > 0) won.push(row);
    }
    return won;
  }
}

const instant = (value: number | string | null): number | null => (value === null ? null : Number(value));

const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  eventId: row.event_id,
  eventType: row.event_type,
  appId: row.app_id,
  taskId: row.task_id,
  endpointId: row.endpoint_id,
  url: row.url,
  state: row.delivery_state as DeliveryState,
  attempts: row.attempts,
  lastStatus: row.last_status,
  lastFailure: row.last_failure as Delivery['lastFailure'],
  nextAttemptAt: instant(row.next_attempt_at),
  createdAt: Number(row.created_at),
  endedAt: instant(row.ended_at),
});
