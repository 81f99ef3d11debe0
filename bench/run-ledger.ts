import { monotonicMs } from './monotonic.js';

/** What travels in the parameters of every task: which run it belongs to and its number in it. */
export interface TaskMark {
  run: string;
  index: number;
}

/** What a worker saw of one run. */
export interface RunAccount {
  /** Monotonic instant of each task's first start; NaN if it never started. */
  startedAt: Float64Array;
  /** Monotonic instant of the last completion. */
  lastCompletedAt: number;
  completed: number;
  /** Starts beyond the first of a task. */
  repeatedStarts: number;
  /** Starts of tasks of another run. */
  strays: number;
}

/** A worker's book of the run under way: each task once, or it shows. */
export class RunLedger {
  private run = '';
  private account: RunAccount = emptyAccount(0);
  private whole: (() => void) | undefined;

  begin(run: string, tasks: number): void {
    this.run = run;
    this.account = emptyAccount(tasks);
  }

  started({ run, index }: TaskMark): void {
    const { account } = this;
    if (run !== this.run) account.strays++;
    else if (Number.isNaN(account.startedAt[index])) account.startedAt[index] = monotonicMs();
    else account.repeatedStarts++;
  }

  completed({ run }: TaskMark): void {
    if (run !== this.run) return;
    const { account } = this;
    account.completed++;
    account.lastCompletedAt = monotonicMs();
    if (account.completed >= account.startedAt.length) this.whole?.();
  }

  /** Resolves once as many completions as tasks were booked, or when the time is over. */
  async whenWhole(withinMs: number): Promise<void> {
    if (this.account.completed >= this.account.startedAt.length) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.whole = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.whole = undefined;
  }

  read(): RunAccount {
    return this.account;
  }
}

function emptyAccount(tasks: number): RunAccount {
  const startedAt = new Float64Array(tasks).fill(Number.NaN);
  return { startedAt, lastCompletedAt: Number.NaN, completed: 0, repeatedStarts: 0, strays: 0 };
}
