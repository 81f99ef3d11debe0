import type { Command } from 'commander';
import type { AuditService } from '../auth/audit.service.js';
import type { Maintenance } from '../jobs/maintenance.js';
import type { Witness } from '../platform/witness.js';
import { withAdmin } from './admin-context.js';
import { COMMAND } from './command-trail.js';
import { CommandError, EXIT, print } from './output.js';

/** maintenance show|hold|release: the dispatch of all groups, straight in the database; every node follows with its next claim. */
export function addMaintenanceCommand(program: Command): void {
  const maintenance = program.command('maintenance').description('stop starting tasks of any group, and go on');
  maintenance
    .command('show')
    .description('the hold in force, if any')
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) => withAdmin(async (services) => show(services.systemSettings.maintenance, flags.json)));
  maintenance
    .command('hold')
    .description('start nothing more, on every node; what runs goes on, schedules fire and submits are accepted')
    .requiredOption('--reason <text>', 'why, for whoever wonders')
    .option('--until <instant>', 'end by itself at this RFC 3339 instant')
    .option('--for <minutes>', 'end by itself after so many minutes', Number)
    .option('--json', 'print JSON')
    .action(hold);
  maintenance
    .command('release')
    .description('end the hold')
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) =>
      withAdmin(async (services) => {
        const witness = witnessOf(services.audit, 'maintenance.released');
        if (!(await services.systemSettings.release(witness))) throw new CommandError('there is no hold', EXIT.failed);
        show(null, flags.json);
      }),
    );
}

async function hold(flags: { reason: string; until?: string; for?: number; json?: boolean }): Promise<void> {
  const { reason, until, for: minutes, json } = flags;
  if (until !== undefined && minutes !== undefined) throw new CommandError('--until or --for, not both', EXIT.usage);
  if (minutes !== undefined && !(minutes > 0)) throw new CommandError('--for takes minutes, more than 0', EXIT.usage);
  const stated = until === undefined ? null : Date.parse(until);
  if (Number.isNaN(stated)) throw new CommandError('--until takes an RFC 3339 instant', EXIT.usage);
  await withAdmin(async (services) => {
    const settings = services.systemSettings;
    const at = minutes === undefined ? stated : Math.round(Date.now() + minutes * 60_000);
    await settings.hold(reason, at, COMMAND, witnessOf(services.audit, 'maintenance.held'));
    show(settings.maintenance, json);
  });
}

const witnessOf =
  (audit: AuditService, action: string): Witness<Maintenance> =>
  async (tx, before, after) => {
    const shown = (hold: Maintenance | null) => hold && { reason: hold.reason, until: hold.until };
    const object = { type: 'setting', id: 'maintenance' };
    await audit.write(tx, { actor: COMMAND, action, object, before: shown(before), after: shown(after) });
  };

function show(hold: Maintenance | null, json: boolean | undefined): void {
  const until = hold?.until == null ? null : new Date(hold.until).toISOString();
  const shown = hold && { reason: hold.reason, until, by: hold.by, at: new Date(hold.at).toISOString() };
  print(json, { hold: shown }, [hold ? `held${until ? ` until ${until}` : ''}: ${hold.reason}` : 'not held']);
}
