// Installs and builds what is missing, then runs the bench with the arguments given. Its exit code is the bench's.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

function run(command, ...args) {
  // What builds print goes to stderr: stdout is the report's.
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(2);
}

if (!existsSync(join(root, 'node_modules', 'bullmq'))) run('npm', 'ci');
run('npm', 'run', '--silent', 'build');
run(process.execPath, join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'bench/tsconfig.json');
const bench = spawnSync(process.execPath, [join(root, 'dist', 'bench', 'main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = bench.status ?? 130;
