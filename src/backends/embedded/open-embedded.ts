import type { Config } from '../../platform/config.js';
import type { Adapters, Purpose } from '../adapters.js';
import { runMigrations } from '../migrate.js';
import { DataDirInUseError, DataDirLock } from './data-dir-lock.js';
import { LocalLease } from './local-lease.js';
import { LocalNonceStore } from './local-nonce-store.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { LocalSignals } from './local-signals.js';
import { openSqlite } from './sqlite-data-source.js';
import { SqliteDialect } from './sqlite-dialect.js';

/** Migrates by itself, unless a server that has done so is running beside this command. Throws DataDirInUseError for a second server. */
export async function openEmbedded(config: Pick<Config, 'dataDir'>, purpose: Purpose): Promise<Adapters> {
  const lock = takeLock(config.dataDir, purpose);
  try {
    const dataSource = await openSqlite(config.dataDir);
    if (lock) await runMigrations(dataSource);
    if (purpose !== 'server') lock?.release();
    return {
      dataSource,
      dialect: new SqliteDialect(dataSource),
      lease: new LocalLease(),
      signals: new LocalSignals(),
      nonceStore: new LocalNonceStore(),
      rateLimiter: new LocalRateLimiter(),
      close: async () => {
        if (dataSource.isInitialized) await dataSource.destroy();
        if (purpose === 'server') lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function takeLock(dataDir: string, purpose: Purpose): DataDirLock | undefined {
  try {
    return DataDirLock.acquire(dataDir);
  } catch (error) {
    if (purpose !== 'server' && error instanceof DataDirInUseError) return undefined;
    throw error;
  }
}
