import type { Command } from 'commander';
import { loadClientSettings } from '../platform/client-settings.js';
import { CommandError, EXIT } from './output.js';
import { leaveWithParent } from './parent-process.js';
import { readQuickstart } from './quickstart/quickstart-file.js';
import { runSampleWorker } from './sample-worker/sample-worker.js';

interface Flags {
  centre?: string[];
  key?: string;
  group?: string[];
  slots?: number;
  id?: string;
  port?: number;
  host?: string;
  advertiseUrl?: string[];
  dataDir?: string;
  openNetwork?: string[];
  drain?: number;
}

/** The sample worker: noop, echo, sleep, fail, flaky, http, shards. */
export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('run the sample worker (handlers noop, echo, sleep, fail, flaky, http, shards) until it is asked to stop')
    .option('--centre <url...>', 'the centre, or several of its nodes; else EVENKEEL_URL, else DATA_DIR/quickstart.json')
    .option(
      '--key <key>',
      'wk_…; else EVENKEEL_WORKER_KEY (its secret is read from EVENKEEL_WORKER_SECRET), else quickstart.json',
    )
    .option('--group <key...>', 'groups to serve; else the one of quickstart.json, else default')
    .option('--slots <n>', 'attempts at once', Number)
    .option('--id <workerId>', 'default: made once and kept in its data folder')
    .option('--host <address>', 'address to listen on for orders')
    .option('--port <n>', 'port to listen on for orders; any free one by default', Number)
    .option('--advertise-url <url...>', 'where the centre reaches this worker')
    .option('--data-dir <path>', 'journal of accepted orders and unsent results', '.evenkeel')
    .option('--open-network <cidr...>', 'networks the http handler may reach besides public addresses')
    .option('--drain <ms>', 'how long running attempts may finish after SIGTERM', Number)
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  leaveWithParent();
  const settings = loadClientSettings();
  const quickstart = readQuickstart(settings.dataDir);
  const centre = flags.centre ?? settings.url ?? quickstart?.url;
  const key = flags.key ?? settings.workerKey ?? quickstart?.worker.key;
  const secret = settings.workerSecret ?? quickstart?.worker.secret;
  if (!centre || !key || !secret)
    throw new CommandError(
      'no centre and worker key to use',
      EXIT.usage,
      'set EVENKEEL_URL, EVENKEEL_WORKER_KEY and EVENKEEL_WORKER_SECRET; `npx evenkeel keys create --worker` makes a key',
    );
  await runSampleWorker({
    centre,
    key,
    secret,
    groups: flags.group ?? [quickstart?.group ?? 'default'],
    slots: flags.slots,
    workerId: flags.id,
    host: flags.host,
    port: flags.port,
    advertiseUrl: flags.advertiseUrl,
    dataDir: flags.dataDir,
    drainMs: flags.drain,
    openNetworks: flags.openNetwork,
    onReady: (worker) => process.send?.({ ready: true, workerId: worker.workerId }),
  });
  process.exit(EXIT.ok);
}
