import { Injectable } from '@nestjs/common';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

/** Statements about when challenges may be sent. */
@Injectable()
export class ChallengeStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** From when on the next one may be sent there; whoever else asks waits until the transaction ends. */
  async lockNext(tx: Sql, targetHash: string): Promise<number> {
    const before = await this.lock(tx, targetHash);
    if (before !== null) return before;
    try {
      await tx.run('INSERT INTO webhook_challenges (target_hash, next_at) VALUES (?, 0)', [targetHash]);
      return 0;
    } catch (error) {
      if (!this.dialect.isUniqueViolation(error)) throw error;
    }
    return (await this.lock(tx, targetHash)) ?? 0;
  }

  private async lock(tx: Sql, targetHash: string): Promise<number | null> {
    const [row] = await tx.rows<{ next_at: number | string }>(
      `SELECT next_at FROM webhook_challenges WHERE target_hash = ? ${this.dialect.forUpdate}`,
      [targetHash],
    );
    return row ? Number(row.next_at) : null;
  }

  /** The caller holds the row's lock. */
  async setNext(tx: Sql, targetHash: string, nextAt: number): Promise<void> {
    await tx.run('UPDATE webhook_challenges SET next_at = ? WHERE target_hash = ?', [nextAt, targetHash]);
  }

  /** Those that hold nobody up since before the instant, the oldest; returns how many. */
  async removeBefore(sql: Sql, before: number, most: number): Promise<number> {
    const rows = await sql.rows<{ target_hash: string }>(
      `SELECT target_hash FROM webhook_challenges WHERE next_at < ? ORDER BY next_at LIMIT ${most}`,
      [before],
    );
    if (rows.length === 0) return 0;
    return sql.run(`DELETE FROM webhook_challenges WHERE target_hash IN (${placeholders(rows.length)}) AND next_at < ?`, [
      ...rows.map(({ target_hash }) => target_hash),
      before,
    ]);
  }
}
