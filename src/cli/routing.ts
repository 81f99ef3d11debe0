import { ROUTINGS, type Routing } from '@evenkeel/sdk/contract';
import type { Command } from 'commander';
import { routingDeed } from '../jobs/routing-deed.js';
import { withAdmin } from './admin-context.js';
import { commandWitness, groupWitness } from './command-trail.js';
import { CommandError, EXIT, print } from './output.js';

/** routing show|set: how workers are chosen, for all groups or for one; every node follows within two seconds. */
export function addRoutingCommand(program: Command): void {
  const routing = program.command('routing').description('how workers are chosen where a task or job does not say');
  routing
    .command('show')
    .description("the system's strategy and those of groups that have their own")
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) =>
      withAdmin(async (services) => {
        const system = services.systemSettings.routing;
        const own = services.groups.all();
        const groups = Object.fromEntries(own.flatMap(({ key, routing: stated }) => (stated ? [[key, stated]] : [])));
        print(flags.json, { system, groups }, [`system: ${system}`, ...Object.entries(groups).map(([key, r]) => `${key}: ${r}`)]);
      }),
    );
  routing
    .command('set <strategy>')
    .description(`one of ${ROUTINGS.join(', ')}; with --group also \`default\``)
    .option('--group <key>', 'for this group only')
    .option('--json', 'print JSON')
    .action(set);
}

async function set(strategy: string, { group, json }: { group?: string; json?: boolean }): Promise<void> {
  const stated = ROUTINGS.find((name) => name === strategy);
  if (!stated && !(strategy === 'default' && group !== undefined))
    throw new CommandError(`there is no strategy ${strategy}`, EXIT.usage, `one of ${ROUTINGS.join(', ')}`);
  await withAdmin(async (services) => {
    const { systemSettings, groups, audit } = services;
    if (group === undefined) await systemSettings.setRouting(stated as Routing, commandWitness(audit, routingDeed));
    else if (!(await groups.setRouting(group, stated ?? null, groupWitness(audit))))
      throw new CommandError(`there is no group ${group}`, EXIT.failed);
    print(json, { group: group ?? null, routing: stated ?? null }, [`${group ?? 'system'}: ${strategy}`]);
  });
}
