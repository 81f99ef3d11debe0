import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { WorkerOptions } from '../src/worker/index.js';
import { KEY, SECRET } from './fake-centre.js';

/** A worker as a real process, from the built SDK. */
export class WorkerProcess {
  readonly child: ChildProcess;
  errors = '';

  constructor(options: Partial<WorkerOptions> & Pick<WorkerOptions, 'centre'>) {
    const settings = JSON.stringify({ key: KEY, secret: SECRET, groups: ['g'], workerId: 'p1', ...options });
    this.child = spawn(process.execPath, [join(__dirname, 'worker-main.cjs'), settings], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    this.child.stderr?.on('data', (chunk) => {
      this.errors += chunk;
    });
  }

  get exited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.exited) {
      const exit = once(this.child, 'exit');
      this.child.kill(signal);
      await exit;
    }
    return this.child.exitCode;
  }
}
