import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backends } from '../../src/backends/backends.js';
import { type Config, loadConfig } from '../../src/platform/config.js';

export type AdapterName = 'embedded' | 'cluster';
export const ADAPTERS: readonly AdapterName[] = ['embedded', 'cluster'];

/** The database server of this run, without a database. */
export const mysqlUrl = (): URL => new URL(service('TEST_DATABASE_URL'));
export const redisUrl = (): URL => new URL(service('TEST_REDIS_URL'));

function service(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set: run the tests with \`npm test -- <pattern>\`, which provides the services`);
  return url;
}

/** Loaded when asked for: a test that only drives processes is spared the server's modules and drivers. */
const backendsModule = () => import('../../src/backends/backends.js');

/** A database of one test file: an own folder, or an own database and with its name an own part of Redis. */
export interface FreshDatabase {
  /** What a server or command needs in its environment to use it. */
  env: Record<string, string>;
  config: Config;
  /** Migrates and connects as the server does. Everything opened is closed by `drop`. */
  open(overrides?: Record<string, string>): Promise<Backends>;
  drop(): Promise<void>;
}

export async function freshDatabase(adapter: AdapterName, server?: URL): Promise<FreshDatabase> {
  const place = adapter === 'embedded' ? freshFolder() : await freshMysql(server ?? mysqlUrl());
  const opened: Backends[] = [];
  return {
    env: place.env,
    config: loadConfig(place.env),
    open: async (overrides = {}) => {
      const config = loadConfig({ ...place.env, ...overrides });
      if (adapter === 'cluster') await migrate(config);
      const { openBackends } = await backendsModule();
      const backends = await openBackends(config);
      opened.push(backends);
      return backends;
    },
    drop: async () => {
      for (const backends of opened) await backends.close();
      await place.remove();
    },
  };
}

export async function migrate(config: Config): Promise<void> {
  const { openBackends } = await backendsModule();
  const { runMigrations } = await import('../../src/backends/migrate.js');
  const backends = await openBackends(config, 'migrate');
  await runMigrations(backends.dataSource);
  await backends.close();
}

interface Place {
  env: Record<string, string>;
  remove(): Promise<void>;
}

function freshFolder(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-data-'));
  return { env: { NODE_ENV: 'test', DATA_DIR: folder }, remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function freshMysql(server: URL): Promise<Place> {
  const url = new URL(server);
  const name = `ek_test_${randomBytes(6).toString('hex')}`;
  await administer(url, `CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: url.href,
    REDIS_URL: redisUrl().href,
    EK_KEKS: JSON.stringify({ k1: randomBytes(32).toString('base64') }),
    EK_KEK_CURRENT: 'k1',
  };
  return { env, remove: () => administer(url, `DROP DATABASE ${name}`) };
}

async function administer(url: URL, statement: string): Promise<void> {
  const { createConnection } = await import('mysql2/promise');
  const { hostname: host, port, username: user, password } = url;
  const connection = await createConnection({ host, port: Number(port || 3306), user, password: decodeURIComponent(password) });
  await connection.query(statement);
  await connection.end();
}
