import { type ChildProcess, execFileSync, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { freePort } from './free-port.js';
import { Folder } from './processes.js';
import { waitFor } from './wait-for.js';

/** Of MariaDB; MySQL brings its own. */
const INSTALLER = 'mariadb-install-db';
/** What it complains of is in the error. */
const TOLD: StdioOptions = ['ignore', 'ignore', 'pipe'];

/** A MariaDB or MySQL of the test's own, which it may kill and start again on the same port. What it acknowledged it keeps. */
export class PrivateDatabase {
  private child: ChildProcess | undefined;
  /** On the disk, also where other tests write into memory. */
  private readonly folder = new Folder(process.env.TEST_DISK_FOLDER);

  private constructor(
    private readonly command: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<PrivateDatabase> {
    const command = ['/usr/sbin/mariadbd', '/usr/sbin/mysqld', 'mariadbd', 'mysqld'].find(isThere);
    if (!command) throw new Error('these tests need mariadbd or mysqld');
    const database = new PrivateDatabase(command, await freePort());
    database.initialize();
    await database.startAgain();
    return database;
  }

  get url(): URL {
    return new URL(`mysql://root@127.0.0.1:${this.port}/`);
  }

  async startAgain(): Promise<void> {
    const { path } = this.folder;
    this.child = spawn(
      this.command,
      [
        '--no-defaults',
        ...this.owner,
        `--datadir=${join(path, 'data')}`,
        `--socket=${join(path, 's')}`,
        `--pid-file=${join(path, 'pid')}`,
        `--log-error=${join(path, 'data', 'log')}`,
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        '--character-set-server=utf8mb4',
        '--innodb-flush-log-at-trx-commit=1',
        '--skip-log-bin',
      ],
      { stdio: 'ignore', env: this.env },
    );
    await waitFor('the database answers', () => answers(this.url), 60_000);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    this.folder.remove();
  }

  private initialize(): void {
    const data = join(this.folder.path, 'data');
    mkdirSync(data);
    if (process.getuid?.() === 0) {
      const [uid, gid] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'mysql'], { encoding: 'utf8' })));
      for (const path of [this.folder.path, data]) chownSync(path, uid as number, gid as number);
    }
    chmodSync(this.folder.path, 0o755);
    const common = ['--no-defaults', `--datadir=${data}`, ...this.owner];
    if (isThere(INSTALLER)) {
      const authentication = ['--auth-root-authentication-method=normal', '--skip-test-db'];
      execFileSync(INSTALLER, [...common, ...authentication], { stdio: TOLD, env: this.env });
    } else execFileSync(this.command, [...common, '--initialize-insecure'], { stdio: TOLD, env: this.env });
  }

  /** The folder of the run is ours alone: what the server's own user writes for the moment goes into its own. */
  private get env(): NodeJS.ProcessEnv {
    return { ...process.env, TMPDIR: this.folder.path };
  }

  /** The servers refuse to run as root; their packages bring a user of their own. */
  private get owner(): string[] {
    return process.getuid?.() === 0 ? ['--user=mysql'] : [];
  }
}

const isThere = (command: string): boolean =>
  command.startsWith('/') ? existsSync(command) : spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

async function answers(url: URL): Promise<boolean> {
  try {
    const connection = await createConnection(url.href);
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
