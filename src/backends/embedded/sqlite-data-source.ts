import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';
import { ENTITIES } from '../../entities.js';
import { LibsqlDatabase } from './libsql-database.js';
import { SerialisedSqliteDriver } from './serialised-sqlite.js';

/**
 * Opens the database in the folder. WAL lets an administration command read beside the server; synchronous=FULL makes every
 * commit survive a power cut; writers of two processes wait for each other up to the busy timeout.
 */
export async function openSqlite(dataDir: string): Promise<DataSource> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    driver: LibsqlDatabase,
    database: join(dataDir, 'evenkeel.db'),
    prepareDatabase: (database: LibsqlDatabase) => {
      for (const setting of ['busy_timeout = 2000', 'journal_mode = WAL', 'synchronous = FULL']) database.pragma(setting);
    },
    statementCacheSize: 200,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    logging: false,
  });
  dataSource.driver = new SerialisedSqliteDriver(dataSource);
  return dataSource.initialize();
}
