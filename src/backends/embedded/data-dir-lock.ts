import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../platform/config.js';
import { LibsqlDatabase } from './libsql-database.js';

/** Another process of the same kind runs on the same data folder. */
export class DataDirInUseError extends Error {
  constructor(
    readonly dataDir: string,
    readonly pid: number | undefined,
  ) {
    super(
      `the data folder ${dataDir} is in use by another server${pid ? ` (process ${pid})` : ''}: stop it, or set another DATA_DIR`,
    );
    this.name = 'DataDirInUseError';
  }
}

/** Throws ConfigError naming DATA_DIR. */
function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw new ConfigError('DATA_DIR', `cannot be made or written: ${(error as Error).message}`);
  }
}

/**
 * Makes this process the only server (or quick start) on a data folder. The lock is the operating system's, taken through SQLite on a file of its
 * own, so it ends with the process however that dies and a stale one cannot be left behind; the pid beside it is only for the
 * message.
 */
export class DataDirLock {
  private constructor(
    private readonly file: LibsqlDatabase,
    private readonly pidPath: string,
  ) {}

  /** `name`: what the holder is; locks of different names do not exclude each other. Throws DataDirInUseError. */
  static acquire(dataDir: string, name: 'server' | 'quickstart' = 'server'): DataDirLock {
    makeFolder(dataDir);
    const pidPath = join(dataDir, `${name}.pid`);
    const file = new LibsqlDatabase(join(dataDir, `${name}.lock`), { timeout: 0 });
    try {
      file.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      file.close();
      if (!/^SQLITE_BUSY/.test((error as { code?: string }).code ?? '')) throw error;
      throw new DataDirInUseError(dataDir, readPid(pidPath));
    }
    writeFileSync(pidPath, `${process.pid}\n`);
    return new DataDirLock(file, pidPath);
  }

  release(): void {
    rmSync(this.pidPath, { force: true });
    this.file.close();
  }
}

function readPid(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined;
  } catch {
    return undefined; // The holder is just writing it, or has just gone.
  }
}
