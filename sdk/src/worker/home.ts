import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '../contract/index.js';
import type { Logger } from './logger.js';

/** Who this worker is and where its journal lies; no directory = kept in memory only. */
export interface Home {
  workerId: string;
  directory: string | undefined;
  release: () => void;
}

export const DEFAULT_DATA_DIR = '.evenkeel';
const OWNER_FILE = 'pid';
const heldHere = new Set<string>();

/**
 * A named worker has the directory of its name. An unnamed one takes over the name and journal of an unnamed worker that has died,
 * so that its unreported results are not orphaned, or else a new name. The pid file is a courtesy: the centre refuses a second
 * worker of one name, and no two lives write to one journal file.
 */
export function openHome(workerId: string | undefined, dataDir: string, logger: Logger): Home {
  try {
    if (workerId !== undefined) return settleIn(workerId, join(dataDir, workerId));
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const left = readdirSync(dataDir).find((name) => UNNAMED.test(name) && isLeft(join(dataDir, name)));
    const name = left ?? newName();
    return settleIn(name, join(dataDir, name));
  } catch (error) {
    logger.warn('data directory cannot be used: results would not survive a restart', { dataDir, error });
    return { workerId: workerId ?? newName(), directory: undefined, release: () => undefined };
  }
}

const UNNAMED = /-[0-9a-f]{8}$/;

function newName(): string {
  const host = hostname().replace(/[^A-Za-z0-9._-]/g, '-');
  return `${host.slice(0, LIMITS.workerIdLength - 9) || 'worker'}-${randomBytes(4).toString('hex')}`;
}

function settleIn(workerId: string, directory: string): Home {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, OWNER_FILE);
  writeFileSync(file, String(process.pid), { mode: 0o600 });
  heldHere.add(directory);
  const release = () => {
    heldHere.delete(directory);
    if (existsSync(file)) unlinkSync(file);
  };
  return { workerId, directory, release };
}

function isLeft(directory: string): boolean {
  if (heldHere.has(directory)) return false;
  const file = join(directory, OWNER_FILE);
  if (!existsSync(file)) return true;
  const pid = Number(readFileSync(file, 'utf8'));
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
