import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { FakeCentre, KEY, SECRET } from '../../sdk/test/fake-centre.js';
import { WorkerProcess } from '../../sdk/test/worker-process.js';
import type { Finding } from '../../src/cli/worker-check/check.js';
import { Folder } from '../support/processes.js';
import { waitFor } from '../support/wait-for.js';

const ROOT = join(__dirname, '..', '..');
const CLI = join(ROOT, 'dist', 'src', 'cli', 'evenkeel.js');

interface Report {
  ok: boolean;
  passed: number;
  faults: number;
  skipped: number;
  findings: Finding[];
}

describe('worker-check', () => {
  const folders: Folder[] = [];
  const check = (args: string[], env: Record<string, string> = {}): Promise<{ code: number; report: Report }> =>
    new Promise((resolve, reject) => {
      const options = { cwd: newFolder().path, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' as const };
      const command = [CLI, 'worker-check', '--json', ...args];
      execFile(process.execPath, command, options, (error, stdout, stderr) => {
        if (stdout === '') reject(new Error(stderr));
        else resolve({ code: error ? Number(error.code) : 0, report: JSON.parse(stdout) });
      });
    });
  const faultsOf = (report: Report) => report.findings.filter(({ verdict }) => verdict === 'fault');

  const newFolder = () => {
    const folder = new Folder();
    folders.push(folder);
    return folder;
  };
  /** A check mostly waits, so the long ones wait together. */
  const long: Record<'sdk' | 'python' | 'broken', Promise<{ code: number; report: Report }>> = {} as never;

  beforeAll(() => {
    const script = (...path: string[]) => join(ROOT, ...path);
    long.sdk = check(['--run', `${process.execPath} ${CLI} worker --slots 4 --id checked`]);
    long.python = check(['--run', `python3 -B ${script('examples', 'python-worker', 'worker.py')}`], { WORKER_ID: 'checked' });
    long.broken = check(['--run', `${process.execPath} ${script('test', 'support', 'broken-worker.cjs')}`]);
    for (const each of Object.values(long)) each.catch(() => undefined);
  });
  afterAll(() => {
    for (const folder of folders) folder.remove();
  });

  it('finds nothing wrong with the worker of the SDK', async () => {
    const { code, report } = await long.sdk;
    expect(faultsOf(report)).toEqual([]);
    expect(report).toMatchObject({ ok: true, skipped: 0 });
    expect(code).toBe(0);
  }, 180_000);

  it('finds nothing wrong with the Python worker', async () => {
    const { code, report } = await long.python;
    expect(faultsOf(report)).toEqual([]);
    expect(report).toMatchObject({ ok: true, skipped: 0 });
    expect(code).toBe(0);
  }, 180_000);

  it('names each fault of a worker that only seems to work', async () => {
    const { code, report } = await long.broken;
    const said = faultsOf(report).flatMap(({ says }) => says);
    for (const sentence of [
      /^POST \/run without X-EK headers is answered 200 instead of 401$/,
      /^POST \/run signed with another secret is answered 200/,
      /^GET \/health whose timestamp is 302 s old is answered 200/,
      /^an unknown path is answered 200 instead of 404$/,
      /^a signed body that is not JSON is answered 500/,
      /^an order with a wrong lease is answered 200 instead of 400$/,
      /^an order for a handler it never registered is answered "accepted" instead of "unknown_handler"$/,
      /^an order for another incarnation is answered "accepted" instead of "stale_incarnation"$/,
      /^the same order of a newer epoch|^an order of the epoch before the one it has seen is answered "accepted"/,
      /^the same \(task, lease\) again is answered "accepted" instead of "duplicate"$/,
      /cancel of an order it never had is answered "finished"|^an order whose cancel was answered "unknown" is answered "accepted" instead of "no_lease"$/,
      /^it said freeSlots 4 and then accepted 6 of 6 orders$/,
      /^seq of its figures does not rise/,
      /^heartbeat: \/avgCostMs must be a number, not a string$|^heartbeat: \/avgCostMs/,
      /^heartbeats? .*|heartbeats in/,
      /not named in heartbeats$/,
      /^a result without an ack in the answer is not sent again$|is not sent again/,
      /^a heartbeat answered 404 not_found does not make it register again$/,
      /signs by its own clock although the 401 told it the centre's/,
      /does not sort after the earlier one|does not register after it was killed|is lost when the process is killed/,
      /draining/,
    ])
      expect(said).toContainEqual(expect.stringMatching(sentence));
    expect(code).toBe(1);
  }, 180_000);

  it('says why when a worker never registers', async () => {
    const { code, report } = await check(['--run', `${process.execPath} -e "process.exit(4)"`, '--wait', '20']);
    expect(report.findings).toMatchObject([{ check: 'registers', verdict: 'fault' }]);
    expect(report.findings[0]?.says[0]).toBe('it ends before it has registered: exit code 4');
    expect(code).toBe(1);
  }, 60_000);

  it('checks a worker of another centre from outside without running anything on it', async () => {
    const centre = await new FakeCentre().listen();
    const worker = new WorkerProcess({ centre: centre.url, dataDir: newFolder().path });
    try {
      await waitFor('it is registered', () => centre.registrations.length === 1);
      const { report } = await check([centre.worker.urls[0] as string, '--key', KEY], { EVENKEEL_WORKER_SECRET: SECRET });
      expect(faultsOf(report)).toEqual([]);
      expect(report.passed).toBeGreaterThan(5);
      expect(report.skipped).toBeGreaterThan(5);
      for (const { says } of report.findings.filter(({ verdict }) => verdict === 'skipped'))
        expect(says).toEqual(['needs a worker that this command is the centre of: leave the URL out']);
      expect(centre.results).toEqual([]);
      const { report: again } = await check([centre.worker.urls[0] as string, '--key', KEY], { EVENKEEL_WORKER_SECRET: SECRET });
      expect(again).toEqual(report);
      const wrong = await check([centre.worker.urls[0] as string, '--key', KEY], { EVENKEEL_WORKER_SECRET: 'another' });
      expect(faultsOf(wrong.report)[0]?.says[0]).toMatch(/GET \/health is answered 401/);
    } finally {
      await worker.end('SIGKILL');
      await centre.close();
    }
  }, 60_000);
});
