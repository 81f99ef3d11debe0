import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { AccessKeysService } from '../auth/access-keys.service.js';
import { DEFAULT_LIMITS } from '../auth/app-limits.js';
import { type App, AppsService } from '../auth/apps.service.js';
import { GroupsService } from '../jobs/groups.service.js';
import { withAdmin } from './admin-context.js';
import { CommandError, columns, EXIT, print } from './output.js';

interface CreateFlags {
  app?: string;
  worker?: boolean;
  group: string[];
  label?: string;
  rate?: number;
  json?: boolean;
}

/** keys create|list|disable|enable: access keys of partners and workers, straight in the database. */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('access keys of apps (ak_…) and workers (wk_…)');
  keys
    .command('create')
    .description('create a key pair; the secret is shown this once')
    .option('--app <name>', 'for the app of this name, which is created if there is none')
    .option('--worker', 'for workers of the groups')
    .option('--group <key...>', "groups; the first is the app's default. Missing ones are created", ['default'])
    .option('--label <text>', 'what the key is for')
    .option('--rate <n>', 'requests and tasks per second of a newly created app', Number)
    .option('--json', 'print JSON')
    .action((flags: CreateFlags) => withAdmin((context) => create(context, flags)));
  keys
    .command('list')
    .description('keys without their secrets')
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) => withAdmin((context) => list(context, flags.json)));
  for (const action of ['disable', 'enable'] as const)
    keys
      .command(`${action} <accessKey>`)
      .description(action === 'disable' ? 'refuse the key from now on' : 'accept the key again')
      .action((accessKey: string) => withAdmin((context) => setState(context, accessKey, action)));
}

async function create(context: INestApplicationContext, flags: CreateFlags): Promise<void> {
  if (Boolean(flags.app) === Boolean(flags.worker)) throw new CommandError('say either --app <name> or --worker', EXIT.usage);
  const groups = context.get(GroupsService);
  for (const key of flags.group) await groups.ensure(key);
  const keys = context.get(AccessKeysService);
  if (!flags.app) {
    const pair = await keys.create({ kind: 'worker', groups: flags.group, label: flags.label ?? 'worker' });
    return print(flags.json, { ...pair, groups: flags.group }, [
      `EVENKEEL_WORKER_KEY=${pair.accessKey}`,
      `EVENKEEL_WORKER_SECRET=${pair.secret}`,
      '# The secret is not shown again. Next: set both, and EVENKEEL_URL, and run: npx evenkeel worker',
    ]);
  }
  const app = await appNamed(context, flags.app, flags);
  const pair = await keys.create({ kind: 'partner', appId: app.id, label: flags.label ?? flags.app });
  print(flags.json, { ...pair, app: app.publicId, groups: app.groups }, [
    `# app ${app.publicId} (${app.name}), groups ${app.groups.join(', ')}`,
    `EVENKEEL_ACCESS_KEY=${pair.accessKey}`,
    `EVENKEEL_SECRET_KEY=${pair.secret}`,
    '# The secret is not shown again. Next: set both, and EVENKEEL_URL, and run: npx evenkeel submit echo',
  ]);
}

async function appNamed(context: INestApplicationContext, name: string, flags: CreateFlags): Promise<App> {
  const apps = context.get(AppsService);
  const existing = (await apps.list()).find((app) => app.name === name);
  if (existing) return existing;
  const { rate } = flags;
  const limits = rate
    ? {
        requestsPerSecond: rate,
        requestBurst: rate,
        tasksPerSecond: rate,
        taskBurst: Math.max(rate, 500),
        unfinishedTasks: Math.max(rate * 100, DEFAULT_LIMITS.unfinishedTasks),
      }
    : undefined;
  return apps.create({ name, defaultGroup: flags.group[0] ?? 'default', groups: flags.group, limits });
}

async function list(context: INestApplicationContext, json?: boolean): Promise<void> {
  const service = context.get(AccessKeysService);
  const apps = await context.get(AppsService).list();
  const rows = [
    ...(await Promise.all(apps.map(async (app) => (await service.list(app.id)).map((key) => ({ key, owner: app.name }))))).flat(),
    ...(await service.list(null)).map((key) => ({ key, owner: 'workers' })),
  ].map(({ key, owner }) => ({
    accessKey: key.accessKey,
    owner,
    label: key.label,
    state: key.state,
    last4: key.last4,
    fingerprint: key.fingerprint,
  }));
  print(
    json,
    rows,
    columns([
      ['KEY', 'OF', 'LABEL', 'STATE', 'SECRET'],
      ...rows.map((row) => [row.accessKey, row.owner, row.label, row.state, `…${row.last4}`]),
    ]),
  );
}

async function setState(context: INestApplicationContext, accessKey: string, action: 'disable' | 'enable'): Promise<void> {
  const found = await context.get(AccessKeysService)[action](accessKey);
  if (!found) throw new CommandError(`no key ${accessKey}`, EXIT.failed, '`npx evenkeel keys list` shows them');
  print(false, null, [`${accessKey} is ${action}d`]);
}
