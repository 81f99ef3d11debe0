import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface ServerStart {
  title: string;
  command: string;
  args: string[];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  /** Resolves true once it serves. Asked every 100 ms. */
  ready: () => Promise<boolean>;
  withinMs?: number;
}

/** A server this bench started itself, with its output in a file that is quoted when it fails. */
export class ServerProcess {
  private static readonly running = new Set<ServerProcess>();
  private static closed = false;

  /** Stops what is still running, also what is only just starting, and starts nothing any more. */
  static async stopAll(): Promise<void> {
    ServerProcess.closed = true;
    await Promise.all([...ServerProcess.running].map((server) => server.stop()));
  }

  private constructor(
    private readonly child: ChildProcess,
    private readonly exited: Promise<void>,
  ) {}

  static async start(start: ServerStart): Promise<ServerProcess> {
    if (ServerProcess.closed) throw new Error(`${start.title} is not started: the bench is ending`);
    const log = openSync(start.logFile, 'a');
    // A group of its own: Ctrl-C must reach the servers through us only, after the processes that use them.
    const child = spawn(start.command, start.args, {
      stdio: ['ignore', log, log],
      env: start.env ?? process.env,
      detached: true,
    });
    closeSync(log);
    let failure: Error | undefined;
    const exited = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        failure = error;
        resolve();
      });
      child.once('exit', (code, signal) => {
        failure ??= new Error(`${start.title} ended (${signal ?? code})\n${tail(start.logFile)}`);
        resolve();
      });
    });
    const server = new ServerProcess(child, exited);
    ServerProcess.running.add(server);
    exited.then(() => ServerProcess.running.delete(server));
    const end = Date.now() + (start.withinMs ?? 60_000);
    while (!(await start.ready())) {
      if (failure) throw failure;
      if (Date.now() > end) {
        await server.stop();
        throw new Error(`${start.title} was not ready in time\n${tail(start.logFile)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return server;
  }

  /** SIGTERM, then SIGKILL after ten seconds. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await this.exited;
    clearTimeout(timer);
  }
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-20).join('\n');
}
