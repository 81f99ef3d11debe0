import type { EntityManager } from 'typeorm';

/** What a store runs statements on: inside `SqlDialect.transaction` one connection, outside it each statement by itself. */
export interface Sql {
  /** Rows of a SELECT. `?` placeholders; an array value is not expanded (use `placeholders`). */
  rows<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Number of rows an INSERT, UPDATE or DELETE touched (MySQL: matched rows, so a no-op update counts alike on every dialect). */
  run(sql: string, params?: readonly unknown[]): Promise<number>;
  /** The same connection for repositories of rarely written tables. */
  readonly manager: EntityManager;
}

/** The type of one column of rows handed to a statement as a single JSON parameter. */
export type RowColumnType = 'id' | 'int' | 'bigint' | 'text';
export interface UpdateFromRows {
  table: string;
  /** Names and types of the values in each row, in order. */
  columns: readonly (readonly [name: string, type: RowColumnType])[];
  rows: readonly (readonly unknown[])[];
  /** Column of the table to expression; `t` is the table, `r` the rows. Expressions must not depend on the order of assignment. */
  set: Readonly<Record<string, string>>;
  /** Joins `t` to `r` by primary key and states every condition of the write. */
  on: string;
}

/**
 * The SQL differences between MySQL 8+/MariaDB 10.6+ and SQLite.
 *
 * Guarantees: `transaction` runs at READ COMMITTED or stricter, commits durably (an answer given after it survives a power cut),
 * and retries the whole work at most three times on a deadlock or lock timeout; so the work must not have effects outside the
 * database. On SQLite transactions queue behind each other and behind single statements: no I/O inside one. `work` failing rolls
 * everything back and rethrows. A lost connection surfaces as an error for which `isUnavailable` is true; whether a commit under
 * way then happened is unknown, so callers rely on unique keys and conditional updates.
 */
export abstract class SqlDialect {
  abstract readonly name: 'mysql' | 'sqlite';
  /** Statements outside any transaction. */
  abstract readonly root: Sql;
  abstract transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Reads, outside any transaction, also what open transactions have written and may still take back. */
  abstract readonly uncommitted: Pick<Sql, 'rows'>;
  /**
   * The same handle, whose `run` does not wait for rows that another transaction has locked: it fails at once with an error for which
   * `isContention` is true (on MySQL, whose shortest wait that is, after a second).
   */
  abstract impatient(sql: Sql): Sql;
  /** Suffix that locks the rows a SELECT reads until the transaction ends; empty where the transaction itself excludes others. */
  abstract readonly forUpdate: string;
  /** As `forUpdate`, passing over rows that others hold. */
  abstract readonly forUpdateSkipLocked: string;
  /** SQL expression: the database's clock in epoch milliseconds. */
  abstract readonly nowMs: string;
  /** SQL expression that appends text `b` to text `a`. */
  abstract concat(a: string, b: string): string;
  /**
   * SQL expression: about how many rows a table has, from what the database keeps of it, never by counting. MySQL's figures may be hours old
   * and off by half; SQLite's is an upper bound where rows are only added at one end and removed at the other.
   */
  abstract estimatedRows(table: string): string;
  /** One UPDATE of many rows with their own values, one parameter, by primary key in the order of `rows`. Returns rows changed. */
  abstract updateFromRows(sql: Sql, update: UpdateFromRows): Promise<number>;
  /** True for a violation of a unique key; of the one named, if a name is given. */
  abstract isUniqueViolation(error: unknown, keyName?: string): boolean;
  /** True when the database is away, restarting, or dropped the connection: worth trying again later. */
  abstract isUnavailable(error: unknown): boolean;
  /** True when another transaction was in the way, each time it was tried: nothing was written, worth trying again later. */
  abstract isContention(error: unknown): boolean;
}

/** `?, ?, ?` for a list of that many values. */
export const placeholders = (count: number): string => Array(count).fill('?').join(', ');

/** A port's technology is away. Callers choose what that means for them; nobody waits for it. */
export class PortUnavailableError extends Error {
  constructor(
    readonly port: string,
    override readonly cause?: unknown,
  ) {
    super(`${port} is unavailable`);
    this.name = 'PortUnavailableError';
  }
}

export interface HeldLease {
  /** False as soon as, by this process's monotonic clock, the lease may have ended. */
  isHeld(): boolean;
  /** Prolongs by the ttl from now; false (and no longer held) if somebody else has it or it ran out. */
  extend(ttlMs: number): Promise<boolean>;
  /** Gives it up at once; a lease already lost is left alone. */
  release(): Promise<void>;
}

/**
 * Decides who *tries* first, so that contention is cheap. A courtesy, never the guard: two processes may both believe they hold
 * one (a stalled process, a failed-over Redis), and whoever acts on it must still win in the database.
 */
export abstract class Lease {
  /** The lease, or null if another holder has it. Throws PortUnavailableError within 500 ms when its store is away. */
  abstract acquire(name: string, ttlMs: number): Promise<HeldLease | null>;
}

/**
 * Small JSON messages between nodes that make things early. At most once, unordered, may be lost entirely: everything they
 * announce is also found by polling. Subscribers on the publishing node are called too (after the current turn of the loop);
 * a throwing subscriber is logged and harms nobody.
 */
export abstract class Signals {
  abstract publish(topic: string, message: unknown): void;
  abstract subscribe(topic: string, listener: (message: unknown) => void): () => void;
  /**
   * Resolves when nothing published before is on its way any more, at most a second later: true if all of it since the last call
   * has reached what hands it to other nodes, false if some was lost on the way there.
   */
  abstract flush(): Promise<boolean>;
}

/**
 * Remembers which nonces a key has used. `claim` is atomic over all nodes: of any number of parallel claims of one nonce within
 * its ttl exactly one is true. Throws PortUnavailableError within half a second when its store is away, or when it has lost what
 * it knew at `signedAt` (unix seconds): what was signed then may have been claimed before.
 */
export abstract class NonceStore {
  /** False where a restart of the process forgets what was claimed before it. */
  abstract readonly outlivesProcess: boolean;
  abstract claim(accessKey: string, nonce: string, signedAt: number, ttlMs: number): Promise<boolean>;
}

export interface RateLimit {
  /** Microseconds between two units at the steady rate. */
  intervalMicros: number;
  /** Units that may pass at once. */
  burst: number;
}
export type RateVerdict =
  | { outcome: 'allowed' | 'limited'; remaining: number; retryAfterMicros: number; fullInMicros: number }
  | { outcome: 'never'; remaining: 0; retryAfterMicros: 0; fullInMicros: 0 };

/**
 * GCRA token buckets shared by all nodes, timed by the store's clock. A refused take costs nothing; a cost above the burst is
 * `never`. When the store is away each node limits in process at its share, the limit divided by the nodes it last knew of (open,
 * not closed), and says so once in the log. A cost above the share, but not above the burst, then passes when the share is full and is
 * paid back before the next.
 */
export abstract class RateLimiter {
  abstract take(bucket: string, limit: RateLimit, cost: number): Promise<RateVerdict>;
  /**
   * Returns units that an allowed take took and that bought nothing. A bucket never holds more than its burst. Best effort: they are
   * lost when the store is away.
   */
  abstract giveBack(bucket: string, limit: RateLimit, units: number): Promise<void>;
  /** Among how many nodes a limit is divided while the store is away. Whoever counts the nodes says so whenever it has; 1 until then. */
  abstract divideAmong(nodes: number): void;
}
