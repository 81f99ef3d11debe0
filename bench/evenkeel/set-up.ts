import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { CLI } from './centre.js';

export interface Access {
  group: string;
  app: { accessKey: string; secret: string };
  worker: { accessKey: string; secret: string };
}

const GROUP = 'bench';
/** Per second, requests and tasks: no quota of an app may be what is measured. */
const RATE = 1_000_000;

/**
 * Everything an operator does before the first task, with the operator's commands, on an empty database and before the centre
 * starts: migrate, give the group its quota, make an app that may use it and a key for each side.
 */
export function setUp(env: NodeJS.ProcessEnv, maxRunning: number): Access {
  if (!existsSync(CLI)) throw new Error('the commands are not built: src/cli/evenkeel.ts did not compile');
  const evenkeel = (...args: string[]) => execFileSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8' });
  evenkeel('migrate');
  evenkeel('groups', 'set', GROUP, '--max-running', String(maxRunning));
  const app = evenkeel('keys', 'create', '--app', GROUP, '--group', GROUP, '--rate', String(RATE), '--json');
  const worker = evenkeel('keys', 'create', '--worker', '--group', GROUP, '--json');
  return { group: GROUP, app: JSON.parse(app), worker: JSON.parse(worker) };
}
