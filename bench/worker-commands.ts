import { answerParent } from './child.js';
import { type RunAccount, RunLedger } from './run-ledger.js';

/** What every worker process of the bench answers; `S` is what its system needs to start it. */
export type WorkerCommands<S> = {
  start: (settings: S) => Promise<void>;
  begin: (run: { run: string; tasks: number }) => void;
  whole: (wait: { withinMs: number }) => Promise<void>;
  account: (nothing: null) => RunAccount;
};

/** Serves them. `start` gets the ledger to book into and returns how to stop. */
export function serveWorker<S>(start: (settings: S, ledger: RunLedger) => Promise<() => Promise<unknown>>): void {
  const ledger = new RunLedger();
  let stop: () => Promise<unknown> = async () => undefined;
  const commands: WorkerCommands<S> = {
    start: async (settings) => {
      stop = await start(settings, ledger);
    },
    begin: ({ run, tasks }) => ledger.begin(run, tasks),
    whole: ({ withinMs }) => ledger.whenWhole(withinMs),
    account: () => ledger.read(),
  };
  answerParent(commands, () => stop());
}
