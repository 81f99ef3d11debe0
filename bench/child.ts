import { type ChildProcess, fork } from 'node:child_process';

/** What a process of the bench can be asked to do. Arguments and answers are structured clones. */
export type Commands = Record<string, (argument: never) => unknown>;

interface Question {
  id: number;
  command: string;
  argument: unknown;
}
interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** Another process of the bench, asked over Node's IPC. It ends by itself when this process does. */
export class Child<C extends Commands> {
  private readonly process: ChildProcess;
  private readonly open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  private readonly exited: Promise<void>;
  private ids = 0;

  constructor(
    private readonly title: string,
    script: string,
  ) {
    this.process = fork(script, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.process.on('message', (message) => this.settle(message as Answer));
    this.exited = new Promise((resolve) => {
      this.process.once('exit', (code, signal) => {
        for (const { reject } of this.open.values()) reject(new Error(`${title} ended (${signal ?? code})`));
        this.open.clear();
        resolve();
      });
    });
  }

  ask<K extends keyof C & string>(command: K, argument: Parameters<C[K]>[0]): Promise<Awaited<ReturnType<C[K]>>> {
    if (this.process.exitCode !== null || !this.process.connected) return Promise.reject(new Error(`${this.title} has ended`));
    const id = ++this.ids;
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject });
      this.process.send({ id, command, argument } satisfies Question, (error) => error && reject(error));
    });
  }

  /** Closes the channel, which asks the process to end, and kills it if it has not within ten seconds. */
  async stop(): Promise<void> {
    if (this.process.connected) this.process.disconnect();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 10_000);
    await this.exited;
    clearTimeout(timer);
  }

  private settle({ id, value, error }: Answer): void {
    const waiting = this.open.get(id);
    this.open.delete(id);
    if (error !== undefined) waiting?.reject(new Error(`${this.title}: ${error}`));
    else waiting?.resolve(value as never);
  }
}

/** The other end: answers commands until the parent is gone, then cleans up and exits. */
export function answerParent<C extends Commands>(commands: C, close: () => Promise<unknown> | unknown = () => undefined): void {
  process.on('message', async (message) => {
    const { id, command, argument } = message as Question;
    let answer: Answer;
    try {
      answer = { id, value: await commands[command]?.(argument as never) };
    } catch (error) {
      answer = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    if (process.connected) process.send?.(answer);
  });
  process.once('disconnect', async () => {
    await close();
    process.exit(0);
  });
  // Ctrl-C reaches the whole process group: the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
}
