import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigurationService } from '../jobs/configuration.service.js';
import { GroupsService } from '../jobs/groups.service.js';
import { withAdmin } from './admin-context.js';
import { CommandError, EXIT, print } from './output.js';

interface ImportFlags {
  dryRun?: boolean;
  onConflict: string;
  json?: boolean;
}

/** export, import: groups and the house's jobs as one file, straight from and into the database. */
export function addTransferCommands(program: Command): void {
  program
    .command('export [file]')
    .description('write groups and jobs as JSON, without ids, secrets and state; to stdout without a file')
    .option('--group <key...>', 'of these groups only')
    .action((file: string | undefined, { group }: { group?: string[] }) =>
      withAdmin(async (context) => {
        const groups = context.get(GroupsService).all();
        const missing = group?.find((key) => !groups.some((each) => each.key === key));
        if (missing !== undefined) throw new CommandError(`there is no group ${missing}`, EXIT.usage);
        const wanted = groups.filter(({ key }) => group?.includes(key) ?? true);
        const text = await context.get(ConfigurationService).export(wanted);
        if (file === undefined) process.stdout.write(text);
        else writeFileSync(file, text);
      }),
    );
  program
    .command('import <file>')
    .description('take such a file in; jobs arrive paused, and nothing is written unless all of it can be')
    .option('--dry-run', 'only say what would be done')
    .option('--on-conflict <what>', 'what is there and differs: skip or overwrite', 'skip')
    .option('--json', 'print JSON')
    .action(takeIn);
}

async function takeIn(file: string, { dryRun = false, onConflict, json }: ImportFlags): Promise<void> {
  if (onConflict !== 'skip' && onConflict !== 'overwrite')
    throw new CommandError('--on-conflict takes skip or overwrite', EXIT.usage);
  const text = readFileSync(file, 'utf8');
  const { items, errors } = await withAdmin((context) =>
    context.get(ConfigurationService).import({ text, dryRun, onConflict, by: 'cli', refusal: () => null }),
  );
  const done = items.map(({ type, group, key, action, diff }) => {
    const fields = action === 'create' ? '' : diff.map(({ field }) => ` ${field}`).join('');
    return `${action.padEnd(9)}  ${type.padEnd(5)}  ${type === 'job' ? `${group}/` : ''}${key}${fields}`;
  });
  const wrong = errors.map(
    ({ pointer, line, column, message }) => `${file}:${line ?? '?'}:${column ?? '?'}  ${pointer} ${message}`,
  );
  print(json, { dryRun, items, errors }, [...done, ...wrong]);
  if (errors.length > 0) throw new CommandError(`${errors.length} errors: nothing was written`, EXIT.failed);
}
