import type { Command } from 'commander';
import { PARTNER_SCOPES } from '../auth/access-key-rules.js';
import type { CreatedAccessKey } from '../auth/access-keys.service.js';
import type { AccessKeyRow } from '../auth/access-keys.store.js';
import { appDeed } from '../auth/app-deed.js';
import { DEFAULT_LIMITS } from '../auth/app-limits.js';
import type { App } from '../auth/apps.service.js';
import { rewrapDeed } from '../auth/secret-rewrap.service.js';
import { instantMs } from '../decisions/rfc3339.js';
import { withAdmin } from './admin-context.js';
import type { AdminServices } from './admin-services.js';
import { COMMAND, commandWitness, groupWitness } from './command-trail.js';
import { keyWitness } from './key-trail.js';
import { CommandError, columns, EXIT, print } from './output.js';

interface Json {
  json?: boolean;
}
interface Restrictions {
  scope?: string[];
  ip?: string[];
  expires?: string;
}
interface CreateFlags extends Json, Restrictions {
  app?: string;
  worker?: boolean;
  group: string[];
  grant?: string[];
  label?: string;
  mode?: string;
  rate?: number;
}
interface ChangeFlags extends Json, Restrictions {
  label?: string;
  grant?: string[];
}

const NOT_AGAIN = '# The secret is not shown again.';

/** keys create|list|change|rotate|disable|enable|delete|rewrap: access keys of partners and workers, straight in the database. */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('access keys of apps (ak_…) and workers (wk_…)');
  const command = (usage: string, description: string) =>
    keys.command(usage).description(description).option('--json', 'print JSON');
  const restricted = (usage: string, description: string, none: string) =>
    command(usage, description)
      .option('--scope <scope...>', `what it may do${none}`)
      .option('--ip <address...>', `addresses and CIDR ranges it may be used from${none}`)
      .option('--grant <key...>', `groups of its app it may use${none}`)
      .option('--expires <instant>', `RFC 3339 instant from which it is refused${none}`);
  restricted('create', 'create a key pair; the secret is shown this once', '; default: no restriction')
    .option('--app <name>', 'for the app of this name, which is created if there is none')
    .option('--worker', 'for workers of the groups')
    .option('--group <key...>', "groups; the first is the app's default. Missing ones are created", ['default'])
    .option('--label <text>', 'what the key is for')
    .option('--mode <mode>', 'live, or test for a sandbox', 'live')
    .option('--rate <n>', 'requests and tasks per second of a newly created app', Number)
    .action((flags: CreateFlags) => withAdmin((services) => create(services, flags)));
  command('list', 'keys without their secrets').action((flags: Json) => withAdmin((services) => list(services, flags)));
  restricted('change <accessKey>', 'change what a key may do; what is not stated stays', '; "any" lifts it')
    .option('--label <text>', 'what the key is for')
    .action((accessKey: string, flags: ChangeFlags) => withAdmin((services) => change(services, accessKey, flags)));
  command('rotate <accessKey>', 'create a second pair for the same app, with the same restrictions').action(
    (accessKey: string, flags: Json) => withAdmin((services) => rotate(services, accessKey, flags)),
  );
  for (const action of ['disable', 'enable'] as const)
    command(`${action} <accessKey>`, action === 'disable' ? 'refuse the key from now on' : 'accept the key again').action(
      (accessKey: string, flags: Json) => withAdmin((services) => setState(services, accessKey, action, flags)),
    );
  command('delete <accessKey>', 'delete a disabled key for good').action((accessKey: string, flags: Json) =>
    withAdmin((services) => remove(services, accessKey, flags)),
  );
  command(
    'rewrap',
    'wrap every stored secret with the key EK_KEK_CURRENT names, once every node has it in EK_KEKS; may be stopped and run again',
  ).action((flags: Json) => withAdmin((services) => rewrap(services, flags)));
}

async function create(services: AdminServices, flags: CreateFlags): Promise<void> {
  if (Boolean(flags.app) === Boolean(flags.worker)) throw new CommandError('say either --app <name> or --worker', EXIT.usage);
  if (flags.mode !== 'live' && flags.mode !== 'test') throw new CommandError('--mode is live or test', EXIT.usage);
  const groups = services.groups;
  const expiresAt = instantOption(flags.expires);
  for (const key of flags.group) await groups.ensure(key, {}, groupWitness(services.audit));
  const keys = services.keys;
  const common = { ipAllow: flags.ip, expiresAt, createdBy: COMMAND };
  if (!flags.app) {
    const pair = await keys.create(
      { kind: 'worker', groups: flags.group, label: flags.label ?? 'worker', ...common },
      await keyWitness(services, 'created'),
    );
    return print(flags.json, { ...pair, groups: flags.group }, [
      `EVENKEEL_WORKER_KEY=${pair.accessKey}`,
      `EVENKEEL_WORKER_SECRET=${pair.secret}`,
      `${NOT_AGAIN} Next: set both, and EVENKEEL_URL, and run: npx evenkeel worker`,
    ]);
  }
  const app = await appNamed(services, flags.app, flags);
  const label = flags.label ?? flags.app;
  const pair = await keys.create(
    {
      ...{ kind: 'partner', appId: app.id, label, mode: flags.mode, scopes: flags.scope, groups: flags.grant },
      ...common,
    },
    await keyWitness(services, 'created'),
  );
  print(flags.json, { ...pair, app: app.publicId, groups: flags.grant ?? app.groups }, [
    `# app ${app.publicId} (${app.name}), groups ${(flags.grant ?? app.groups).join(', ')}`,
    ...pairLines(pair),
    `${NOT_AGAIN} Next: set both, and EVENKEEL_URL, and run: npx evenkeel submit echo`,
  ]);
}

const pairLines = ({ accessKey, secret }: CreatedAccessKey): string[] => [
  `EVENKEEL_ACCESS_KEY=${accessKey}`,
  `EVENKEEL_SECRET_KEY=${secret}`,
];

async function appNamed(services: AdminServices, name: string, flags: CreateFlags): Promise<App> {
  const apps = services.apps;
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
  const witness = commandWitness(services.audit, appDeed('app.created'));
  return apps.create({ name, defaultGroup: flags.group[0] ?? 'default', groups: flags.group, limits }, witness);
}

async function list(services: AdminServices, { json }: Json): Promise<void> {
  const service = services.keys;
  const apps = await services.apps.list();
  const rows = [
    ...(await Promise.all(apps.map(async (app) => (await service.list(app.id)).map((key) => ({ key, owner: app.name }))))).flat(),
    ...(await service.list(null)).map((key) => ({ key, owner: 'workers' })),
  ].map(({ key, owner }) => ({ owner, ...shown(key) }));
  print(
    json,
    rows,
    columns([
      ['KEY', 'OF', 'LABEL', 'STATE', 'SECRET', 'EXPIRES', 'LAST USED'],
      ...rows.map((row) => [
        row.accessKey,
        row.owner,
        row.label,
        row.state,
        `…${row.last4}`,
        row.expiresAt ?? 'never',
        row.lastUsedAt ?? 'never',
      ]),
    ]),
  );
}

async function change(services: AdminServices, accessKey: string, flags: ChangeFlags): Promise<void> {
  const lifted = (values: string[] | undefined) => (values?.length === 1 && values[0] === 'any' ? null : values);
  const scopes = flags.scope?.includes('any') ? PARTNER_SCOPES : flags.scope;
  const found = await services.keys.change(
    accessKey,
    {
      ...{ label: flags.label, scopes, ipAllow: lifted(flags.ip), groups: lifted(flags.grant) },
      expiresAt: flags.expires === 'any' ? null : instantOption(flags.expires),
    },
    await keyWitness(services, 'changed'),
  );
  if (!found) throw noSuchKey(accessKey);
  await printKey(services, accessKey, flags, `${accessKey} is changed`);
}

async function rotate(services: AdminServices, accessKey: string, { json }: Json): Promise<void> {
  const pair = await services.keys.rotate(accessKey, undefined, await keyWitness(services, 'rotated'), COMMAND);
  if (!pair) throw noSuchKey(accessKey);
  const names = pair.accessKey.startsWith('wk_')
    ? [`EVENKEEL_WORKER_KEY=${pair.accessKey}`, `EVENKEEL_WORKER_SECRET=${pair.secret}`]
    : pairLines(pair);
  const expiresAt = (await services.keys.describe(pair.accessKey))?.expiresAt ?? null;
  print(json, { ...pair, replaces: accessKey, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() }, [
    ...names,
    ...(expiresAt === null
      ? []
      : [
          `It expires ${new Date(expiresAt).toISOString()} as that one does: \`npx evenkeel keys change --expires\` sets another instant.`,
        ]),
    `${NOT_AGAIN} Next: give it to those who use ${accessKey}; when \`keys list\` shows that nobody does any more, disable and delete that.`,
  ]);
}

async function setState(services: AdminServices, accessKey: string, action: 'disable' | 'enable', flags: Json): Promise<void> {
  if (!(await services.keys[action](accessKey, await keyWitness(services, `${action}d`)))) throw noSuchKey(accessKey);
  await printKey(services, accessKey, flags, `${accessKey} is ${action}d`);
}

async function remove(services: AdminServices, accessKey: string, { json }: Json): Promise<void> {
  const outcome = await services.keys.remove(accessKey, await keyWitness(services, 'deleted'));
  if (outcome === 'not_found') throw noSuchKey(accessKey);
  if (outcome === 'active')
    throw new CommandError(`${accessKey} is active`, EXIT.failed, `\`npx evenkeel keys disable ${accessKey}\` comes first`);
  print(json, { accessKey, deleted: true }, [`${accessKey} is deleted`]);
}

async function rewrap(services: AdminServices, { json }: Json): Promise<void> {
  const answer = await services.secretRewrap.rewrapAll(commandWitness(services.audit, rewrapDeed));
  print(json, answer, [
    `${answer.rewrapped} secrets were wrapped with ${answer.current}`,
    `Every node needs ${answer.current} in its EK_KEKS: one without it refuses what is signed with these secrets (503)`,
    ...answer.failed.map((name) => `${name} does not open with the keys in EK_KEKS and was left as it is`),
  ]);
  if (answer.failed.length > 0) process.exitCode = EXIT.failed;
}

async function printKey(services: AdminServices, accessKey: string, { json }: Json, line: string): Promise<void> {
  const key = await services.keys.describe(accessKey);
  print(json, key && shown(key), [line]);
}

/** What may be shown of a key, with instants for people. */
function shown(key: AccessKeyRow) {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    accessKey: key.accessKey,
    label: key.label,
    state: key.state,
    last4: key.last4,
    fingerprint: key.fingerprint,
    scopes: JSON.parse(key.scopesJson) as string[],
    groups: key.groupKeys === null ? null : (JSON.parse(key.groupKeys) as string[]),
    ipAllow: key.ipAllowJson === null ? null : (JSON.parse(key.ipAllowJson) as string[]),
    expiresAt: iso(key.expiresAt),
    lastUsedAt: iso(key.lastUsedAt),
    createdAt: iso(key.createdAt),
  };
}

function instantOption(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = instantMs(text);
  if (at === null) throw new CommandError('--expires is an RFC 3339 instant', EXIT.usage, 'for example 2026-12-31T00:00:00Z');
  return at;
}

const noSuchKey = (accessKey: string): CommandError =>
  new CommandError(`no key ${accessKey}`, EXIT.failed, '`npx evenkeel keys list` shows them');
