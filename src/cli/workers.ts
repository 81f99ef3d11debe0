import type { Command } from 'commander';
import { cordonDeed, drainDeed, forgetDeed } from '../dispatch/drain-deeds.js';
import type { DrainWarning } from '../dispatch/drains.service.js';
import { KnownWorker } from '../registry/known-worker.js';
import { type StoredWorker, SUSPECT_AFTER_MS, shownStateOf } from '../registry/worker.js';
import { withAdmin } from './admin-context.js';
import type { AdminServices } from './admin-services.js';
import { commandWitness } from './command-trail.js';
import { CommandError, columns, EXIT, print } from './output.js';

/** workers list|drain|undrain|cordon|uncordon|remove: straight in the database; every node follows within a second. */
export function addWorkersCommand(program: Command): void {
  const workers = program.command('workers').description('workers on record; take them out of service and back');
  workers
    .command('list')
    .description('workers with their state and what they run')
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) =>
      withAdmin(async (services) => {
        const now = services.clock.now();
        const all = (await services.drains.list()).map((row) => shown(row, now));
        print(
          flags.json,
          all,
          columns([
            ['WORKER', 'STATE', 'GROUPS', 'ACTIVE', 'QUEUED', 'FREE', 'LAST BEAT'],
            ...all.map((row) => [
              row.id,
              [
                row.state,
                ...(row.drainAsked ? ['drain asked'] : []),
                ...(row.cordoned && row.state !== 'cordoned' ? ['cordoned'] : []),
              ].join(', '),
              row.groups.join(' '),
              `${row.active}`,
              `${row.queued}`,
              `${row.freeSlots}`,
              row.lastBeatAt,
            ]),
          ]),
        );
      }),
    );
  workers
    .command('drain <workerId>')
    .description('no more orders for the worker, over restarts of it, until undrain')
    .option('--reason <text>', 'shown to others')
    .option('--deadline <seconds>', 'stop what still runs after this long; others run it again', Number)
    .option('--json', 'print JSON')
    .action(drain);
  workers
    .command('undrain <workerId>')
    .description('orders for the worker again')
    .option('--json', 'print JSON')
    .action((id: string, flags: { json?: boolean }) =>
      withAdmin(async (services) => {
        const deed = drainDeed('worker.drain_undone', await groupsOf(services, id));
        if (!(await services.drains.undrain(id, commandWitness(services.audit, deed)))) throw unknown(id);
        print(flags.json, { id, drainAsked: false }, [`${id} takes orders again`]);
      }),
    );
  addCordons(workers);
}

function addCordons(workers: Command): void {
  workers
    .command('cordon <workerId>')
    .description('no new orders for the worker, over restarts of it, until uncordon; what it has goes on and it is not told')
    .option('--reason <text>', 'shown to others')
    .option('--json', 'print JSON')
    .action((id: string, { reason = null, json }: { reason?: string | null; json?: boolean }) =>
      withAdmin(async (services) => {
        const deed = cordonDeed('worker.cordoned', await groupsOf(services, id));
        const outcome = await services.drains.cordon(id, { reason, by: 'cli' }, commandWitness(services.audit, deed, reason));
        if (!outcome.found) throw unknown(id);
        const { warnings } = outcome;
        print(json, { id, cordoned: true, warnings }, [`${id} is given nothing new`, ...warnings.map(warning)]);
      }),
    );
  workers
    .command('uncordon <workerId>')
    .description('lift the cordon')
    .option('--json', 'print JSON')
    .action((id: string, flags: { json?: boolean }) =>
      withAdmin(async (services) => {
        const deed = cordonDeed('worker.uncordoned', await groupsOf(services, id));
        if (!(await services.drains.uncordon(id, commandWitness(services.audit, deed)))) throw unknown(id);
        print(flags.json, { id, cordoned: false }, [`the cordon of ${id} is lifted`]);
      }),
    );
  workers
    .command('remove <workerId>')
    .description('take a worker that is lost off the record')
    .option('--json', 'print JSON')
    .action((id: string, flags: { json?: boolean }) =>
      withAdmin(async (services) => {
        const deed = forgetDeed(await groupsOf(services, id));
        const outcome = await services.drains.forget(id, commandWitness(services.audit, deed));
        if (outcome === 'not_found') throw unknown(id);
        if (outcome === 'not_lost') throw new CommandError(`${id} is not lost: it is on record as alive`, EXIT.failed);
        print(flags.json, { id, removed: true }, [`${id} is removed`]);
      }),
    );
}

async function drain(id: string, flags: { reason?: string; deadline?: number; json?: boolean }): Promise<void> {
  const { reason = null, deadline } = flags;
  if (deadline !== undefined && !(deadline >= 0)) throw new CommandError('--deadline takes seconds', EXIT.usage);
  await withAdmin(async (services) => {
    const deadlineAt = deadline === undefined ? null : Date.now() + Math.round(deadline * 1000);
    const witness = commandWitness(services.audit, drainDeed('worker.drain_asked', await groupsOf(services, id)), reason);
    const outcome = await services.drains.drain(id, { reason, by: 'cli', deadlineAt }, witness);
    if (!outcome.found) throw unknown(id);
    print(flags.json, { id, drainAsked: true, warnings: outcome.warnings }, [`${id} drains`, ...outcome.warnings.map(warning)]);
  });
}

/** None if it is not on record. */
const groupsOf = async ({ drains }: Pick<AdminServices, 'drains'>, id: string): Promise<readonly string[]> =>
  (await drains.list()).find(({ workerId }) => workerId === id)?.offer.groups ?? [];

const warning = ({ group, handlers }: DrainWarning): string =>
  `warning: group ${group} has due tasks that no other worker takes: ${handlers.join(', ')}`;
const unknown = (id: string): CommandError =>
  new CommandError(`no worker ${id} is on record`, EXIT.failed, '`evenkeel workers list` shows them');

/** `state` in the words of the console and its API. */
function shown(row: StoredWorker, now: number) {
  const { workerId: id, incarnation, drainAsked, drain, cordon, offer, figures, lastBeatAt } = row;
  const silentMs = now - lastBeatAt;
  const view = new KnownWorker(row, silentMs, () => now, now);
  view.suspect = silentMs > SUSPECT_AFTER_MS;
  return {
    id,
    incarnation,
    state: shownStateOf(view),
    drainAsked,
    drain,
    cordoned: cordon !== null,
    cordon,
    groups: offer.groups,
    handlers: offer.handlers.map(({ name }) => name),
    active: figures.active,
    queued: figures.queued,
    freeSlots: figures.freeSlots,
    clockSkewMs: figures.skewMs ?? null,
    lastBeatAt: new Date(lastBeatAt).toISOString(),
  };
}
