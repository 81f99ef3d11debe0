import { randomBytes } from 'node:crypto';
import type { RegisterRequest } from '@evenkeel/sdk/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { childEnvironment, loadClientSettings } from '../platform/client-settings.js';
import { CommandError, EXIT, jsonOption } from './output.js';
import type { Finding } from './worker-check/check.js';
import { CheckCentre } from './worker-check/check-centre.js';
import { CheckRun, Fault, type Work } from './worker-check/check-run.js';
import { LaunchedWorker } from './worker-check/launched-worker.js';
import { runChecks } from './worker-check/run-checks.js';
import { WorkerCaller } from './worker-check/worker-caller.js';

interface Flags {
  run?: string;
  key?: string;
  handler?: string;
  params?: string;
  slowHandler?: string;
  slowParams?: string;
  wait: number;
  json?: boolean;
}
const MARKS = { ok: 'ok     ', fault: 'FAULT  ', skipped: 'skipped' } as const;

export function addWorkerCheckCommand(program: Command): void {
  program
    .command('worker-check')
    .description(
      'tell what a worker written after docs/worker-protocol.md gets wrong: plays a centre for it on this machine; exit code 1 if anything is wrong',
    )
    .argument('[url]', 'a worker that serves another centre: only what cannot disturb it is checked')
    .option(
      '--run <command>',
      'starts the worker itself (told where by EVENKEEL_URL, _WORKER_KEY, _WORKER_SECRET), so that its end is checked too',
    )
    .option('--key <key>', 'with a URL: the wk_… of the worker; its secret is read from EVENKEEL_WORKER_SECRET')
    .option('--handler <name>', 'a handler that succeeds at once; else echo or noop if the worker has one')
    .option('--params <json>', 'its parameters')
    .option('--slow-handler <name>', 'a handler that takes a minute and listens to aborts; else sleep if the worker has one')
    .option('--slow-params <json>', 'its parameters; {"ms": 60000} if absent')
    .option('--wait <seconds>', 'how long to wait for the worker to register', seconds, 120)
    .option('--json', 'print the findings as JSON')
    .action(async (url: string | undefined, flags: Flags) => {
      const findings: Finding[] = [];
      const found = (finding: Finding) => {
        findings.push(finding);
        if (!flags.json) show(finding);
      };
      await (url === undefined ? checkAsCentre(flags, found) : checkFromOutside(url, flags, found));
      const count = (verdict: Finding['verdict']) => findings.filter((each) => each.verdict === verdict).length;
      const summary = { ok: count('fault') === 0, passed: count('ok'), faults: count('fault'), skipped: count('skipped') };
      if (flags.json) process.stdout.write(`${JSON.stringify({ ...summary, findings })}\n`);
      else process.stdout.write(`${summary.passed} ok, ${summary.faults} with faults, ${summary.skipped} skipped\n`);
      process.exit(summary.ok ? EXIT.ok : EXIT.failed);
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError('a number of seconds up to 3600');
  return value;
}

function show({ check, verdict, says }: Finding): void {
  process.stdout.write(`${MARKS[verdict]} ${check}\n${says.map((each) => `          ${each}\n`).join('')}`);
}

/** The worker under check believes this command to be its centre. */
async function checkAsCentre(flags: Flags, found: (finding: Finding) => void): Promise<void> {
  const key = { accessKey: `wk_check${randomBytes(8).toString('hex')}`, secret: randomBytes(24).toString('base64url') };
  const centre = new CheckCentre(key);
  await centre.listen();
  const settings = { url: centre.url, workerKey: key.accessKey, workerSecret: key.secret };
  const worker = flags.run === undefined ? undefined : new LaunchedWorker(flags.run, childEnvironment(settings));
  if (worker === undefined) {
    const lines = ['Start the worker with', '', `  EVENKEEL_URL=${centre.url}`, `  EVENKEEL_WORKER_KEY=${key.accessKey}`];
    process.stderr.write(
      `${[...lines, `  EVENKEEL_WORKER_SECRET=${key.secret}`, '', 'Waiting for it to register …', ''].join('\n')}\n`,
    );
  }
  try {
    const registered = await registration(centre, worker, flags.wait, found);
    if (registered === undefined) return;
    const { workerId, incarnation, urls, handlers } = registered;
    const caller = new WorkerCaller(urls[0] as string, key, () => centre.now());
    const has = (name: string) => handlers.some((each) => each.name === name);
    const quick = workOf(flags.handler ?? ['echo', 'noop'].find(has), flags.params, null);
    const slow = workOf(flags.slowHandler ?? ['sleep'].find(has), flags.slowParams, { ms: 60_000 });
    const run = new CheckRun({ caller, centre, process: worker, quick, slow }, { workerId, incarnation });
    await runChecks(run, found);
    const says = [...centre.wrong.values()];
    found({
      check: 'signs its requests by the centre’s clock and sends what the protocol says',
      verdict: says.length ? 'fault' : 'ok',
      says,
    });
  } finally {
    await worker?.kill();
    await centre.close();
  }
}

async function registration(
  centre: CheckCentre,
  worker: LaunchedWorker | undefined,
  waitSeconds: number,
  found: (finding: Finding) => void,
): Promise<RegisterRequest | undefined> {
  const check = 'registers';
  const waiting = new CheckRun({ caller: undefined as never, centre }, { workerId: '', incarnation: '' });
  try {
    await waiting.until(() => centre.worker ?? worker?.ended, `it does not register within ${waitSeconds} s`, waitSeconds * 1000);
    if (centre.worker === undefined) throw new Fault(`it ends before it has registered: ${worker?.end}`);
    found({ check, verdict: 'ok', says: [] });
    return centre.worker;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    found({ check, verdict: 'fault', says: [error.message, ...centre.wrong.values(), ...(worker?.output ?? [])] });
    return undefined;
  }
}

/** Nothing that is asked here can run, and no epoch of a partition that exists is raised. */
async function checkFromOutside(url: string, flags: Flags, found: (finding: Finding) => void): Promise<void> {
  const settings = loadClientSettings();
  const accessKey = flags.key ?? settings.workerKey;
  if (!URL.canParse(url)) throw new CommandError(`not a URL: ${url}`, EXIT.usage);
  if (!accessKey || !settings.workerSecret)
    throw new CommandError(
      'no worker key to sign with',
      EXIT.usage,
      'set EVENKEEL_WORKER_SECRET, and --key or EVENKEEL_WORKER_KEY',
    );
  const caller = new WorkerCaller(url, { accessKey, secret: settings.workerSecret }, Date.now);
  const run = new CheckRun({ caller }, { workerId: '', incarnation: '' });
  try {
    const { workerId, incarnation } = await run.health();
    run.moveTo(caller, { workerId, incarnation });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    found({ check: 'answers what the centre signed', verdict: 'fault', says: [error.message] });
    return;
  }
  await runChecks(run, found);
}

function workOf(handler: string | undefined, params: string | undefined, absent: unknown): Work | undefined {
  return handler === undefined ? undefined : { handler, params: jsonOption(params) ?? absent };
}
