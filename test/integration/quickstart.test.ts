import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer as createReceiver } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../support/wait-for';

/** These start the real thing: `npm run build` has to have run. */
const ROOT = resolve(__dirname, '..', '..');
const COMMAND = join(ROOT, 'dist', 'src', 'cli', 'evenkeel.js');
const UP_MS = 90_000;

jest.setTimeout(180_000);

interface QuickstartFile {
  url: string;
  admin: { username: string; password: string | null };
  app: { id: string; accessKey: string; secretKey: string };
  worker: { key: string; secret: string };
  group: string;
  pids: { quickstart: number; centre: number; worker: number };
}
interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

describe('the quick start', () => {
  let dataDir: string;
  let port: number;
  const started = new Set<ChildProcess>();

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-quickstart-'));
    port = await freePort();
  });

  afterEach(async () => {
    for (const child of started) child.kill('SIGKILL');
    started.clear();
    const file = existsSync(join(dataDir, 'quickstart.json')) ? read() : null;
    if (file) await until('no process is left', () => !Object.values(file.pids).some(isAlive));
    rmSync(dataDir, { recursive: true, force: true });
  });

  const environment = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
    const { DATABASE_URL, REDIS_URL, EVENKEEL_ADMIN_PASSWORD, EVENKEEL_URL, EVENKEEL_ACCESS_KEY, EVENKEEL_SECRET_KEY, ...rest } =
      process.env;
    return { ...rest, DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1', ...extra };
  };
  const read = (): QuickstartFile => JSON.parse(readFileSync(join(dataDir, 'quickstart.json'), 'utf8'));

  /** Runs a command line to its end, as somebody in a shell in the repository does. */
  const shell = (line: string, extra: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    new Promise((done) => {
      execFile('sh', ['-c', line], { cwd: ROOT, env: environment(extra), timeout: UP_MS }, (error, stdout, stderr) => {
        done({ code: error ? ((error.code as unknown as number) ?? null) : 0, stdout, stderr });
      });
    });

  /** Resolves when everything is up: the file names this process. */
  const start = async (): Promise<{ child: ChildProcess; output: () => string; file: QuickstartFile }> => {
    const child = spawn(process.execPath, [COMMAND, 'quickstart'], {
      cwd: ROOT,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    await until('the quick start says it is up', () => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`);
      return output.includes('Ctrl-C stops both');
    });
    return { child, output: () => output, file: read() };
  };
  const stop = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> => {
    const exited = new Promise<number | null>((done) => child.once('exit', done));
    child.kill(signal);
    return exited;
  };

  it('writes exactly what is needed to use it, readable by nobody else, and prints a command that works as it stands', async () => {
    const { child, output, file } = await start();
    expect(file).toEqual({
      url: `http://127.0.0.1:${port}`,
      admin: { username: 'admin', password: expect.stringMatching(/^.{16,}$/) },
      app: {
        id: expect.stringMatching(/^app_/),
        accessKey: expect.stringMatching(/^ak_test_/),
        secretKey: expect.stringMatching(/^sk_test_/),
        callbackSecret: expect.stringMatching(/^whsec_/),
      },
      worker: { key: expect.stringMatching(/^wk_/), secret: expect.stringMatching(/^wsk_/) },
      group: 'default',
      pids: { quickstart: child.pid, centre: expect.any(Number), worker: expect.any(Number) },
    });
    expect(statSync(join(dataDir, 'quickstart.json')).mode & 0o777).toBe(0o600);
    expect(Object.values(file.pids).every(isAlive)).toBe(true);
    for (const shown of [file.url, file.admin.password as string, file.app.accessKey, file.app.secretKey])
      expect(output()).toContain(shown);

    const printed = output().match(/^ +(.*npx evenkeel submit echo.*)$/m)?.[1] as string;
    expect(printed).not.toContain(file.app.secretKey);
    const submitted = await shell(`${printed} --json`, { DATA_DIR: '' });
    expect(submitted).toMatchObject({ code: 0 });
    expect(JSON.parse(submitted.stdout)).toMatchObject({ status: 'SUCCEEDED', result: { hello: 'world' }, attempt: 1 });

    const signedByHand = await shell('sh examples/submit.sh');
    expect(signedByHand).toMatchObject({ code: 0 });
    expect(JSON.parse(signedByHand.stdout)).toMatchObject({ id: expect.stringMatching(/^task_/), handler: 'echo' });
    await stop(child);
  });

  it('tells a receiver on this machine of the end of a task, as its command asks', async () => {
    const { child } = await start();
    const heard: string[] = [];
    const receiver = createReceiver((request, response) => {
      request.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
      request.on('end', () => response.writeHead(204).end());
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const submitted = await shell(`"${process.execPath}" "${COMMAND}" submit echo --callback-url ${url} --json`);
      expect(submitted).toMatchObject({ code: 0 });
      const { id } = JSON.parse(submitted.stdout) as { id: string };
      await waitFor('the receiver hears', () => heard.join('').includes(id));
      expect(JSON.parse(heard.join(''))).toMatchObject({ type: 'task.succeeded' });
    } finally {
      receiver.closeAllConnections();
      await new Promise((done) => receiver.close(done));
      await stop(child);
    }
  });

  it('serves the console at its URL, with scripts and connections to nowhere but itself', async () => {
    const { child, file } = await start();
    const page = await fetch(`${file.url}/`);
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') as string;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).toContain("connect-src 'self'");
    const html = await page.text();
    const assets = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, path]) => path as string);
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) expect((await fetch(new URL(path, `${file.url}/`))).status).toBe(200);
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=/i);
    await stop(child);
  });

  it('refuses a second start on the same data folder, says where the first is, and changes nothing', async () => {
    const { child, file } = await start();
    const before = readFileSync(join(dataDir, 'quickstart.json'));
    const second = await shell(`"${process.execPath}" "${COMMAND}" quickstart`);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(file.url);
    expect(second.stderr).toContain(String(file.pids.quickstart));
    expect(readFileSync(join(dataDir, 'quickstart.json'))).toEqual(before);
    expect(Object.values(file.pids).every(isAlive)).toBe(true);
    expect((await fetch(`${file.url}/readyz`)).status).toBe(200);
    await stop(child);
  });

  it('refuses a port that is in use, and a cluster setting', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(port, '127.0.0.1', done));
    const busy = await shell(`"${process.execPath}" "${COMMAND}" quickstart`);
    expect(busy.code).toBe(1);
    expect(busy.stderr).toContain(`port ${port}`);
    await new Promise((done) => other.close(done));
    const cluster = await shell(`"${process.execPath}" "${COMMAND}" quickstart`, { DATABASE_URL: 'mysql://u:p@127.0.0.1/d' });
    expect(cluster.code).not.toBe(0);
    expect(cluster.stderr).toContain('DATABASE_URL');
    expect(existsSync(join(dataDir, 'quickstart.json'))).toBe(false);
  });

  it('stops both on SIGINT, and keeps tasks and keys for the next start', async () => {
    const first = await start();
    const submitted = JSON.parse(
      (await shell(`"${process.execPath}" "${COMMAND}" submit echo --params 7 --wait --json`)).stdout,
    ) as { id: string };
    expect(await stop(first.child)).toBe(0);
    expect(Object.values(first.file.pids).some(isAlive)).toBe(false);

    const second = await start();
    const { pids, ...kept } = second.file;
    const { pids: formerPids, ...former } = first.file;
    expect(kept).toEqual(former);
    expect(pids).not.toEqual(formerPids);
    const seen = await shell(`"${process.execPath}" "${COMMAND}" get ${submitted.id} --json`);
    expect(JSON.parse(seen.stdout)).toMatchObject({ id: submitted.id, status: 'SUCCEEDED', result: 7 });
    await stop(second.child);
  });

  it('makes new keys when its file is lost, as often as that happens, and keeps a password it does not know', async () => {
    let accessKey = '';
    for (let round = 1; round <= 3; round++) {
      const { child, output, file } = await start();
      expect(file.app.accessKey).not.toBe(accessKey);
      accessKey = file.app.accessKey;
      if (round > 1) {
        expect(file.admin.password).toBeNull();
        expect(output()).toContain('npx evenkeel users set-password admin');
        expect(output()).toContain('new key pair');
      }
      expect(await shell(`"${process.execPath}" "${COMMAND}" submit noop --wait`)).toMatchObject({ code: 0 });
      await stop(child);
      rmSync(join(dataDir, 'quickstart.json'));
    }
  });

  it('leaves no process behind when it is killed', async () => {
    const { child, file } = await start();
    await stop(child, 'SIGKILL');
    await until('centre and worker are gone', () => !Object.values(file.pids).some(isAlive), 10_000);
    const again = await start();
    expect(again.file.app).toEqual(file.app);
    await stop(again.child);
  });

  it.each(['centre', 'worker'] as const)('says so when the %s dies, stops the other and fails', async (name) => {
    const { child, output, file } = await start();
    const exited = new Promise<number | null>((done) => child.once('exit', done));
    process.kill(file.pids[name], 'SIGKILL');
    expect(await exited).toBe(1);
    expect(output()).toContain(`the ${name} ended by itself`);
    expect(Object.values(file.pids).some(isAlive)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(what: string, holds: () => boolean, withinMs = UP_MS): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
