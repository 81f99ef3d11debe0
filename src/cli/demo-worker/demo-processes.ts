import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '../../platform/client-settings.js';
import { CommandError, EXIT } from '../output.js';
import { isAlive, type QuickstartFile, readQuickstart } from '../quickstart/quickstart-file.js';
import type { WorkerNews } from './worker-process.js';

const COMMAND = join(__dirname, '..', 'evenkeel.js');
const WORKER = join(__dirname, 'worker-process.js');
const START_MS = 60_000;
const STOP_MS = 20_000;

/** A centre of its own in a folder that goes away, and workers beside it: processes that end with this one. */
export class DemoProcesses {
  readonly news = new Map<string, WorkerNews>();
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-demo-'));
  private readonly children: ChildProcess[] = [];

  async startCentre(): Promise<QuickstartFile> {
    const env = { ...childEnvironment({}), DATA_DIR: this.folder, PORT: '0', HOST: '127.0.0.1', DATABASE_URL: '', REDIS_URL: '' };
    const centre = this.launch('centre', COMMAND, ['quickstart'], env);
    const end = performance.now() + START_MS;
    for (;;) {
      const file = readQuickstart(this.folder);
      if (file !== null && isAlive(file.pids.centre)) return file;
      if (centre.exitCode !== null || performance.now() > end)
        throw new CommandError('the centre of the demonstration did not start', EXIT.failed, this.logOf('centre'));
      await delay(100);
    }
  }

  /** Its news begin when the centre has taken it. */
  startWorker(id: string, { url, worker, group }: QuickstartFile): void {
    const env = childEnvironment({ url, workerKey: worker.key, workerSecret: worker.secret });
    const child = this.launch(id, WORKER, [id, group, join(this.folder, id)], { ...env, DATA_DIR: this.folder });
    child.on('message', (news: WorkerNews) => this.news.set(id, news));
  }

  /** Workers first, so that they can deliver what they have. */
  async stop(): Promise<void> {
    for (const child of this.children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exit;
      clearTimeout(timer);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private launch(name: string, file: string, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
    const log = openSync(join(this.folder, `${name}.log`), 'w', 0o600);
    const child = fork(file, args, { env, stdio: ['ignore', log, log, 'ipc'], detached: true, execArgv: [] });
    closeSync(log);
    this.children.push(child);
    return child;
  }

  private logOf(name: string): string {
    return readFileSync(join(this.folder, `${name}.log`), 'utf8')
      .split('\n')
      .slice(-5)
      .join('\n  ');
  }
}
