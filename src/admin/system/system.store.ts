import { Injectable } from '@nestjs/common';
import { type Sql, SqlDialect } from '../../ports.js';

export interface NodeRow {
  nodeId: string;
  hostName: string;
  startedAt: number;
  seenAt: number;
  ageMs: number;
}
export interface PartitionView {
  partition: number;
  holder: string | null;
  epoch: number;
  leftMs: number;
}

const MOST_SENDS = 10_000;

/** Nodes and the partitions they hold, judged by the database's clock. */
@Injectable()
export class SystemStore {
  constructor(private readonly dialect: SqlDialect) {}

  async nodes(sql: Sql): Promise<NodeRow[]> {
    const rows = await sql.rows<Record<keyof NodeRow, string | number>>(
      `SELECT node_id AS nodeId, host_name AS hostName, started_at AS startedAt, seen_at AS seenAt, ${this.dialect.nowMs} - seen_at AS ageMs FROM nodes ORDER BY node_id`,
    );
    return rows.map((row) => ({
      nodeId: String(row.nodeId),
      hostName: String(row.hostName),
      startedAt: Number(row.startedAt),
      seenAt: Number(row.seenAt),
      ageMs: Number(row.ageMs),
    }));
  }

  async partitions(sql: Sql): Promise<PartitionView[]> {
    const rows = await sql.rows<{ partition_no: number; holder: string | null; epoch: number; left_ms: number | string }>(
      `SELECT partition_no, holder, epoch, expires_at - ${this.dialect.nowMs} AS left_ms FROM partitions ORDER BY partition_no`,
    );
    return rows.map((row) => ({
      partition: row.partition_no,
      holder: row.holder,
      epoch: row.epoch,
      leftMs: row.holder === null ? 0 : Number(row.left_ms),
    }));
  }

  /** The names of the schema's changes that have been made, oldest first. */
  async migrations(sql: Sql): Promise<string[]> {
    return (await sql.rows<{ name: string }>('SELECT name FROM schema_migrations ORDER BY timestamp')).map(({ name }) => name);
  }

  /** Callbacks that should have been sent before then and were not, among the ten thousand first in the queue. */
  async lateSends(sql: Sql, dueBefore: number): Promise<number> {
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM (SELECT due_at, lease FROM webhook_sends LIMIT ${MOST_SENDS}) AS queue WHERE due_at < ? AND lease IS NULL`,
      [dueBefore],
    );
    return Number(row?.n ?? 0);
  }
}
