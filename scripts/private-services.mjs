import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const START_WITHIN_MS = 60_000;

/** A throw-away MariaDB or MySQL in the folder; answers its URL (of no database) and a function that stops it. */
export async function startDatabase(binary, folder) {
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const owner = databaseOwner();
  const data = join(folder, 'data');
  for (const path of [folder, data]) {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
    if (owner) chownSync(path, owner.uid, owner.gid);
  }
  const init = join(folder, 'init.sql');
  writeFileSync(
    init,
    `CREATE USER 'evenkeel'@'127.0.0.1' IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO 'evenkeel'@'127.0.0.1' WITH GRANT OPTION;\n`,
  );
  chmodSync(init, 0o644);
  const asOwner = owner ? ['--user=mysql'] : [];
  makeDataFolder(binary, data, asOwner);
  const log = join(folder, 'server.log');
  const args = [
    '--no-defaults',
    ...asOwner,
    `--datadir=${data}`,
    `--socket=${join(folder, 's')}`,
    `--pid-file=${join(folder, 'server.pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--character-set-server=utf8mb4',
    `--init-file=${init}`,
    `--log-error=${log}`,
    // What is lost when the machine fails is not tested here: a killed program loses nothing by it.
    '--innodb-flush-log-at-trx-commit=2',
    '--innodb-doublewrite=0',
    '--skip-log-bin',
    ...(isMariadb(binary) ? [] : ['--mysqlx=OFF']),
  ];
  const server = launch(binary, args);
  await untilListening(port, server, () => readLog(log));
  return { url: `mysql://evenkeel:${password}@127.0.0.1:${port}`, stop: () => stop(server) };
}

/** A throw-away Redis that keeps nothing; answers its URL and a function that stops it. */
export async function startRedis(binary, folder) {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const log = join(folder, 'server.log');
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder, logfile: log };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = launch(binary, args);
  await untilListening(port, server, () => readLog(log));
  return { url: `redis://127.0.0.1:${port}`, stop: () => stop(server) };
}

/** In a process group of its own, so that Ctrl-C reaches it through us, after the tests have ended. */
function launch(binary, args) {
  const child = spawn(binary, args, { stdio: 'ignore', detached: true });
  const server = { child, error: undefined };
  child.on('error', (error) => {
    server.error = error;
  });
  return server;
}

/** The port was free and our process is alive when it listens, so the server that answers is ours. */
async function untilListening(port, server, log) {
  const { child } = server;
  const deadline = Date.now() + START_WITHIN_MS;
  while (Date.now() < deadline) {
    if (server.error || child.exitCode !== null)
      throw new Error(`${child.spawnfile} ended at its start: ${server.error?.message ?? log()}`);
    if (await listens(port)) return;
    await pause(50);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnfile} does not listen after ${START_WITHIN_MS / 1000} s: ${log()}`);
}

async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(killer);
}

const isMariadb = (binary) => binary.endsWith('mariadbd') || /mariadb/i.test(output(binary, ['--version']));

function makeDataFolder(binary, data, asOwner) {
  if (!isMariadb(binary)) return void output(binary, ['--no-defaults', '--initialize-insecure', `--datadir=${data}`, ...asOwner]);
  const authentication = asOwner.length > 0 ? ['--auth-root-authentication-method=socket', '--auth-root-socket-user=root'] : [];
  output('mariadb-install-db', ['--no-defaults', `--datadir=${data}`, ...asOwner, ...authentication, '--skip-test-db']);
}

/** The servers refuse to run as root; the packages bring a user of their own. */
function databaseOwner() {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: Number(output('id', ['-u', 'mysql'])), gid: Number(output('id', ['-g', 'mysql'])) };
}

function output(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`);
  return stdout.trim();
}

function readLog(path) {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(-15).join('\n');
  } catch {
    return 'it wrote no log';
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
