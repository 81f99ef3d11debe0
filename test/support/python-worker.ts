import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Folder } from './processes.js';

const SCRIPT = join(__dirname, '..', '..', 'examples', 'python-worker', 'worker.py');

export interface PythonWorkerOptions {
  url: string;
  key: { accessKey: string; secret: string };
  id: string;
  groups?: string[];
  slots?: number;
  folder?: Folder;
}

/** The worker of examples/python-worker as a process. */
export class PythonWorker {
  readonly output: string[] = [];
  readonly folder: Folder;
  private readonly child: ChildProcess;

  constructor({ url, key, id, groups = ['default'], slots = 4, folder = new Folder() }: PythonWorkerOptions) {
    this.folder = folder;
    this.child = spawn('python3', ['-u', '-B', SCRIPT], {
      env: {
        PATH: process.env.PATH,
        EVENKEEL_URL: url,
        EVENKEEL_WORKER_KEY: key.accessKey,
        EVENKEEL_WORKER_SECRET: key.secret,
        EVENKEEL_GROUPS: groups.join(','),
        WORKER_ID: id,
        WORKER_SLOTS: String(slots),
        WORKER_DATA_DIR: folder.path,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let rest = '';
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.output.push(...lines.filter(Boolean));
    });
  }

  /** The fields of the first line with this message. */
  said(message: string): Record<string, unknown> | undefined {
    return this.lines.find((line) => line.message === message);
  }

  get lines(): Record<string, unknown>[] {
    return this.output.filter((line) => line.startsWith('{') && line.endsWith('}')).map((line) => JSON.parse(line));
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves with the exit code. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (!this.hasEnded) {
      const exit = once(this.child, 'exit');
      this.child.kill(signal);
      await exit;
    }
    return this.child.exitCode;
  }
}
