/**
 * `npm run quickstart`: brings a fresh clone to the point where the compiled quick start can run, then runs it in this process.
 * Plain Node without dependencies, because there may be none yet. Every step is skipped when its result is already there; a step
 * that fails stops here with its own output above.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const COMMAND = join(ROOT, 'dist', 'src', 'cli', 'evenkeel.js');
const SDK = join(ROOT, 'sdk', 'dist', 'client', 'index.js');
const SOURCES = [
  'src',
  'migrations',
  'sdk/src',
  'package.json',
  'sdk/package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'sdk/tsconfig.json',
];

checkNode();
if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  step('Installing the dependencies (npm ci): about a minute, the first time only', ['ci', '--include=dev']);
}
const builtAt = Math.min(timeOf(COMMAND), timeOf(SDK));
if (builtAt < Math.max(...SOURCES.map((path) => newest(join(ROOT, path))))) {
  step('Building (tsc): about 20 seconds, only when the sources have changed', ['run', '--silent', 'build'], () =>
    rmSync(COMMAND, { force: true }),
  );
}
leaveWithNpm();
process.argv = [process.argv[0], COMMAND, 'quickstart', ...process.argv.slice(2)];
await import(pathToFileURL(COMMAND).href);

function checkNode() {
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major, minor] = wanted.split('.').map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  fail(`this is Node ${process.versions.node}; Evenkeel needs ${wanted} or newer (https://nodejs.org)`);
}

/** npm runs this through a shell and passes SIGTERM on only to that; the quick start must not outlive it. */
function leaveWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && process.kill(process.pid, 'SIGTERM'), 500).unref();
}

/** `undo` removes what a failed step may have left half done, so that the next start does not take it for finished. */
function step(title, npmArguments, undo = () => {}) {
  process.stderr.write(`${title} …\n`);
  const startedAt = performance.now();
  const npm = process.env.npm_execpath;
  const { status, error } = npm
    ? spawnSync(process.execPath, [npm, ...npmArguments], { cwd: ROOT, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', npmArguments, { cwd: ROOT, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (status === 0) return void process.stderr.write(`  done in ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  undo();
  fail(`npm ${npmArguments.join(' ')} failed${error ? `: ${error.message}` : '; its output is above'}`);
}

function changedAt(path) {
  return timeOf(join(ROOT, path));
}

/** 0 for what does not exist. */
function timeOf(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function newest(path) {
  if (!existsSync(path) || !statSync(path).isDirectory()) return timeOf(path);
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function fail(message) {
  process.stderr.write(`quickstart: ${message}\n`);
  process.exit(1);
}
