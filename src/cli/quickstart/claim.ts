import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DataDirInUseError, DataDirLock } from '../../backends/embedded/data-dir-lock.js';
import type { Config } from '../../platform/config.js';
import { CommandError, EXIT } from '../output.js';
import { isAlive, type QuickstartFile, readQuickstart } from './quickstart-file.js';

/** A centre whose quick start was killed needs this long to notice and stop; a passing command holds the lock for moments. */
const LEFTOVER_MS = 9000;
const MOMENT_MS = 700;
/** Its drain and the end of its last requests. */
const WORKER_LEFTOVER_MS = 20_000;

/**
 * Makes this process the only quick start on the data folder until it ends, and checks that no centre runs there and that the port is
 * free. Throws CommandError otherwise, having changed nothing.
 */
export async function claim({ dataDir, host, port }: Pick<Config, 'dataDir' | 'host' | 'port'>): Promise<DataDirLock> {
  const file = readQuickstart(dataDir);
  const own = take(dataDir, 'quickstart');
  if (own instanceof DataDirInUseError) throw alreadyRunning(dataDir, file, own.pid);
  try {
    await awaitNoCentre(dataDir, file);
    await awaitNoWorker(file);
    await checkPort(host, port);
    return own;
  } catch (error) {
    own.release();
    throw error;
  }
}

function take(dataDir: string, name: 'quickstart' | 'server'): DataDirLock | DataDirInUseError {
  try {
    return DataDirLock.acquire(dataDir, name);
  } catch (error) {
    if (error instanceof DataDirInUseError) return error;
    throw error;
  }
}

async function awaitNoCentre(dataDir: string, file: QuickstartFile | null): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const server = take(dataDir, 'server');
    if (!(server instanceof DataDirInUseError)) return server.release();
    const leftover = file !== null && server.pid === file.pids.centre && !isAlive(file.pids.quickstart);
    if (performance.now() - startedAt > (leftover ? LEFTOVER_MS : MOMENT_MS)) {
      throw new CommandError(
        `a centre runs on ${dataDir} already${server.pid ? ` (process ${server.pid})` : ''}`,
        EXIT.failed,
        'nothing was changed. Stop it first, or start this one elsewhere: DATA_DIR=./data2 PORT=7301 npm run quickstart',
      );
    }
    await delay(100);
  }
}

/**
 * The worker of a quick start that was killed finishes what it runs and keeps the results for the centre. Until it has ended its
 * name and journal are its own, so the next worker waits for it and then delivers them.
 */
async function awaitNoWorker(file: QuickstartFile | null): Promise<void> {
  const pid = file?.pids.worker;
  if (pid === undefined || !isAlive(pid)) return;
  process.stderr.write(`The worker of the last start (process ${pid}) still finishes what it runs; waiting for it …\n`);
  const startedAt = performance.now();
  while (isAlive(pid) && performance.now() - startedAt < WORKER_LEFTOVER_MS) await delay(100);
}

function alreadyRunning(dataDir: string, file: QuickstartFile | null, pid: number | undefined): CommandError {
  const up = file !== null && isAlive(file.pids.centre) && file.pids.quickstart === pid;
  return new CommandError(
    `a quick start runs on ${dataDir} already${pid ? ` (process ${pid})` : ''}${up ? `: ${file.url}` : '; it is still coming up or going down'}`,
    EXIT.failed,
    `nothing was changed. Use that one, stop it${pid ? ` (Ctrl-C, or kill ${pid})` : ''}, or start another: DATA_DIR=./data2 PORT=7301 npm run quickstart`,
  );
}

async function checkPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, host, resolve));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? `port ${port} of ${host} is in use by another program`
        : `cannot listen on ${host}:${port}: ${message}`;
    throw new CommandError(
      why,
      EXIT.failed,
      'nothing was changed. Choose another: PORT=7301 npm run quickstart (PORT=0 takes a free one)',
    );
  }
  await new Promise((resolve) => probe.close(resolve));
}
