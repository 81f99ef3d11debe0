#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EvenkeelProblem } from '@evenkeel/sdk/client';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../platform/config.js';
import { CommandError, EXIT } from './output.js';

const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'package.json'), 'utf8')) as { version: string };

type Add = (program: Command) => void;
/**
 * Where each command is, in the order `--help` tells them. Only the one that is asked for is loaded: the modules of the centre take
 * as long to load as a worker takes to register.
 */
const COMMANDS: readonly [names: string, load: () => Promise<Add>][] = [
  ['quickstart', async () => (await import('./quickstart.js')).addQuickstartCommand],
  ['start', async () => (await import('./start.js')).addStartCommand],
  ['migrate', async () => (await import('./migrate.js')).addMigrateCommand],
  ['worker', async () => (await import('./worker.js')).addWorkerCommand],
  ['worker-check', async () => (await import('./worker-check.js')).addWorkerCheckCommand],
  ['submit get wait cancel retry', async () => (await import('./tasks.js')).addTaskCommands],
  ['tasks', async () => (await import('./task-logs.js')).addTaskLogsCommand],
  ['jobs', async () => (await import('./jobs.js')).addJobsCommand],
  ['keys', async () => (await import('./keys.js')).addKeysCommand],
  ['groups', async () => (await import('./groups.js')).addGroupsCommand],
  ['workers', async () => (await import('./workers.js')).addWorkersCommand],
  ['maintenance', async () => (await import('./maintenance.js')).addMaintenanceCommand],
  ['routing', async () => (await import('./routing.js')).addRoutingCommand],
  ['callbacks', async () => (await import('./callbacks.js')).addCallbacksCommand],
  ['export import', async () => (await import('./transfer.js')).addTransferCommands],
  ['users', async () => (await import('./users.js')).addUsersCommand],
  ['doctor', async () => (await import('./doctor.js')).addDoctorCommand],
  ['demo-load', async () => (await import('./demo-load.js')).addDemoLoadCommand],
  ['demo-worker', async () => (await import('./demo-worker.js')).addDemoWorkerCommand],
];

const program = new Command('evenkeel')
  .description('A distributed job scheduler: the scheduling centre, a sample worker and the commands around them.')
  .version(version)
  .showHelpAfterError('(--help shows what there is)')
  .exitOverride();

/** One line on stderr that says what is wrong, one that says what to do, and an exit code a script can use. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return;
  }
  const { message, hint, exitCode } = explained(error);
  process.stderr.write(`evenkeel: ${message}\n${hint ? `  ${hint}\n` : ''}`);
  process.exit(exitCode);
}

function explained(error: unknown): { message: string; hint?: string; exitCode: number } {
  if (error instanceof CommandError) return error;
  if (error instanceof ConfigError)
    return { message: error.message, hint: '.env.example describes every variable', exitCode: EXIT.usage };
  if (error instanceof EvenkeelProblem) {
    const fields = (error.problem.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
    return { message: `${error.code}: ${error.message}`, hint: fields || undefined, exitCode: EXIT.failed };
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'TransportError')
    return {
      message: `the centre did not answer: ${message}`,
      hint: 'is it running, and is the URL right?',
      exitCode: EXIT.unreachable,
    };
  return { message, exitCode: EXIT.failed };
}

/** All commands where none is named first: the help lists them, and a mistyped one is told of one that is like it. */
async function main(): Promise<void> {
  const asked = COMMANDS.filter(([names]) => names.split(' ').includes(process.argv[2] ?? ''));
  for (const [, load] of asked.length > 0 ? asked : COMMANDS) (await load())(program);
  await program.parseAsync();
}

main().catch(fail);
