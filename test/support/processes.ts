import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait-for.js';

const CLI = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'evenkeel.js');
const KEPT_LINES = 400;

/** A real process of the product under test: a node or a sample worker, from the built program. */
export class Process {
  /** The last lines it printed, for the message of a failed test. */
  readonly output: string[] = [];
  /** It said that it is ready. */
  ready = false;
  private readonly exited: Promise<unknown>;

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {
    this.exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output.push(...text.split('\n').filter(Boolean));
        this.output.splice(0, Math.max(0, this.output.length - KEPT_LINES));
      });
  }

  /** For a process that may never be ready. */
  static launch(name: string, args: string[], env: Record<string, string>): Process {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { PATH: process.env.PATH, NODE_ENV: 'test', LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const launched = new Process(name, child);
    child.once('message', () => {
      launched.ready = true;
    });
    return launched;
  }

  /** Resolves with what the process said when it was ready. */
  static async start<Ready>(
    name: string,
    args: string[],
    env: Record<string, string>,
  ): Promise<{ process: Process; ready: Ready }> {
    const started = Process.launch(name, args, env);
    let ready: Ready | undefined;
    started.child.on('message', (message) => {
      ready = message as Ready;
    });
    try {
      await waitFor(`${name} is ready`, () => ready !== undefined || started.hasEnded, 60_000);
    } catch (error) {
      await started.kill();
      throw new Error(`${name} is not ready, and last printed:\n${started.output.slice(-15).join('\n')}`, { cause: error });
    }
    if (ready === undefined) throw new Error(`${name} ended at its start:\n${started.output.join('\n')}`);
    return { process: started, ready };
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves with the exit code when it has ended by itself. */
  async end(): Promise<number | null> {
    if (!this.hasEnded) await this.exited;
    return this.child.exitCode;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill('SIGKILL');
    await this.exited;
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    if (!this.hasEnded) {
      this.child.kill('SIGCONT');
      this.child.kill('SIGTERM');
      await this.exited;
    }
    return this.child.exitCode;
  }
}

/** A folder that goes away with the test. */
export class Folder {
  readonly path: string;

  constructor(parent = tmpdir()) {
    this.path = mkdtempSync(join(parent, 'evenkeel-test-'));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
