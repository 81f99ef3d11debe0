import type { CheckRun } from './check-run.js';

/** One rule of the protocol. Throws Fault for the first breach that makes the rest pointless, returns the others; [] = all well. */
export interface Check {
  title: string;
  run(run: CheckRun): Promise<string[] | undefined>;
}

export interface Finding {
  check: string;
  verdict: 'ok' | 'fault' | 'skipped';
  /** What is wrong, or why it was not checked. */
  says: string[];
}
