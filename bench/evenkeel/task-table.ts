import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { monotonicMs, sleep } from '../monotonic.js';

const POLL_MS = 10;
const OPEN = [
  STATE_CODE.SCHEDULED,
  STATE_CODE.BLOCKED,
  STATE_CODE.PENDING,
  STATE_CODE.DISPATCHED,
  STATE_CODE.RUNNING,
  STATE_CODE.RETRYING,
];

/**
 * The database's own word on a run: what is committed there with flush at commit survives a power cut. Looks for *open* tasks,
 * which near the end are few, so that looking costs the measured system next to nothing however many have ended before.
 */
export class TaskTable {
  private constructor(
    private readonly connection: Connection,
    private readonly groupId: number,
  ) {}

  static async open(url: string, group: string): Promise<TaskTable> {
    const connection = await createConnection(url);
    const [rows] = await connection.query<RowDataPacket[]>('SELECT id FROM task_groups WHERE group_key = ?', [group]);
    if (!rows[0]) throw new Error(`group ${group} is not in the database`);
    return new TaskTable(connection, Number(rows[0].id));
  }

  /** Monotonic instant at which no task of the group was open any more, late by at most 10 ms; NaN when the time is over. */
  async whenNoneOpen(withinMs: number): Promise<number> {
    const end = monotonicMs() + withinMs;
    const sql = `SELECT 1 FROM tasks WHERE group_id = ? AND state IN (${OPEN.join(', ')}) LIMIT 1`;
    while (monotonicMs() < end) {
      const askedAt = monotonicMs();
      const [rows] = await this.connection.query<RowDataPacket[]>(sql, [this.groupId]);
      if (rows.length === 0) return askedAt;
      await sleep(POLL_MS);
    }
    return Number.NaN;
  }

  async succeeded(): Promise<number> {
    const sql = 'SELECT COUNT(*) AS n FROM tasks WHERE group_id = ? AND state = ?';
    const [rows] = await this.connection.query<RowDataPacket[]>(sql, [this.groupId, STATE_CODE.SUCCEEDED]);
    return Number(rows[0]?.n);
  }

  /** Name and version of the server, and the two settings that decide what its figures mean. */
  async server(): Promise<string> {
    const sql =
      'SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush, @@innodb_buffer_pool_size DIV 1048576 AS pool';
    const [rows] = await this.connection.query<RowDataPacket[]>(sql);
    const { version, flush, pool } = rows[0] as { version: string; flush: number; pool: number };
    return `${version}, flush at commit ${flush}, buffer pool ${pool} MiB`;
  }

  close(): Promise<void> {
    return this.connection.end();
  }
}
