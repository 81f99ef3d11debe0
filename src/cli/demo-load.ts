import { createClient } from '@evenkeel/sdk/client';
import { type Command, InvalidArgumentError } from 'commander';
import { loadClientSettings } from '../platform/client-settings.js';
import { CallCounter } from './demo-load/call-counter.js';
import { type Figures, figuresOf, verdictLines } from './demo-load/figures.js';
import { Progress } from './demo-load/progress.js';
import { submitCalls, waitForAll } from './demo-load/run.js';
import { CommandError, EXIT, print } from './output.js';
import { isAlive, type QuickstartFile, readQuickstart } from './quickstart/quickstart-file.js';

const MOST_TASKS = 100_000;

export function addDemoLoadCommand(program: Command): void {
  program
    .command('demo-load')
    .description(
      'submit real HTTP calls to a running quick start and count every one; exit code 1 if any is lost, doubled or failed',
    )
    .option('--tasks <n>', 'how many', wholeNumber, 1000)
    .option('--json', 'print the figures as JSON')
    .action(async (flags: { tasks: number; json?: boolean }) => {
      const figures = await load(runningQuickstart(), flags.tasks);
      print(flags.json, figures, verdictLines(figures));
      process.exitCode = figures.ok ? EXIT.ok : EXIT.failed;
    });
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > MOST_TASKS)
    throw new InvalidArgumentError(`a whole number from 1 to ${MOST_TASKS}`);
  return value;
}

function runningQuickstart(): QuickstartFile {
  const file = readQuickstart(loadClientSettings().dataDir);
  if (file && isAlive(file.pids.centre) && isAlive(file.pids.worker)) return file;
  throw new CommandError(
    'no quick start is running on this DATA_DIR',
    EXIT.failed,
    'start one in another shell first: npm run quickstart',
  );
}

/** The worker calls back to a server of this process, so a call is counted where it arrives and by nobody who could be mistaken. */
async function load({ url, app, group }: QuickstartFile, tasks: number): Promise<Figures> {
  const client = createClient({ url, accessKey: app.accessKey, secretKey: app.secretKey });
  const counter = await CallCounter.listen();
  const progress = new Progress(tasks, () => counter.arrived);
  try {
    const submitted = await submitCalls(client, group, counter, tasks);
    const ended = await waitForAll(client, submitted, () => progress.oneMore());
    return figuresOf(tasks, submitted, ended, counter);
  } finally {
    progress.close();
    await counter.close();
    client.close();
  }
}
