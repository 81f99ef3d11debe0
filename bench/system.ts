import type { RunAccount } from './run-ledger.js';

/** Where the load generator submits. */
export interface Target {
  origin: string;
  accessKey: string;
  secret: string;
}

export const SYSTEM_NAMES = ['evenkeel', 'bullmq-aof', 'bullmq-none'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

/** After a run is whole, a second run of one of its tasks has this long to show itself. */
export const SETTLE_MS = 300;

/** A run that is over: what the worker saw, and when the last result was safe. */
export interface Ended extends RunAccount {
  /** Monotonic instant at which every result was as durable as the system makes it. */
  durableAt: number;
  /** Tasks that the system itself has recorded as succeeded. */
  recorded: number;
}

/** One contender: an HTTP front and one worker process behind it. */
export interface System {
  readonly name: SystemName;
  readonly target: Target;
  /** Before the first submit of a run. */
  begin(run: string, tasks: number): Promise<void>;
  /** Waits for the end of the run begun last. Returns, whole or not, when the time is over. */
  ended(withinMs: number): Promise<Ended>;
  stop(): Promise<void>;
  /** Evenkeel only: what a command needs in its environment to reach the same tables. */
  readonly env?: NodeJS.ProcessEnv;
}
