import { Injectable } from '@nestjs/common';
import { PARTITION_COUNT } from '../decisions/partitioning.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

export interface PartitionRow {
  partition_no: number;
  holder: string | null;
  epoch: number;
  /** Milliseconds until the row's lease ends, by the database's clock; negative once it has. */
  left_ms: number | string;
}

/** The rows that say which node holds which partition; expiries are judged by the database's clock alone. */
@Injectable()
export class PartitionStore {
  constructor(private readonly dialect: SqlDialect) {}

  async all(sql: Sql): Promise<PartitionRow[]> {
    return sql.rows<PartitionRow>(
      `SELECT partition_no, holder, epoch, expires_at - ${this.dialect.nowMs} AS left_ms FROM partitions`,
    );
  }

  /** Puts back rows that are missing: without its row nobody could hold a partition. */
  async seed(sql: Sql, present: readonly number[]): Promise<void> {
    for (let partition = 0; partition < PARTITION_COUNT; partition++) {
      if (present.includes(partition)) continue;
      try {
        await sql.run('INSERT INTO partitions (partition_no, holder, epoch, expires_at) VALUES (?, NULL, 0, 0)', [partition]);
      } catch (error) {
        if (!this.dialect.isUniqueViolation(error)) throw error;
      }
    }
  }

  /** Takes it if nobody holds it or the holder's lease has ended; a new holder is a new epoch. True if won. */
  async take(sql: Sql, partition: number, node: string, ttlMs: number): Promise<boolean> {
    const now = this.dialect.nowMs;
    return (
      (await sql.run(
        `UPDATE partitions SET holder = ?, epoch = epoch + 1, expires_at = ${now} + ? WHERE partition_no = ? AND (holder IS NULL OR expires_at < ${now})`,
        [node, ttlMs, partition],
      )) > 0
    );
  }

  /** Prolongs what the node still holds by epoch; one that another took meanwhile is left alone. */
  async renew(sql: Sql, node: string, partitions: readonly number[], ttlMs: number): Promise<void> {
    await sql.run(
      `UPDATE partitions SET expires_at = ${this.dialect.nowMs} + ? WHERE holder = ? AND partition_no IN (${placeholders(partitions.length)})`,
      [ttlMs, node, ...partitions],
    );
  }

  async release(sql: Sql, partition: number, node: string, epoch: number): Promise<void> {
    await sql.run('UPDATE partitions SET holder = NULL, expires_at = 0 WHERE partition_no = ? AND holder = ? AND epoch = ?', [
      partition,
      node,
      epoch,
    ]);
  }

  async freeAll(sql: Sql): Promise<void> {
    await sql.run('UPDATE partitions SET holder = NULL, expires_at = 0');
  }

  /** The row, locked until the transaction ends: nobody can take the partition meanwhile. */
  async lock(tx: Sql, partition: number): Promise<{ holder: string | null; epoch: number } | undefined> {
    const [row] = await tx.rows<{ holder: string | null; epoch: number }>(
      `SELECT holder, epoch FROM partitions WHERE partition_no = ? ${this.dialect.forUpdate}`,
      [partition],
    );
    return row;
  }

  /** Lifts the epoch above one that a worker has seen (a restored dump may be behind); only the holder can. */
  async raiseEpoch(sql: Sql, partition: number, node: string, epoch: number, above: number): Promise<boolean> {
    return (
      (await sql.run('UPDATE partitions SET epoch = ? WHERE partition_no = ? AND holder = ? AND epoch = ?', [
        above + 1,
        partition,
        node,
        epoch,
      ])) > 0
    );
  }

  async beat(sql: Sql, node: string, hostName: string, startedAt: number): Promise<void> {
    const now = this.dialect.nowMs;
    if ((await sql.run(`UPDATE nodes SET seen_at = ${now} WHERE node_id = ?`, [node])) > 0) return;
    await sql.run(`INSERT INTO nodes (node_id, host_name, started_at, seen_at) VALUES (?, ?, ?, ${now})`, [
      node,
      hostName,
      startedAt,
    ]);
  }

  async liveNodes(sql: Sql, withinMs: number): Promise<string[]> {
    const rows = await sql.rows<{ node_id: string }>(`SELECT node_id FROM nodes WHERE seen_at > ${this.dialect.nowMs} - ?`, [
      withinMs,
    ]);
    return rows.map((row) => row.node_id);
  }

  /** Forgets the node, and those not seen for a day. */
  async leave(sql: Sql, node: string): Promise<void> {
    await sql.run(`DELETE FROM nodes WHERE node_id = ? OR seen_at < ${this.dialect.nowMs} - 86400000`, [node]);
  }
}
