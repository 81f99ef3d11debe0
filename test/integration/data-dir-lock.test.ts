import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackends } from '../../src/backends/backends.js';
import { DataDirInUseError, DataDirLock } from '../../src/backends/embedded/data-dir-lock.js';
import { loadConfig } from '../../src/platform/config.js';

/** The tests run after a build. */
const built = join(__dirname, '../../dist/src/backends/embedded/data-dir-lock.js');

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Another process that holds the lock until it is killed. */
  async function holder() {
    const script = `require(${JSON.stringify(built)}).DataDirLock.acquire(process.argv[1]); console.log('held'); setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, ['-e', script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  }

  it('refuses a second server and names the process that holds it', async () => {
    const child = await holder();
    const refused = { error: undefined as unknown };
    try {
      DataDirLock.acquire(folder);
    } catch (error) {
      refused.error = error;
    }
    expect(refused.error).toBeInstanceOf(DataDirInUseError);
    expect((refused.error as Error).message).toContain(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('is free again when its holder was killed', async () => {
    const child = await holder();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(folder, 'server.pid'))).toBe(true);
    DataDirLock.acquire(folder).release();
    expect(existsSync(join(folder, 'server.pid'))).toBe(false);
  });

  it('does not believe a pid that somebody else has by now', () => {
    writeFileSync(join(folder, 'server.pid'), `${process.pid}\n`);
    DataDirLock.acquire(folder).release();
  });

  it('lets a command work beside the server, on the same data', async () => {
    const config = loadConfig({ DATA_DIR: folder });
    const server = await openBackends(config, 'server');
    await expect(openBackends(config, 'server')).rejects.toThrow(DataDirInUseError);
    const command = await openBackends(config, 'command');
    await command.dialect.root.run('INSERT INTO nodes (node_id, host_name, started_at, seen_at) VALUES (?, ?, 0, 0)', ['n', 'h']);
    expect(await server.dialect.root.rows('SELECT node_id FROM nodes')).toEqual([{ node_id: 'n' }]);
    await command.close();
    await server.close();
  });

  it('lets a command prepare a folder that no server has used yet', async () => {
    const config = loadConfig({ DATA_DIR: join(folder, 'new') });
    const command = await openBackends(config, 'command');
    expect(await command.dialect.root.rows('SELECT node_id FROM nodes')).toEqual([]);
    const server = await openBackends(config, 'server');
    await server.close();
    await command.close();
    expect(statSync(join(folder, 'new')).mode & 0o077).toBe(0);
  });
});
