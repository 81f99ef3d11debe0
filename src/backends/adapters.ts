import type { DataSource } from 'typeorm';
import type { Lease, NonceStore, RateLimiter, Signals, SqlDialect } from '../ports.js';

/** What differs between a laptop and a cluster, connected. */
export interface Adapters {
  dataSource: DataSource;
  dialect: SqlDialect;
  lease: Lease;
  signals: Signals;
  nonceStore: NonceStore;
  rateLimiter: RateLimiter;
  /** Closes the connections; what is under way on Redis fails. */
  close(): Promise<void>;
}

/**
 * `server`: the one server of an embedded data folder, or a node of a migrated cluster. `command`: an administration command,
 * which works beside a server, and without Redis if there is none. `migrate`: as a command, but it needs Redis, the schema may be old
 * and statements may take long.
 */
export type Purpose = 'server' | 'command' | 'migrate';
