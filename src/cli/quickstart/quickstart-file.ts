import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the quick start made and may use again. */
export interface Credentials {
  /** null: somebody has changed the password, and only its hash is known. */
  admin: { username: string; password: string | null };
  /** `callbackSecret` verifies the callbacks of its tasks. */
  app: { id: string; accessKey: string; secretKey: string; callbackSecret?: string };
  worker: { key: string; secret: string };
  group: string;
}

/** What `npm run quickstart` leaves in DATA_DIR. */
export interface QuickstartFile extends Credentials {
  url: string;
  pids: { quickstart: number; centre: number; worker: number };
}

export const quickstartPath = (dataDir: string): string => join(dataDir, 'quickstart.json');
const draftPath = (dataDir: string): string => join(dataDir, 'quickstart.json.new');

/** null if there is none, or it is damaged. Its process ids may be of the past: see `isAlive`. */
export function readQuickstart(dataDir: string): QuickstartFile | null {
  return readJson<QuickstartFile>(quickstartPath(dataDir));
}

/** What an earlier start made, that of a start included that did not come up: secrets cannot be read back from the database. */
export function readCredentials(dataDir: string): Credentials | null {
  return readJson<Credentials>(draftPath(dataDir)) ?? readQuickstart(dataDir);
}

/** Keeps the secrets from the moment they exist. */
export function keepCredentials(dataDir: string, credentials: Credentials): void {
  writePrivate(draftPath(dataDir), credentials);
}

/** Makes the file appear, complete, in one step. Call it when everything it names is up. */
export function publishQuickstart(dataDir: string, { url, admin, app, worker, group, pids }: QuickstartFile): void {
  writePrivate(draftPath(dataDir), { url, admin, app, worker, group, pids });
  renameSync(draftPath(dataDir), quickstartPath(dataDir));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function writePrivate(path: string, value: unknown): void {
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
