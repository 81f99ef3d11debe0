import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';
import { ENTITIES } from '../../entities.js';
import { mysqlDriver } from './mysql-pool.js';

export interface MysqlOptions {
  url: URL;
  poolSize: number;
  /** Milliseconds of silence after which a statement fails; 0 waits for ever, as long schema changes need. */
  silenceMs?: number;
}

/** A connected data source of the server's own kind: TypeORM tells MySQL and MariaDB apart by type, and a wrong one sees drift. */
export async function openMysql(options: MysqlOptions): Promise<DataSource> {
  const probe = await dataSource('mysql', { ...options, poolSize: 2 }, []).initialize();
  const [row] = (await probe.query('SELECT VERSION() AS server_version')) as { server_version: string }[];
  await probe.destroy();
  const type = /mariadb/i.test(row?.server_version ?? '') ? 'mariadb' : 'mysql';
  return dataSource(type, options, ENTITIES).initialize();
}

function dataSource(
  type: 'mysql' | 'mariadb',
  { url, poolSize, silenceMs }: MysqlOptions,
  entities: typeof ENTITIES,
): DataSource {
  return new DataSource({
    type,
    driver: mysqlDriver({ silenceMs }),
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : 3306,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ssl: url.searchParams.get('ssl') === 'true' ? {} : undefined,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: 3000,
    poolSize,
    supportBigNumbers: true,
    bigNumberStrings: false,
    flags: ['FOUND_ROWS'],
    extra: { decimalNumbers: true },
    entities,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    logging: false,
  });
}
