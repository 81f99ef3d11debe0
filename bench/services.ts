import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { monotonicMs } from './monotonic.js';
import type { Ports } from './ports.js';
import { ServerProcess } from './server-process.js';
import { median } from './statistics.js';

/** How a Redis keeps what it acknowledged. `always`: fsynced before the reply. `everysec`: at most a second is lost. `none`: nothing is kept. */
export type Persistence = 'always' | 'everysec' | 'none';

/**
 * Private throw-away servers in a temporary folder, all on loopback; `close` ends every server of the bench and removes
 * the folder. The folder must lie on
 * a real disk: on a memory file system a sync costs nothing and every figure here would flatter whoever syncs most.
 */
export class Services {
  readonly folder: string;
  private readonly cleanups: (() => Promise<unknown>)[] = [];

  constructor(
    private readonly ports: Ports,
    parent = tmpdir(),
  ) {
    this.folder = mkdtempSync(join(parent, 'evenkeel-bench-'));
  }

  /** URL of an empty database: on TEST_DATABASE_URL's server if set, else on a MariaDB or MySQL of our own. */
  async database(): Promise<string> {
    const given = process.env.TEST_DATABASE_URL;
    const server = given ? new URL(given) : await this.startDatabaseServer();
    const name = `evenkeel_bench_${process.pid}`;
    const url = new URL(server);
    url.pathname = '/';
    const connection = await createConnection(url.href);
    await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    await connection.end();
    if (given) this.cleanups.push(() => dropDatabase(url, name));
    url.pathname = `/${name}`;
    return url.href;
  }

  /** URL of the Redis of the centre: TEST_REDIS_URL if set, else one of our own as the documentation recommends it (AOF, every second). */
  async redisOfTheCentre(): Promise<string> {
    return process.env.TEST_REDIS_URL ?? `redis://127.0.0.1:${await this.redis('everysec')}/0`;
  }

  /** Port of a new Redis. */
  async redis(persistence: Persistence): Promise<number> {
    const port = await this.ports.take();
    const dir = this.makeFolder(`redis-${port}`);
    const keeping = persistence === 'none' ? ['--appendonly', 'no'] : ['--appendonly', 'yes', '--appendfsync', persistence];
    await ServerProcess.start({
      title: 'redis-server',
      command: binary('redis-server'),
      args: ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', '', ...keeping],
      logFile: join(dir, 'log'),
      ready: () => answersPing(port),
    });
    return port;
  }

  makeFolder(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Median milliseconds of appending 4 KiB to a file in the folder and syncing it. */
  syncCostMs(): number {
    const file = openSync(join(this.folder, 'sync'), 'w');
    const block = Buffer.alloc(4096);
    const costs = Array.from({ length: 50 }, () => {
      const from = monotonicMs();
      writeSync(file, block);
      fsyncSync(file);
      return monotonicMs() - from;
    });
    closeSync(file);
    return median(costs);
  }

  async close(): Promise<void> {
    for (const cleanup of this.cleanups) await cleanup().catch(() => undefined);
    await ServerProcess.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startDatabaseServer(): Promise<URL> {
    const port = await this.ports.take();
    const dir = this.makeFolder(`database-${port}`);
    const data = join(dir, 'data');
    const user = userInfo().username;
    const command = binary('mariadbd', 'mysqld');
    if (find('mariadb-install-db')) {
      const args = ['--no-defaults', `--datadir=${data}`, `--user=${user}`, '--auth-root-authentication-method=normal'];
      execFileSync(binary('mariadb-install-db'), [...args, '--skip-test-db'], { stdio: 'ignore' });
    } else {
      execFileSync(command, ['--no-defaults', `--datadir=${data}`, `--user=${user}`, '--initialize-insecure'], {
        stdio: 'ignore',
      });
    }
    const url = new URL(`mysql://root@127.0.0.1:${port}/`);
    await ServerProcess.start({
      title: 'database server',
      command,
      args: [
        '--no-defaults',
        `--datadir=${data}`,
        `--user=${user}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        `--socket=${join(dir, 'socket')}`,
        `--pid-file=${join(dir, 'pid')}`,
        '--innodb-flush-log-at-trx-commit=1',
        '--innodb-buffer-pool-size=1G',
        '--skip-log-bin',
      ],
      logFile: join(dir, 'log'),
      ready: () => answersSql(url),
    });
    return url;
  }
}

async function answersPing(port: number): Promise<boolean> {
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

async function answersSql(url: URL): Promise<boolean> {
  try {
    const connection = await createConnection(url.href);
    await connection.end();
    return true;
  } catch {
    return false;
  }
}

async function dropDatabase(url: URL, name: string): Promise<void> {
  const connection = await createConnection(url.href);
  await connection.query(`DROP DATABASE ${name}`);
  await connection.end();
}

function find(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`], { env: searchPath() }).status === 0;
}

/** Debian keeps database servers in /usr/sbin, which is not on everybody's path. */
function searchPath(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
}

function binary(...names: string[]): string {
  const found = names.find(find);
  if (!found) {
    throw new Error(
      `${names.join(' or ')} is not installed: install mariadb-server and redis-server (Debian: apt install mariadb-server redis-server)`,
    );
  }
  return spawnSync('sh', ['-c', `command -v ${found}`], { env: searchPath(), encoding: 'utf8' }).stdout.trim();
}
