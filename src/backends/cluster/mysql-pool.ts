import type { Socket } from 'node:net';
import { type Connection, createPool, type Pool, type PoolOptions } from 'mysql2';

/** A frozen node's transaction dies with its connection after this long, and its row locks with it. */
const SESSION_IDLE_SECONDS = 5;
/** How long a statement waits for rows that another transaction has locked, before it fails as contention. */
export const LOCK_WAIT_SECONDS = 3;
/** Idle connections are closed by us before the server does it, so that no statement is sent into a closed one. */
const POOL_IDLE_MS = 3000;
/** A statement of which nothing comes back for this long fails as unavailable; longer than any lock wait. */
const SILENCE_MS = 10_000;

const SESSION_SETTINGS = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  `SET SESSION time_zone = '+00:00', SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}, SESSION wait_timeout = ${SESSION_IDLE_SECONDS},
   SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`,
];

/**
 * mysql2 as TypeORM wants it, with sessions set up before their first statement. The sql_mode is stated because values are
 * escaped on our side: NO_BACKSLASH_ESCAPES or ANSI_QUOTES of a server would change what the text means.
 */
export function mysqlDriver(options: { silenceMs?: number } = {}) {
  return {
    createPool: (poolOptions: PoolOptions): Pool => {
      const limit = poolOptions.connectionLimit ?? 10;
      const pool = createPool({ ...poolOptions, maxIdle: limit - 1, idleTimeout: POOL_IDLE_MS });
      pool.on('connection', (connection) => {
        for (const statement of SESSION_SETTINGS) connection.query(statement, (error) => error && connection.destroy());
        failWhenSilent(connection as unknown as Connection, options.silenceMs ?? SILENCE_MS);
      });
      return pool;
    },
  };
}

/** The statement under way fails with ETIMEDOUT and the connection leaves the pool; without this a frozen server hangs callers. */
function failWhenSilent(connection: Connection, silenceMs: number): void {
  if (silenceMs === 0) return;
  const { stream } = connection as unknown as { stream: Socket };
  stream.setTimeout(silenceMs, () => stream.destroy(Object.assign(new Error('the database is silent'), { code: 'ETIMEDOUT' })));
}
