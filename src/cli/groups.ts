import type { Command } from 'commander';
import { GroupsService } from '../jobs/groups.service.js';
import { withAdmin } from './admin-context.js';
import { CommandError, columns, EXIT, print } from './output.js';

/** groups list|set: quotas, straight in the database. */
export function addGroupsCommand(program: Command): void {
  const groups = program.command('groups').description('groups and their quotas');
  groups
    .command('list')
    .description('groups with partition and quotas')
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) =>
      withAdmin(async (context) => {
        const all = context.get(GroupsService).all();
        print(
          flags.json,
          all,
          columns([
            ['GROUP', 'PARTITION', 'MAX RUNNING', 'MAX PENDING'],
            ...all.map((group) => [group.key, `${group.partition}`, `${group.maxRunning}`, `${group.maxPending}`]),
          ]),
        );
      }),
    );
  groups
    .command('set <key>')
    .description('create the group if there is none, and set its quota; every node follows within two seconds')
    .requiredOption('--max-running <n>', 'tasks running at once over all workers', Number)
    .action((key: string, { maxRunning }: { maxRunning: number }) => {
      if (!Number.isInteger(maxRunning) || maxRunning < 0)
        throw new CommandError('--max-running takes a whole number from 0', EXIT.usage);
      return withAdmin(async (context) => {
        await context.get(GroupsService).ensure(key, { maxRunning });
        print(false, null, [`${key}: at most ${maxRunning} running`]);
      });
    });
}
