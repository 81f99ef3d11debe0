import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const KEPT = 20;

/** The worker under check as a process of this command's own. Ends with it. */
export class LaunchedWorker {
  private child: ChildProcess;
  private readonly lastLines: string[] = [];

  constructor(
    private readonly command: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.child = this.launch();
  }

  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
  /** How it ended, in words. */
  get end(): string {
    return this.child.signalCode ? `killed by ${this.child.signalCode}` : `exit code ${this.child.exitCode}`;
  }
  get exitCode(): number | null {
    return this.child.exitCode;
  }
  get output(): string[] {
    return [...this.lastLines];
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.ended) this.child.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.ended) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  /** kill -9, and once more from the beginning. */
  async restart(): Promise<void> {
    await this.kill();
    this.child = this.launch();
  }

  /** `exec`, so that signals reach the worker and not a shell around it. */
  private launch(): ChildProcess {
    const child = spawn(`exec ${this.command}`, { shell: true, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.lastLines.push(...text.split('\n').filter(Boolean));
        this.lastLines.splice(0, Math.max(0, this.lastLines.length - KEPT));
      });
    return child;
  }
}
