#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EvenkeelProblem } from '@evenkeel/sdk/client';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../platform/config.js';
import { addCallbacksCommand } from './callbacks.js';
import { addDemoLoadCommand } from './demo-load.js';
import { addDemoWorkerCommand } from './demo-worker.js';
import { addDoctorCommand } from './doctor.js';
import { addGroupsCommand } from './groups.js';
import { addJobsCommand } from './jobs.js';
import { addKeysCommand } from './keys.js';
import { addMigrateCommand } from './migrate.js';
import { CommandError, EXIT } from './output.js';
import { addQuickstartCommand } from './quickstart.js';
import { addRoutingCommand } from './routing.js';
import { addStartCommand } from './start.js';
import { addTaskCommands } from './tasks.js';
import { addTransferCommands } from './transfer.js';
import { addUsersCommand } from './users.js';
import { addWorkerCommand } from './worker.js';
import { addWorkerCheckCommand } from './worker-check.js';
import { addWorkersCommand } from './workers.js';

const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'package.json'), 'utf8')) as { version: string };

const program = new Command('evenkeel')
  .description('A distributed job scheduler: the scheduling centre, a sample worker and the commands around them.')
  .version(version)
  .showHelpAfterError('(--help shows what there is)')
  .exitOverride();

addQuickstartCommand(program);
addStartCommand(program);
addMigrateCommand(program);
addWorkerCommand(program);
addWorkerCheckCommand(program);
addTaskCommands(program);
addJobsCommand(program);
addKeysCommand(program);
addGroupsCommand(program);
addWorkersCommand(program);
addRoutingCommand(program);
addCallbacksCommand(program);
addTransferCommands(program);
addUsersCommand(program);
addDoctorCommand(program);
addDemoLoadCommand(program);
addDemoWorkerCommand(program);

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

program.parseAsync().catch(fail);
