import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyEncryptionKeys } from './config-variables.js';

/** The keys that wrap stored secrets, and the one new secrets are wrapped with. */
export interface KeyEncryption {
  current: string;
  keys: ReadonlyMap<string, Buffer>;
}

/**
 * The key of an embedded installation, made on first use with mode 0600. Whoever loses the file loses every stored secret, so a
 * file that is there but unreadable stops the start; it is never replaced. Of two processes that make it at once one wins, and
 * both read the winner's.
 */
export function embeddedKeyEncryption(dataDir: string): KeyEncryption {
  const path = join(dataDir, 'kek.json');
  return readKey(path) ?? makeKey(dataDir, path);
}

function readKey(path: string): KeyEncryption | undefined {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { current, keys } = JSON.parse(content) as { current: string; keys: unknown };
    const parsed = keyEncryptionKeys(JSON.stringify(keys));
    if (!parsed.has(current)) throw new Error('names a current key it does not hold');
    return { current, keys: parsed };
  } catch (error) {
    throw new Error(`${path} holds the key of all stored secrets and is damaged; restore it from a backup`, { cause: error });
  }
}

function makeKey(dataDir: string, path: string): KeyEncryption {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = join(dataDir, `.kek-${process.pid}-${randomBytes(4).toString('hex')}`);
  writeFileSync(draft, JSON.stringify({ current: 'k1', keys: { k1: randomBytes(32).toString('base64') } }), {
    mode: 0o600,
    flag: 'wx',
  });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readKey(path);
  if (!made) throw new Error(`${path} vanished while it was made`);
  return made;
}
