import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, EXIT } from '../output.js';
import { LogTail } from './log-tail.js';

const COMMAND = join(__dirname, '..', 'evenkeel.js');

export interface ChildOptions {
  name: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Emptied first: the log holds one start. */
  logPath: string;
  show: (line: string) => void;
}

/**
 * One command as a process of its own that writes to a log file and never outlives this process: it holds the other end of an IPC
 * channel and leaves when that closes. It has a process group of its own, so that a terminal's Ctrl-C reaches only this process,
 * which then stops its children in order.
 */
export class Child {
  readonly name: string;
  readonly pid: number;
  /** What the command reported when it was up. Never settles if it dies before; `died` does. */
  readonly ready: Promise<{ url?: string }>;
  /** Rejects when it ends without `stop` having been called. */
  readonly died: Promise<never>;
  private readonly process: ChildProcess;
  private readonly exited: Promise<void>;
  private stopping = false;

  constructor({ name, args, env, logPath, show }: ChildOptions) {
    this.name = name;
    const log = openSync(logPath, 'w', 0o600);
    const tail = new LogTail(logPath, (line) => show(`${name}: ${line}`));
    this.process = fork(COMMAND, args, { env, stdio: ['ignore', log, log, 'ipc'], detached: true, execArgv: [] });
    closeSync(log);
    this.pid = this.process.pid ?? 0;
    this.ready = new Promise((resolve) => {
      this.process.on('message', (message: { ready?: boolean; url?: string }) => message.ready && resolve(message));
    });
    const ended = new Promise<string>((resolve) => {
      this.process.once('error', (error) => resolve(error.message));
      this.process.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
    });
    this.exited = ended.then(() => tail.close());
    this.died = Promise.all([ended, this.exited]).then(([how]) => {
      if (this.stopping) return new Promise<never>(() => {});
      throw new CommandError(
        `the ${name} ended by itself (${how})`,
        EXIT.failed,
        [`its log is ${logPath}; it ends with`, ...tail.lastLines()].join('\n  '),
      );
    });
    this.died.catch(() => {}); // Whoever waits for it hears of it; nobody may be waiting any more.
  }

  /** Asks it to stop and waits; kills it after `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    this.stopping = true;
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), limitMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.stopping = true;
    this.process.kill('SIGKILL');
  }
}
