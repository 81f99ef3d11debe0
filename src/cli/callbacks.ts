import type { Command } from 'commander';
import type { App, AppsService } from '../auth/apps.service.js';
import { hostsDeed, secretRotated } from '../callbacks/hosts-deed.js';
import { withAdmin } from './admin-context.js';
import { COMMAND, commandWitness } from './command-trail.js';
import { CommandError, EXIT, print } from './output.js';

const MOST_GRACE_SECONDS = 604_800;

/** callbacks hosts|rotate-secret: where an app's results may go, straight in the database. */
export function addCallbacksCommand(program: Command): void {
  const callbacks = program.command('callbacks').description('where the results of an app may be sent');
  callbacks
    .command('hosts <app> [host...]')
    .description('show the callback hosts of the app (app_…), or set them: hooks.partner.com, *.partner.com')
    .option('--none', 'allow no host any more')
    .option('--json', 'print JSON')
    .action((id: string, hosts: string[], flags: { none?: boolean; json?: boolean }) =>
      withAdmin(async (services) => {
        const app = await appOf(services.apps, id);
        const service = services.callbackHosts;
        const changes = hosts.length > 0 || flags.none === true;
        const witness = commandWitness(services.audit, hostsDeed(id));
        const { secret } = changes ? await service.set(app.id, flags.none ? [] : hosts, witness) : { secret: null };
        const now = await service.of(app.id);
        print(flags.json, { app: id, hosts: now, ...(secret ? { secret } : {}) }, [
          now.length > 0 ? `${id}: ${now.join(', ')}` : `${id}: no callback host`,
          ...(secret ? [`Secret of its callbacks without an endpoint, shown this once: ${secret}`] : []),
        ]);
      }),
    );
  callbacks
    .command('rotate-secret <app>')
    .description('give the app (app_…) another secret for callbacks without an endpoint; printed once')
    .option('--grace <seconds>', 'how long the old one signs along; 0 after a leak', Number, 86_400)
    .option('--json', 'print JSON')
    .action((id: string, { grace, json }: { grace: number; json?: boolean }) => {
      if (!Number.isInteger(grace) || grace < 0 || grace > MOST_GRACE_SECONDS)
        throw new CommandError(`--grace takes a whole number from 0 to ${MOST_GRACE_SECONDS}`, EXIT.usage);
      return withAdmin(async (services) => {
        const app = await appOf(services.apps, id);
        const secret = await services.callbackHosts.rotateSecret(app.id, grace * 1000, async (tx) => {
          await services.audit.write(tx, { actor: COMMAND, ...secretRotated(id, grace) });
        });
        print(json, { app: id, secret }, [`New secret of ${id}, shown this once: ${secret}`]);
      });
    });
}

async function appOf(apps: AppsService, id: string): Promise<App> {
  const app = await apps.findByPublicId(id);
  if (!app) throw new CommandError(`there is no app ${id}`, EXIT.usage);
  return app;
}
