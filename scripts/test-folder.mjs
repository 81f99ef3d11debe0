import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 3 * 1024 ** 3;

/**
 * The folder of one run. It lies in memory where there is room, unless TMPDIR says where: thousands of commits of short-lived databases
 * then wait for no disk. `env` leads the tests there; a test that needs the disk finds it by TEST_DISK_FOLDER.
 */
export function makeTestFolder() {
  const disk = tmpdir();
  const path = mkdtempSync(join(!process.env.TMPDIR && hasRoom() ? MEMORY : disk, 'evenkeel-test-'));
  return {
    path,
    env: { TMPDIR: path, TEST_DISK_FOLDER: disk },
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= ROOM_BYTES;
  } catch {
    return false;
  }
}
