import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { childEnvironment } from '../platform/client-settings.js';
import { type Config, loadEmbeddedConfig } from '../platform/config.js';
import { withAdmin } from './admin-context.js';
import { CommandError, EXIT } from './output.js';
import { leaveWithParent } from './parent-process.js';
import { Child } from './quickstart/child.js';
import { prepare } from './quickstart/prepare.js';
import {
  type Credentials,
  keepCredentials,
  publishQuickstart,
  type QuickstartFile,
  readCredentials,
} from './quickstart/quickstart-file.js';
import { StopRequested, stopRequested } from './quickstart/stop-request.js';
import { summary } from './quickstart/summary.js';

const START_MS = 60_000;
const DRAIN_MS = 10_000;
const WORKER_SLOTS = 32;
const LOOPBACK = '127.0.0.0/8';
/** Of the demo app, to receivers on this machine and nowhere else private; what is stated in the environment counts more. */
const LOOPBACK_CALLBACKS = { CALLBACK_ALLOW_NETWORKS: LOOPBACK, CALLBACK_ALLOW_HTTP: 'true', CALLBACK_ALLOW_PORTS: '1-65535' };

export function addQuickstartCommand(program: Command): void {
  program
    .command('quickstart')
    .description('start a centre (embedded) and the sample worker on this machine, with keys to try them; Ctrl-C stops both')
    .action(async () => {
      leaveWithParent();
      const config = loadEmbeddedConfig();
      const { claim } = await import('./quickstart/claim.js');
      const lock = await claim(config);
      await run(config).finally(() => lock.release());
      process.exit(EXIT.ok);
    });
}

/**
 * Runs until it is asked to stop (then resolves) or one of the two processes ends by itself (then rejects, naming it). In either case
 * the worker stops before the centre, so that it can deliver what it has, and none is left behind.
 */
async function run(config: Config): Promise<void> {
  const children: Child[] = [];
  const asked = stopRequested(() => {
    for (const child of children) child.kill();
    process.exit(EXIT.failed);
  });
  const unlessEnded = <T>(step: Promise<T>): Promise<T> => Promise.race([step, asked, ...children.map(({ died }) => died)]);
  try {
    const file = await bringUp(config, children, unlessEnded);
    publishQuickstart(config.dataDir, file);
    say(...summary(file, config.dataDir, await answers(`${file.url}/openapi/docs`)));
    await unlessEnded(new Promise<never>(() => {}));
  } catch (error) {
    if (!(error instanceof StopRequested)) throw error;
    say('', `Stopping: the worker finishes what it runs (at most ${DRAIN_MS / 1000} s; Ctrl-C again kills it) …`);
  } finally {
    for (const child of children.reverse()) await child.stop(DRAIN_MS + 10_000);
    say('Stopped.');
  }
}

type Step = <T>(step: Promise<T>) => Promise<T>;

async function bringUp(config: Config, children: Child[], unlessEnded: Step): Promise<QuickstartFile> {
  say(`Embedded mode: one node, SQLite in ${config.dataDir}.`);
  const credentials = await prepareData(config);
  const logs = join(config.dataDir, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const launch = (name: string, args: string[], env: NodeJS.ProcessEnv): Child => {
    const child = new Child({ name, args, env, logPath: join(logs, `${name}.log`), show: (line) => say(line) });
    children.push(child);
    return child;
  };

  say('Starting the centre …');
  const centre = launch('centre', ['start'], { ...LOOPBACK_CALLBACKS, ...childEnvironment({}) });
  const { url = '' } = await unlessEnded(inTime('the centre to listen', centre.ready));
  await unlessEnded(inTime('the centre to hold its partitions', untilAnswers(`${url}/readyz`)));

  say('Starting the sample worker …');
  const args = ['worker', '--group', credentials.group, '--slots', `${WORKER_SLOTS}`, '--drain', `${DRAIN_MS}`];
  args.push('--data-dir', join(config.dataDir, 'worker'), '--open-network', LOOPBACK);
  const worker = launch(
    'worker',
    args,
    childEnvironment({ url, workerKey: credentials.worker.key, workerSecret: credentials.worker.secret }),
  );
  await unlessEnded(inTime('the worker to be registered', worker.ready));
  return { url, ...credentials, pids: { quickstart: process.pid, centre: centre.pid, worker: worker.pid } };
}

async function prepareData(config: Config): Promise<Credentials> {
  const earlier = readCredentials(config.dataDir);
  const { credentials, notes } = await withAdmin((services) => prepare(services, earlier, config.adminPassword));
  keepCredentials(config.dataDir, credentials);
  say(...notes);
  return credentials;
}

async function untilAnswers(url: string): Promise<void> {
  while (!(await answers(url))) await delay(100);
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(3000) })).ok;
  } catch {
    return false; // Not yet; whoever waits has a limit of its own.
  }
}

async function inTime<T>(what: string, step: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = delay(START_MS, undefined, { signal: timer.signal }).then(() => {
    throw new CommandError(
      `gave up waiting for ${what} after ${START_MS / 1000} s`,
      EXIT.failed,
      'the logs are in DATA_DIR/logs',
    );
  });
  late.catch(() => {}); // Aborted below.
  try {
    return await Promise.race([step, late]);
  } finally {
    timer.abort();
  }
}

function say(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
