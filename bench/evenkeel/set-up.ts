import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { openBackends } from '../../src/backends/backends.js';
import { runMigrations } from '../../src/backends/migrate.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { loadConfig } from '../../src/platform/config.js';
import type { SqlDialect } from '../../src/ports.js';
import { CLI } from './centre.js';

export interface Access {
  group: string;
  app: { accessKey: string; secretKey: string };
  worker: { key: string; secret: string };
}

const GROUP = 'bench';
/** No quota of an app may be what is measured. */
const UNLIMITED = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000, tasksPerSecond: 1_000_000, taskBurst: 1_000_000 };

/**
 * Everything an operator does before the first task, on an empty database and before the centre starts: migrate, make the group
 * with its quota, make an app that may use it and is not limited, and a key for each side.
 */
export async function setUp(env: NodeJS.ProcessEnv, maxRunning: number): Promise<Access> {
  const backends = await openBackends(loadConfig(env), 'migrate');
  try {
    await runMigrations(backends.dataSource);
    await makeGroup(backends.dialect, maxRunning);
  } finally {
    await backends.close();
  }
  return { group: GROUP, ...makeKeys(env) };
}

async function makeGroup(dialect: SqlDialect, maxRunning: number): Promise<void> {
  const store = new GroupStore(dialect);
  await store.ensure(dialect.root, GROUP, { maxRunning, maxPending: 10_000_000 }, Date.now());
  await store.setMaxRunning(dialect.root, GROUP, maxRunning);
}

/** Keys come from the command line only: it alone knows how secrets are sealed. */
function makeKeys(env: NodeJS.ProcessEnv): Pick<Access, 'app' | 'worker'> {
  const app = keysCommand(env, ['app', '--name', 'bench', '--group', GROUP, '--limits', JSON.stringify(UNLIMITED)]);
  const worker = keysCommand(env, ['worker', '--name', 'bench', '--group', GROUP]);
  return {
    app: { accessKey: app.accessKey, secretKey: app.secretKey },
    worker: { key: worker.accessKey, secret: worker.secretKey },
  };
}

function keysCommand(env: NodeJS.ProcessEnv, args: string[]): { accessKey: string; secretKey: string } {
  if (!existsSync(CLI)) throw new Error('keys cannot be made: src/cli/evenkeel.ts is missing or did not compile');
  const output = execFileSync(process.execPath, [CLI, 'keys', 'create', ...args, '--json'], { env, encoding: 'utf8' });
  return JSON.parse(output);
}
