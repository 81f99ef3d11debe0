import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { FILE_FORMATS, type FileFormat, ON_CONFLICT } from '../decisions/configuration-file.js';
import { groupImport } from '../jobs/group-import.js';
import { jobDeed } from '../jobs/job-deed.js';
import { withAdmin } from './admin-context.js';
import { commandWitness } from './command-trail.js';
import { CommandError, EXIT, print } from './output.js';

interface ImportFlags {
  dryRun?: boolean;
  onConflict: string;
  from?: string;
  group?: string;
  mapGroup?: string[];
  mapOwner?: string[];
  json?: boolean;
}

/** export, import: groups and the house's jobs as one file, straight from and into the database. */
export function addTransferCommands(program: Command): void {
  program
    .command('export [file]')
    .description('write groups and jobs as JSON or YAML, without ids, secrets and state; to stdout without a file')
    .option('--group <key...>', 'of these groups only')
    .option('--format <format>', 'json or yaml; without it as the name of the file ends, else json')
    .action((file: string | undefined, { group, format: stated }: { group?: string[]; format?: string }) =>
      withAdmin(async (services) => {
        const format = formatOf(stated, file);
        const groups = services.groups.all();
        const missing = group?.find((key) => !groups.some((each) => each.key === key));
        if (missing !== undefined) throw new CommandError(`there is no group ${missing}`, EXIT.usage);
        const wanted = groups.filter(({ key }) => group?.includes(key) ?? true);
        const text = await services.configuration.export(wanted, undefined, undefined, format);
        if (file === undefined) process.stdout.write(text);
        else writeFileSync(file, text);
      }),
    );
  program
    .command('import <file>')
    .description('take such a file in, JSON or YAML; jobs arrive paused, and nothing is written unless all of it can be')
    .option('--dry-run', 'only say what would be done')
    .option('--on-conflict <what>', 'what is there and differs: skip, overwrite or rename', 'skip')
    .option(
      '--from <what>',
      'the file is of another scheduler: xxl-job (rows of xxl_job_info as JSON) or powerjob (of job_info); needs --group',
    )
    .option('--group <key>', 'where the jobs of another scheduler go')
    .option('--map-group <from=to...>', 'take what the file has in one group into another')
    .option('--map-owner <from=to...>', 'take jobs of one owner in as jobs of another')
    .option('--json', 'print JSON')
    .action(takeIn);
}

function formatOf(stated: string | undefined, file: string | undefined): FileFormat {
  if (stated === undefined) return /\.ya?ml$/i.test(file ?? '') ? 'yaml' : 'json';
  const format = FILE_FORMATS.find((each) => each === stated);
  if (format === undefined) throw new CommandError(`--format takes ${FILE_FORMATS.join(', ')}`, EXIT.usage);
  return format;
}

function pairsOf(option: string, stated: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    stated.map((text) => {
      const at = text.indexOf('=');
      if (at < 1 || at === text.length - 1) throw new CommandError(`${option} takes from=to`, EXIT.usage);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

async function takeIn(file: string, flags: ImportFlags): Promise<void> {
  const { dryRun = false, onConflict: stated, from, group, json } = flags;
  const names = { groups: pairsOf('--map-group', flags.mapGroup), owners: pairsOf('--map-owner', flags.mapOwner) };
  const onConflict = ON_CONFLICT.find((each) => each === stated);
  if (onConflict === undefined) throw new CommandError(`--on-conflict takes ${ON_CONFLICT.join(', ')}`, EXIT.usage);
  const written = readFileSync(file, 'utf8');
  const { items, errors } = await withAdmin(async (services) => {
    const text = from === undefined ? written : await converted(written, from, group, services.config.defaultTimezone);
    return services.configuration.import({
      text,
      dryRun,
      onConflict,
      names,
      by: 'cli',
      refusal: () => null,
      groupWitness: commandWitness(services.audit, groupImport),
      jobWitness: commandWitness(services.audit, jobDeed('job.imported', services.groups)),
    });
  });
  const done = items.map(({ type, group, key, renamedFrom, action, diff }) => {
    const fields = action === 'create' ? '' : diff.map(({ field }) => ` ${field}`).join('');
    return `${action.padEnd(9)}  ${type.padEnd(5)}  ${type === 'job' ? `${group}/` : ''}${key}${renamedFrom === null ? '' : ` (${renamedFrom} in the file)`}${fields}`;
  });
  const wrong = errors.map(
    ({ pointer, line, column, message }) => `${file}:${line ?? '?'}:${column ?? '?'}  ${pointer} ${message}`,
  );
  print(json, { dryRun, items, errors }, [...done, ...wrong]);
  if (errors.length > 0) throw new CommandError(`${errors.length} errors: nothing was written`, EXIT.failed);
}

/** What is different in the file afterwards goes to stderr, beside what becomes of each job. */
async function converted(text: string, from: string, group: string | undefined, timeZone: string): Promise<string> {
  // Its readers of schedules take as long to load as the rest of the help.
  const { CONVERTED_FROM, convertJobs, whyNotConverted } = await import('../decisions/convert-jobs.js');
  const source = CONVERTED_FROM.find((each) => each === from);
  if (source === undefined) throw new CommandError(`--from takes ${CONVERTED_FROM.join(', ')}`, EXIT.usage);
  if (group === undefined) throw new CommandError('--from needs --group', EXIT.usage);
  const conversion = convertJobs(source, text, { group, timeZone });
  if (!conversion) throw new CommandError(`the file cannot be converted: ${whyNotConverted(source, text)}`, EXIT.failed);
  for (const { code, jobs } of conversion.notes) process.stderr.write(`${code}: ${jobs.join(', ')}\n`);
  return conversion.text;
}
