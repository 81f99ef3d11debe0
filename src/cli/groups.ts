import type { Routing } from '@evenkeel/sdk/contract';
import type { Command } from 'commander';
import type { Group, GroupSettings } from '../jobs/group.js';
import { groupDeed } from '../jobs/group-deed.js';
import { withAdmin } from './admin-context.js';
import type { AdminServices } from './admin-services.js';
import { commandWitness, groupChangeWitness, groupWitness } from './command-trail.js';
import { CommandError, columns, EXIT, print } from './output.js';

interface SettingFlags {
  maxRunning?: number;
  maxPending?: number;
  maxDispatchRate?: number | null;
  routing?: string;
  policies?: object;
  json?: boolean;
}

/** groups list|create|set|hold|release|archive|unarchive: quotas, defaults and holds, straight in the database. */
export function addGroupsCommand(program: Command): void {
  const groups = program.command('groups').description('groups, their quotas and holds');
  groups
    .command('list')
    .description('groups with partition, quotas and holds')
    .option('--archived', 'archived ones too')
    .option('--json', 'print JSON')
    .action((flags: { archived?: boolean; json?: boolean }) =>
      withAdmin(async (services) => {
        const service = services.groups;
        const all = service.all().filter(({ archivedAt }) => flags.archived || archivedAt === null);
        const rows = all.map((group) => [
          group.key,
          `${group.partition}`,
          `${group.maxRunning}`,
          `${group.maxPending}`,
          group.maxDispatchRate === null ? '-' : `${group.maxDispatchRate}/s`,
          service.isHeld(group) ? heldText(group) : '-',
          ...(flags.archived ? [group.archivedAt === null ? '-' : new Date(group.archivedAt).toISOString()] : []),
        ]);
        const head = [
          'GROUP',
          'PARTITION',
          'MAX RUNNING',
          'MAX PENDING',
          'RATE',
          'HELD',
          ...(flags.archived ? ['ARCHIVED'] : []),
        ];
        print(flags.json, all, columns([head, ...rows]));
      }),
    );
  withSettings(groups.command('create <key>').description('create a group')).action((key: string, flags: SettingFlags) =>
    withAdmin(async (services) => {
      const outcome = await services.groups.create(key, settingsOf(flags), groupWitness(services.audit));
      if (outcome.outcome === 'key_taken')
        throw new CommandError(`there is a group ${key} already`, EXIT.failed, '`evenkeel groups set` changes it');
      show(outcome.group, flags.json);
    }),
  );
  withSettings(
    groups.command('set <key>').description('change what is stated, on every node at once; creates the group if there is none'),
  ).action((key: string, flags: SettingFlags) =>
    withAdmin(async (services) => {
      const service = services.groups;
      const changes = settingsOf(flags);
      const witness = groupWitness(services.audit);
      const created = await service.create(key, changes, witness);
      const outcome = created.outcome === 'created' ? created : await service.update(key, null, changes, witness);
      if ('group' in outcome) show(outcome.group, flags.json);
    }),
  );
  groups
    .command('hold <key>')
    .description('start no more of its tasks, on every node at once; submits are accepted')
    .requiredOption('--reason <text>', 'why, for whoever wonders')
    .option('--until <instant>', 'end by itself at this RFC 3339 instant')
    .option('--json', 'print JSON')
    .action((key: string, { reason, until, json }: { reason: string; until?: string; json?: boolean }) =>
      withAdmin(async ({ groups, audit }) => {
        const witness = groupChangeWitness(audit, 'group.held', reason);
        show(known(key, await groups.hold(key, reason, instantOf(until), witness)), json);
      }),
    );
  groups
    .command('release <key>')
    .description('end a hold')
    .option('--json', 'print JSON')
    .action((key: string, { json }: { json?: boolean }) =>
      withAdmin(async ({ groups, audit }) => {
        show(known(key, await groups.release(key, groupChangeWitness(audit, 'group.released'))), json);
      }),
    );
  groups
    .command('archive <key>')
    .description('take no new work for it, on every node at once; what is accepted runs and ends. Refused while it has jobs')
    .option('--reason <text>', 'why, for the audit log')
    .option('--json', 'print JSON')
    .action((key: string, flags: ArchiveFlags) => withAdmin((services) => archive(services, key, flags, 'archive')));
  groups
    .command('unarchive <key>')
    .description('take new work for it again')
    .option('--reason <text>', 'why, for the audit log')
    .option('--json', 'print JSON')
    .action((key: string, flags: ArchiveFlags) => withAdmin((services) => archive(services, key, flags, 'unarchive')));
}

interface ArchiveFlags {
  reason?: string;
  json?: boolean;
}

async function archive(
  { groups, audit }: AdminServices,
  key: string,
  { reason, json }: ArchiveFlags,
  what: 'archive' | 'unarchive',
): Promise<void> {
  const witness = commandWitness(audit, groupDeed(`group.${what}d`), reason);
  const outcome = await groups[what](key, witness);
  if (outcome.outcome === 'has_jobs')
    throw new CommandError(
      `the group ${key} has ${outcome.jobs} jobs, paused ones included: move or delete them first`,
      EXIT.failed,
    );
  if (outcome.outcome === 'unchanged')
    throw new CommandError(`the group ${key} is ${what === 'archive' ? 'archived already' : 'not archived'}`, EXIT.failed);
  show(known(key, outcome.outcome === 'changed' ? outcome.group : null), json);
}

const withSettings = (command: Command): Command =>
  command
    .option('--max-running <n>', 'tasks running at once over all workers', wholeNumber('--max-running'))
    .option('--max-pending <n>', 'tasks that may wait before submits are refused', wholeNumber('--max-pending'))
    .option('--max-dispatch-rate <n>', 'starts per second over all nodes, or none', (text) =>
      text === 'none' ? null : wholeNumber('--max-dispatch-rate')(text),
    )
    .option('--routing <strategy>', 'how workers are chosen')
    .option('--policies <json>', 'defaults of its tasks: priority, timeoutMs, retry, repeatable, crashRetries', policiesOption)
    .option('--json', 'print JSON');

const wholeNumber =
  (option: string) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${option} takes a whole number from 0`, EXIT.usage);
    return Number(text);
  };

function policiesOption(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new CommandError('--policies is not JSON', EXIT.usage, `for example --policies '{"priority": 7}'`);
  }
}

function settingsOf({ maxRunning, maxPending, maxDispatchRate, routing, policies }: SettingFlags): Partial<GroupSettings> {
  return {
    ...(maxRunning === undefined ? {} : { maxRunning }),
    ...(maxPending === undefined ? {} : { maxPending }),
    ...(maxDispatchRate === undefined ? {} : { maxDispatchRate }),
    ...(routing === undefined ? {} : { routing: routing as Routing }),
    ...(policies === undefined ? {} : { policies }),
  };
}

function instantOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new CommandError('--until takes an RFC 3339 instant', EXIT.usage);
  return at;
}

function known(key: string, group: Group | null): Group {
  if (group) return group;
  throw new CommandError(`there is no group ${key}`, EXIT.failed, '`evenkeel groups list` shows them');
}

const heldText = ({ holdReason, heldUntil }: Group): string =>
  `${holdReason ?? ''}${heldUntil === null ? '' : ` until ${new Date(heldUntil).toISOString()}`}`;

function show(group: Group, json: boolean | undefined): void {
  const rate = group.maxDispatchRate === null ? '' : `, ${group.maxDispatchRate} starts a second`;
  const held = group.held ? `, held: ${heldText(group)}` : '';
  const archived = group.archivedAt === null ? '' : `, archived since ${new Date(group.archivedAt).toISOString()}`;
  print(json, group, [`${group.key}: at most ${group.maxRunning} running${rate}${held}${archived}`]);
}
