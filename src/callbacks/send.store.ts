import { Injectable } from '@nestjs/common';
import { HEALTHY, type TargetHealth } from '../decisions/callback-circuit.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { AttemptResult, ClaimedSend } from './callbacks.js';

export interface DueTarget {
  target: string;
  /** Nothing is sent there before it; null for a closed circuit. */
  openUntil: number | null;
}
/** What becomes of a send after an attempt. */
export type SendVerdict = { kind: 'done' } | { kind: 'later'; dueAt: number; failures: number; blocks: number };

interface SendRow {
  id: string;
  target: string;
  send_trigger: string;
  failures: number;
  blocks: number;
  created_at: number | string;
  delivery_id: string;
  event_id: string;
  event_type: string;
  body: string;
  app_id: number;
  url: string;
  attempts: number;
  endpoint_id: string | null;
  endpoint_state: string | null;
  secrets_json: string | null;
  challenge: string | null;
}

/** Every statement about the queue of sends and about circuits. */
@Injectable()
export class SendStore {
  constructor(private readonly dialect: SqlDialect) {}

  /**
   * Targets after `after` with something due, in the order of their names, at most `limit` looked at. Jumps from target to target in
   * the index, so the cost is that of the targets, however long the line at one of them is.
   */
  async dueTargets(sql: Sql, after: string, now: number, limit: number): Promise<{ last: string | null; due: DueTarget[] }> {
    const rows = await sql.rows<{ target: string; due_at: number | string; open_until: number | string | null }>(
      `WITH RECURSIVE line (target, place) AS (
         SELECT MIN(target), 1 FROM webhook_sends WHERE target > ?
         UNION ALL
         SELECT (SELECT MIN(s.target) FROM webhook_sends s WHERE s.target > line.target), line.place + 1
         FROM line WHERE line.target IS NOT NULL AND line.place < ${limit}
       )
       SELECT line.target AS target, (SELECT MIN(s.due_at) FROM webhook_sends s WHERE s.target = line.target) AS due_at,
         (SELECT c.open_until FROM callback_targets c WHERE c.target = line.target) AS open_until
       FROM line WHERE line.target IS NOT NULL ORDER BY line.place`,
      [after],
    );
    const due = rows
      .filter((row) => row.due_at !== null && Number(row.due_at) <= now)
      .map((row) => ({ target: row.target, openUntil: row.open_until === null ? null : Number(row.open_until) }));
    return { last: rows.length === limit ? (rows.at(-1)?.target ?? null) : null, due };
  }

  /** How many wait in each line. Reads the index of lines alone. */
  async countByTarget(sql: Sql): Promise<{ target: string; sends: number }[]> {
    const rows = await sql.rows<{ target: string; n: number | string }>(
      'SELECT target, COUNT(*) AS n FROM webhook_sends GROUP BY target',
    );
    return rows.map(({ target, n }) => ({ target, sends: Number(n) }));
  }

  /** Deliveries that have failed and will be tried again; `most` at most, so a storm costs no more than its beginning. */
  async countFailing(sql: Sql, most: number): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(DISTINCT delivery_id) AS n FROM (SELECT delivery_id FROM webhook_sends WHERE failures > 0 LIMIT ${most}) AS failing`,
    );
    return Number(row?.n ?? 0);
  }

  /** Takes what is due there, oldest first, and removes what has lost its delivery. Whoever dies with it loses it at `leaseUntil`. */
  async claim(tx: Sql, target: string, limit: number, now: number, lease: string, leaseUntil: number): Promise<ClaimedSend[]> {
    const found = await tx.rows<{ id: string }>(
      `SELECT id FROM webhook_sends WHERE target = ? AND due_at <= ? ORDER BY due_at LIMIT ${limit} ${this.dialect.forUpdateSkipLocked}`,
      [target, now],
    );
    if (found.length === 0) return [];
    const ids = found.map(({ id }) => id);
    await tx.run(`UPDATE webhook_sends SET lease = ?, due_at = ? WHERE id IN (${placeholders(ids.length)}) AND due_at <= ?`, [
      lease,
      leaseUntil,
      ...ids,
      now,
    ]);
    const rows = await tx.rows<SendRow>(
      `SELECT s.id, s.target, s.send_trigger, s.failures, s.blocks, s.created_at, s.delivery_id, d.event_id, e.event_type, e.body, d.app_id, d.url,
        d.attempts, d.endpoint_id, p.endpoint_state, p.secrets_json, p.challenge
       FROM webhook_sends s INNER JOIN webhook_deliveries d ON d.id = s.delivery_id INNER JOIN webhook_events e ON e.id = d.event_id
         LEFT JOIN webhook_endpoints p ON p.id = d.endpoint_id
       WHERE s.id IN (${placeholders(ids.length)}) AND s.lease = ?`,
      [...ids, lease],
    );
    const there = new Set(rows.map(({ id }) => id));
    const lost = ids.filter((id) => !there.has(id));
    if (lost.length > 0)
      await tx.run(`DELETE FROM webhook_sends WHERE id IN (${placeholders(lost.length)}) AND lease = ?`, [...lost, lease]);
    return rows.map((row) => claimedOf(row, lease));
  }

  /** An open circuit lets one send through: true for the one caller who may. */
  async takeProbe(sql: Sql, target: string, openUntil: number, until: number): Promise<boolean> {
    const won = await sql.run('UPDATE callback_targets SET open_until = ? WHERE target = ? AND open_until = ?', [
      until,
      target,
      openUntil,
    ]);
    return won > 0;
  }

  /** Keeps the attempt and moves its delivery and its send on. An attempt whose lease was lost moves nothing on unless it succeeded. */
  async settle(tx: Sql, send: ClaimedSend, result: AttemptResult, verdict: SendVerdict, now: number): Promise<void> {
    const [delivery] = await tx.rows<{ attempts: number; delivery_state: string }>(
      `SELECT attempts, delivery_state FROM webhook_deliveries WHERE id = ? ${this.dialect.forUpdate}`,
      [send.deliveryId],
    );
    if (!delivery) return;
    const attempt = delivery.attempts + 1;
    const { trigger, deliveryId } = send;
    await tx.run(
      `INSERT INTO webhook_attempts (delivery_id, attempt_no, attempt_trigger, started_at, duration_ms, http_status, failure, response, exchange_json)
       VALUES (${placeholders(9)})`,
      [
        ...[deliveryId, attempt, trigger, result.startedAt, result.durationMs, result.status, result.failure, result.response],
        result.wire ? JSON.stringify(result.wire) : null,
      ],
    );
    const succeeded = result.class === 'success';
    const held = succeeded
      ? await tx.run('DELETE FROM webhook_sends WHERE delivery_id = ?', [deliveryId])
      : verdict.kind === 'done'
        ? await tx.run('DELETE FROM webhook_sends WHERE id = ? AND lease = ?', [send.id, send.lease])
        : await tx.run('UPDATE webhook_sends SET lease = NULL, due_at = ?, failures = ?, blocks = ? WHERE id = ? AND lease = ?', [
            verdict.dueAt,
            verdict.failures,
            verdict.blocks,
            send.id,
            send.lease,
          ]);
    const moves = succeeded || (trigger === 'auto' && held > 0);
    const state = succeeded ? 'SUCCEEDED' : verdict.kind === 'done' ? 'EXHAUSTED' : 'PENDING';
    const next = moves ? ', delivery_state = ?, next_attempt_at = ?, ended_at = ?' : '';
    const moved = [
      state,
      state === 'PENDING' && verdict.kind === 'later' ? verdict.dueAt : null,
      state === 'PENDING' ? null : now,
    ];
    await tx.run(`UPDATE webhook_deliveries SET attempts = ?, last_status = ?, last_failure = ?${next} WHERE id = ?`, [
      attempt,
      result.status,
      result.failure,
      ...(moves ? moved : []),
      deliveryId,
    ]);
  }

  /** Ends a delivery without another attempt. */
  async giveUp(tx: Sql, send: Pick<ClaimedSend, 'id' | 'lease' | 'deliveryId' | 'trigger'>, now: number): Promise<void> {
    const held = await tx.run('DELETE FROM webhook_sends WHERE id = ? AND lease = ?', [send.id, send.lease]);
    if (held === 0 || send.trigger === 'manual') return;
    await this.exhaust(tx, [send.deliveryId], now);
  }

  /** Gives a send back as it was: it was not attempted, or nobody will ever know. */
  async release(sql: Sql, send: Pick<ClaimedSend, 'id' | 'lease'>, now: number): Promise<void> {
    await sql.run('UPDATE webhook_sends SET lease = NULL, due_at = ? WHERE id = ? AND lease = ?', [now, send.id, send.lease]);
  }

  /** Ends what waits at the target since before `before`. Returns how many were ended, at most `limit`. */
  async expire(tx: Sql, target: string, before: number, now: number, limit: number): Promise<number> {
    const rows = await tx.rows<{ id: string; delivery_id: string; send_trigger: string }>(
      `SELECT id, delivery_id, send_trigger FROM webhook_sends WHERE target = ? AND due_at <= ? AND created_at < ? ORDER BY due_at LIMIT ${limit}
       ${this.dialect.forUpdateSkipLocked}`,
      [target, now, before],
    );
    if (rows.length === 0) return 0;
    await tx.run(
      `DELETE FROM webhook_sends WHERE id IN (${placeholders(rows.length)})`,
      rows.map(({ id }) => id),
    );
    const automatic = rows.filter(({ send_trigger }) => send_trigger === 'auto').map(({ delivery_id }) => delivery_id);
    if (automatic.length > 0) await this.exhaust(tx, automatic, now);
    return rows.length;
  }

  private exhaust(tx: Sql, deliveryIds: readonly string[], now: number): Promise<number> {
    return tx.run(
      `UPDATE webhook_deliveries SET delivery_state = 'EXHAUSTED', next_attempt_at = NULL, ended_at = ?
       WHERE id IN (${placeholders(deliveryIds.length)}) AND delivery_state = 'PENDING'`,
      [now, ...deliveryIds],
    );
  }

  /** Locked until the transaction ends; null for a target without a row. */
  async health(tx: Sql, target: string): Promise<TargetHealth | null> {
    const [row] = await tx.rows<{ health_json: string; open_until: number | string | null }>(
      `SELECT health_json, open_until FROM callback_targets WHERE target = ? ${this.dialect.forUpdate}`,
      [target],
    );
    if (!row) return null;
    return {
      ...(JSON.parse(row.health_json) as TargetHealth),
      openUntil: row.open_until === null ? null : Number(row.open_until),
    };
  }

  /** The row of a target that has none; false if another transaction made it meanwhile. */
  async openHealth(tx: Sql, target: string, now: number): Promise<boolean> {
    try {
      await tx.run('INSERT INTO callback_targets (target, health_json, changed_at) VALUES (?, ?, ?)', [
        target,
        JSON.stringify(HEALTHY),
        now,
      ]);
      return true;
    } catch (error) {
      if (!this.dialect.isUniqueViolation(error)) throw error;
      return false;
    }
  }

  /** The caller holds the row's lock. */
  async saveHealth(tx: Sql, target: string, health: TargetHealth, now: number): Promise<void> {
    await tx.run('UPDATE callback_targets SET health_json = ?, open_until = ?, changed_at = ? WHERE target = ?', [
      JSON.stringify(health),
      health.openUntil,
      now,
      target,
    ]);
  }

  async forgetHealth(tx: Sql, target: string): Promise<void> {
    await tx.run('DELETE FROM callback_targets WHERE target = ?', [target]);
  }
}

function claimedOf(row: SendRow, lease: string): ClaimedSend {
  const endpoint =
    row.endpoint_state === null
      ? null
      : {
          state: row.endpoint_state as 'PENDING' | 'ENABLED' | 'DISABLED',
          secrets: JSON.parse(row.secrets_json ?? '[]'),
          challenge: row.challenge ?? '',
        };
  return {
    id: row.id,
    lease,
    target: row.target,
    trigger: row.send_trigger as ClaimedSend['trigger'],
    failures: row.failures,
    blocks: row.blocks,
    createdAt: Number(row.created_at),
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    eventType: row.event_type,
    body: row.body,
    appId: row.app_id,
    url: row.url,
    attempts: row.attempts,
    endpointId: row.endpoint_id,
    endpoint,
  };
}
